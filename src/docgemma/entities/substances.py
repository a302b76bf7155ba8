"""What people react to besides drugs, and how. Hand-written, not reviewed by a clinician, and never complete.

A substance or a reaction outside these lists is still taken in the user's own words after "allergic to" and
"reaction:".
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from docgemma.entities.model import Mention
from docgemma.entities.words import Word, phrase_list, word_set

ALLERGENS = word_set(
    "sulfa sulfas sulpha sulphas sulfonamide sulfonamides sulphonamide sulphonamides penicillins cephalosporin "
    "cephalosporins nsaid nsaids opioid opioids opiate opiates statins quinolone quinolones fluoroquinolone "
    "fluoroquinolones macrolide macrolides tetracyclines aminoglycosides carbapenems anticonvulsants anaesthetics "
    "anesthetics latex rubber peanut peanuts groundnut groundnuts nut nuts almond almonds cashew cashews walnut "
    "walnuts hazelnut hazelnuts pistachio pistachios pecan pecans shellfish shrimp shrimps prawn prawns crab lobster "
    "squid mussels fish salmon tuna egg eggs milk dairy lactose soy soya wheat gluten sesame mustard celery lupin "
    "lentils chickpea chickpeas strawberry strawberries kiwi kiwis kiwifruit banana bananas avocado mango mangoes "
    "pineapple peach "
    "apple apples tomato tomatoes citrus coconut corn chocolate garlic honey yeast bee bees wasp wasps hornet ant "
    "pollen dust mold mould ragweed grass cat cats dog dogs horse iodine betadine contrast gadolinium nickel adhesive "
    "tape plaster plasters elastoplast micropore chlorhexidine lanolin perfume fragrance henna sulfites sulfite "
    "sulphites msg aspartame dye gelatin gelatine tartrazine brinjal aubergine"
)
PAIRS = frozenset(
    phrase_list(
        "tree nuts, tree nut, brazil nut, brazil nuts, bee stings, bee sting, bee venom, wasp stings, wasp sting, iv "
        "contrast, contrast dye, contrast media, hair dye, house dust, dust mite, dust mites, cow's milk, cows milk, "
        "ace inhibitors, ace inhibitor, beta blockers, beta blocker, sulfa drugs, sulpha drugs, sulfa drug, local "
        "anaesthetics, local anesthetics, iodine contrast, iodinated contrast, flu vaccine, flu jab, "
        "animal dander, sticking plaster, sticking plasters, food colouring, food "
        "coloring"
    )
)
SINGULAR = {
    "eggs": "egg",
    "peanuts": "peanut",
    "nuts": "nut",
    "prawns": "prawn",
    "penicillins": "penicillin",
    **dict.fromkeys(("sulfas", "sulpha", "sulphas", "sulfa drugs", "sulpha drugs", "sulfa drug"), "sulfa"),
}
REACTIONS = phrase_list(
    "anaphylactic shock, anaphylaxis, anaphylactoid reaction, angioedema, angio-oedema, angioneurotic oedema, hives, "
    "urticaria, nettle rash, welts, weals, wheals, rash, rashes, skin rash, itching, itch, itchiness, itchy, itchy "
    "skin, pruritus, eczema, dermatitis, contact dermatitis, redness, erythema, flushing, blistering, blisters, "
    "peeling skin, skin peeling, photosensitivity, burning, swelling, swollen face, swollen lips, swollen tongue, "
    "swollen throat, facial swelling, face swelling, throat swelling, tongue swelling, lip swelling, swelling of the "
    "face, swelling of the lips, oedema, edema, facial oedema, facial edema, laryngeal oedema, throat tightness, "
    "throat closing, wheezing, wheeze, wheezy, bronchospasm, shortness of breath, difficulty breathing, "
    "breathing difficulty, breathlessness, dyspnea, dyspnoea, chest tightness, tight chest, stridor, cough, "
    "asthma attack, nausea, vomiting, vomit, vomits, n&v, diarrhea, diarrhoea, stomach upset, upset stomach, "
    "upset tummy, tummy upset, gi upset, abdominal pain, stomach cramps, cramps, constipation, gi bleed, bleeding, "
    "headache, migraine, dizziness, "
    "dizzy, drowsiness, sedation, confusion, hallucinations, agitation, insomnia, tremor, seizure, seizures, fits, "
    "dystonia, dystonic reaction, oculogyric crisis, hypotension, low blood pressure, collapse, collapsed, fainting, "
    "syncope, cardiac arrest, palpitations, tachycardia, bradycardia, qt prolongation, fever, rigors, chills, red man "
    "syndrome, stevens-johnson syndrome, stevens johnson syndrome, sjs, agep, toxic epidermal necrolysis, dress "
    "syndrome, serum sickness, myalgia, muscle pain, muscle aches, myopathy, rhabdomyolysis, joint pain, tendon "
    "rupture, liver injury, jaundice, hepatitis, deranged lfts, raised lfts, neutropenia, agranulocytosis, "
    "thrombocytopenia, pancreatitis, respiratory depression, hyperkalaemia, hyperkalemia, hyponatraemia, "
    "hyponatremia, mouth ulcers, drowsy, feeling sick, being sick, throwing up, vomited, nauseous, nauseated, feeling "
    "faint, lightheaded, swelled up, swells up, swell up, swelling up, puffed up, puffs up, passed out, blacked out, "
    "low platelets"
)

_HEAD_NOUNS = word_set(
    "fruit fruits tape dye media medium gloves sting stings bite bites venom vaccine vaccines leaves leaf oil oils "
    "products product seed seeds dander powder sap resin cream ointment drops patch patches dressing dressings spray "
    "plaster plasters extract shampoo soap detergent serum protein wool hair fur bread flour iodine"
)
"""With the known word before them these are one thing: "kiwi fruit", "micropore tape"."""


def known_substances(tokens: Sequence[Word], drugs: tuple[Mention, ...]) -> dict[int, tuple[int, Mention]]:
    """Token index → (how many tokens, what) for everything a person may react to."""
    by_start = {drug.start: drug for drug in drugs}
    known: dict[int, tuple[int, Mention]] = {}
    index = 0
    while index < len(tokens):
        word, size = tokens[index], 1
        if (name := f"{word.low} {_low(tokens, index + 1)}") in PAIRS:
            size = 3 if _low(tokens, index + 2) in _HEAD_NOUNS else 2
            whole = phrase(tokens[index : index + size])
            known[index] = (size, replace(whole, value=SINGULAR.get(name, name)) if size == 2 else whole)
        elif drug := by_start.get(word.start):
            while index + size < len(tokens) and tokens[index + size].start < drug.end:
                size += 1
            known[index] = (size, drug)
        elif word.low in ALLERGENS and index + 1 < len(tokens) and tokens[index + 1].low in _HEAD_NOUNS:
            known[index] = (size := 2, phrase(tokens[index : index + 2]))
        elif word.low in ALLERGENS:
            known[index] = (1, Mention(word.text, word.start, word.end, SINGULAR.get(word.low, word.low)))
        index += size
    return known


def phrase(named: Sequence[Word]) -> Mention:
    """Some words as one thing, as they were said."""
    text = " ".join(word.text for word in named)
    return Mention(text, named[0].start, named[-1].end, text.lower())


def _low(tokens: Sequence[Word], index: int) -> str:
    return tokens[index].low if index < len(tokens) else ""
