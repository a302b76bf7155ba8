"""Countries, regions and large towns, for those who write them without a capital or where a capital proves nothing.

The list is written by hand and cannot be complete: a place outside it is seen by its capital and the words around it.
"""

from __future__ import annotations

from docgemma.entities.words import phrase_list

_COUNTRIES = """
afghanistan, albania, algeria, angola, argentina, armenia, australia, austria, azerbaijan, bahrain, bangladesh, belarus,
belgium, benin, bolivia, bosnia, botswana, brazil, bulgaria, burkina faso, burundi, cambodia, cameroon, canada, chad,
chile, china, colombia, congo, costa rica, croatia, cuba, cyprus, czechia, czech republic, denmark, dominican republic,
ecuador, egypt, el salvador, estonia, ethiopia, fiji, finland, france, gabon, gambia, germany, ghana, greece, guatemala,
guinea, guinea-bissau, guyana, haiti, honduras, hong kong, hungary, iceland, india, indonesia, iran, iraq, ireland,
israel, italy, ivory coast, jamaica, japan, jordan, kazakhstan, kenya, kosovo, kuwait, kyrgyzstan, laos, latvia,
lebanon, lesotho, liberia, libya, lithuania, luxembourg, madagascar, malawi, malaysia, mali, malta, mauritius, mexico,
moldova, mongolia, montenegro, morocco, mozambique, myanmar, namibia, nepal, netherlands, new zealand, nicaragua, niger,
nigeria, north macedonia, norway, oman, pakistan, palestine, panama, papua new guinea, paraguay, peru, philippines,
poland, portugal, puerto rico, qatar, romania, russia, rwanda, saudi arabia, senegal, serbia, sierra leone, singapore,
slovakia, slovenia, somalia, south africa, south korea, south sudan, spain, sri lanka, sudan, sweden, switzerland,
syria, taiwan, tajikistan, tanzania, thailand, togo, trinidad and tobago, tunisia, turkey, turkmenistan, uganda,
ukraine, united arab emirates, united kingdom, united states, uruguay, uzbekistan, venezuela, vietnam, yemen, zambia,
zimbabwe, england, scotland, wales, northern ireland
"""
_REGIONS = """
europe, asia, africa, alabama, alaska, arizona, arkansas, california, colorado, connecticut, delaware, florida, hawaii,
idaho, illinois, indiana, iowa, kansas, kentucky, louisiana, maine, maryland, massachusetts, michigan, minnesota,
mississippi, missouri, montana, nebraska, nevada, new hampshire, new jersey, new mexico, north carolina, north dakota,
ohio, oklahoma, oregon, pennsylvania, rhode island, south carolina, south dakota, tennessee, texas, utah, vermont,
virginia, west virginia, wisconsin, wyoming, ontario, quebec, alberta, british columbia, nova scotia, manitoba,
saskatchewan, new south wales, queensland, victoria, tasmania, bavaria, catalonia, andalusia, punjab, kerala, gujarat,
maharashtra, tamil nadu, new england, midwest, east anglia, yorkshire
"""
_TOWNS = """
abuja, accra, addis ababa, adelaide, ahmedabad, amsterdam, ankara, antwerp, athens, atlanta, auckland, austin,
baltimore, bangalore, bengaluru, bangkok, barcelona, basel, beijing, belfast, berlin, bern, birmingham, bogota, bologna,
bordeaux, boston, brisbane, bristol, brussels, bucharest, budapest, buenos aires, cairo, calgary, cambridge, can tho,
cape town, cardiff, charlotte, chengdu, chennai, chicago, chongqing, cincinnati, cleveland, cologne, columbus,
copenhagen, da nang, dakar, dallas, dar es salaam, delhi, denver, detroit, dhaka, dresden, dubai, dublin, dundee,
durban, durham, edinburgh, edmonton, florence, frankfurt, fukuoka, geneva, ghent, glasgow, gothenburg, guangzhou,
hai phong, hamburg, hangzhou, hanoi, hanover, harare, heidelberg, helsinki, ho chi minh city, houston, hue, hyderabad,
indianapolis, islamabad, istanbul, jakarta, jerusalem, johannesburg, kampala, kansas city, karachi, kigali, kinshasa,
kolkata, kuala lumpur, kumasi, kyiv, lagos, lahore, lausanne, leeds, leicester, leiden, leipzig, leuven, lille, lima,
lisbon, liverpool, london, los angeles, lusaka, lyon, madrid, malmo, manchester, manila, marseille, medellin, melbourne,
memphis, mexico city, miami, milan, milwaukee, minneapolis, montreal, moscow, mumbai, munich, nairobi, nanjing, naples,
nashville, new delhi, new haven, new orleans, new york, newcastle, norwich, nottingham, omaha, orlando, osaka, oslo,
ottawa, oxford, paris, perth, philadelphia, phoenix, pittsburgh, porto, prague, pune, rio de janeiro, riyadh,
rochester, rome, rotterdam, saigon, saint louis, st louis, salt lake city, san antonio, san diego, san francisco,
santiago, sao paulo, seattle, seoul, shanghai, sheffield, shenzhen, sofia, southampton, stanford, stockholm,
strasbourg, stuttgart, sydney, taipei, tampa, tehran, tel aviv, tokyo, toronto, toulouse, tubingen, turin, uppsala,
utrecht, valencia, vancouver, vienna, vilnius, warsaw, washington, wellington, winnipeg, wuhan, yale, zurich
"""
_SHORT = {
    "uk": "United Kingdom",
    "u.k.": "United Kingdom",
    "britain": "United Kingdom",
    "great britain": "United Kingdom",
    "usa": "United States",
    "u.s.": "United States",
    "u.s.a.": "United States",
    "the states": "United States",
    "america": "United States",
    "uae": "United Arab Emirates",
    "holland": "Netherlands",
    "korea": "South Korea",
    "viet nam": "Vietnam",
    "ha noi": "Hanoi",
    "hcmc": "Ho Chi Minh City",
    "nyc": "New York",
    "mass general": "Massachusetts General Hospital",
    "mgh": "Massachusetts General Hospital",
    "mayo": "Mayo Clinic",
    "the mayo": "Mayo Clinic",
    "mayo clinic": "Mayo Clinic",
    "md anderson": "M D Anderson Cancer Center",
    "sloan kettering": "Memorial Sloan Kettering Cancer Center",
    "mskcc": "Memorial Sloan Kettering Cancer Center",
    "johns hopkins": "Johns Hopkins",
    "hopkins": "Johns Hopkins",
    "dana-farber": "Dana-Farber Cancer Institute",
    "dana farber": "Dana-Farber Cancer Institute",
    "nih": "National Institutes of Health Clinical Center",
}
_SMALL = frozenset(("and", "de", "es"))

LISTED: dict[str, str] = {
    **{
        name: " ".join(word if word in _SMALL else word.capitalize() for word in name.split())
        for listed in (_COUNTRIES, _REGIONS, _TOWNS)
        for name in phrase_list(listed)
    },
    **_SHORT,
}
"""Every name in small letters, with how the register is asked for it."""

LONGEST_NAME = max(len(name.split()) for name in LISTED)
