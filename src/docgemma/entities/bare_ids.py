"""A number alone as a patient id: "labs for 402", "402 ka creatinine", "note 402: …".

Most numbers in a clinical message are none. One is taken only where an id must stand: behind a word that leads to a
person and that nothing before it turns into an amount, at the start before what is said of it, or as the one who is
started on something. A unit, a frequency, a fraction, a date, a time or a plural behind it makes it a quantity.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from docgemma.entities.words import word_set

_NUMBER = re.compile(r"(?<![\w.,/:+#£$€-])(?P<id>[1-9][0-9]{2,9})(?P<s>s(?=\s))?(?![\w.,/:%°+-]?[0-9])(?![\w%°/])")
_BEFORE = re.compile(r"[\w'’+&-]{1,40}|[^\w\s]")
_AFTER = re.compile(r"[\s(]{0,3}(?P<word>['’]?[a-z][a-z'’]{0,30}|[-–—:,.;?!)])?", re.IGNORECASE)
_LOOK_BACK = 60

_QUANTITY = word_set(
    "mg mcg g gm gms gram grams kg lb lbs cm mm m ml mls l litre litres liter liters unit units u iu kcal cal meq mmol "
    "puff puffs min mins minute minutes hr hrs hour hours day days week weeks wk wks month months year years yr "
    "yrs yo bpm beats steps per times x percent od bd bid tds tid qds qid prn stat nocte mane daily nightly weekly "
    "hourly once twice am pm dollars pounds rupees rs euros usd gbp children people women men adults odd more less or"
)
_NO_PLURAL = word_set(
    "s is has was does needs wants pls thanks takes gets labs meds bloods obs vitals allergies results notes tabs caps "
    "tablets capsules injections nebs charts records reports medications medicines sats status drops lungs this as "
    "says complains reports denies feels looks drinks eats keeps bps sugars"
)
"""Words in -s that may follow an id; any other plural is what is counted."""

_CHARTED = word_set(
    "chart charts record records note notes summary history hx meds med medications medication medicines labs lab "
    "bloods blood results result allergies allergy intolerance vitals obs problems file report reports details "
    "background info information update updates news prescription prescriptions script scan ecg echo xray imaging "
    "documentation entry about story status plan letter function"
)
_GIVING = word_set(
    "give prescribe add issue administer dispense save write file attach note record log document put order start "
    "commence enter chart allocate assign allergy send supply repeat renew refill"
)
_SHIFTING = word_set(
    "up down from increase increased increasing decrease decreased reduce reduced reducing raise raised titrate "
    "titrated titrating drop dropped dropping rise rose risen rising fall fell fallen change changed adjust halve "
    "halved double doubled go went gone came come between range ranged bring brought back lower lowered cut max "
    "maximum limit limited target aim close closer near next equal compared relative"
)
_TAKING = word_set(
    "is are was were be been being am he's she's they're i'm it's him her them it she he they start started starting "
    "go goes going went stay stays put patient pt based depends depending call called ring phone dial bleep text me "
    "contact ext extension number page still currently already now kept"
)
"""Before "on" these make the number a dose, or a telephone's."""

_ROUND_CLOCK = re.compile(r"(?:[01][0-9]|2[0-3])(?:00|15|30|45)")
_YEAR = re.compile(r"(?:19|20)[0-9]{2}")
_PLACES = word_set("room rm bed bay ward cubicle ext extension floor bleep pager page level theatre clinic section")
_VALUED = word_set(
    "creatinine creat sodium na potassium k glucose bm bms sugar sugars urea egfr crp esr inr hb hgb haemoglobin "
    "hemoglobin platelets plt plts wcc wbc lactate troponin trop ferritin tsh bnp d-dimer ddimer ck alt ast alp ldh "
    "bp hr rr sats weight pulse rate level levels count score dose total peak value ph calcium magnesium phosphate "
    "cholesterol temp volume output balance amylase lipase bilirubin psa cea cd4 viral"
)
_ATTENDING = word_set(
    "route here sitting seeing standing reviewing currently arriving arrived bedside home visit waiting"
)
"""Before "with" these say where somebody is: "en route with 402, …"."""

_ASKING = word_set("what what's whats show get give tell check pull find latest last recent kindly please pls plz see")
_STARTING = word_set("start put commence restart get pop switch keep move")
_ASKED_OF = word_set("is does has did was are can should could will would")
_OF_SOMEBODY = word_set("on allergic taking had have need needs due back known diabetic pregnant still to get got")
_DOES = word_set(
    "needs has wants came had says reacts complains reports denies feels looks got gets takes took reacted developed "
    "presented presents vomited fell collapsed"
)
_AMOUNTS = word_set("total dose peak value count level levels rate score volume output target about plan")
_TOLD = re.compile(
    r",\s{1,2}(?!not\s|no\s|sorry|is\s|or\s|and\s|then\s|please|pls|thanks|i\s|which|what)[a-z]{2}(?:[^\n]{30})",
    re.IGNORECASE,
)
"""What is said of the first patient: "402, EF 30 percent, …"; "250, not 500" is an amount."""

_IS = re.compile(
    r"\s(?:is|was|isn['’]?t|is\snot)\s(?:(?:now|also|very|really|known|apparently|still)\s){0,2}"
    r"(?:allergic|intolerant|diabetic|pregnant|asthmatic|hypertensive|febrile|septic|complaining|vomiting|unwell|breathless"
    r"|confused|[a-z]{4,20}\sallergic)(?!\w)",
    re.IGNORECASE,
)
""" "402 is allergic to …": nothing but a person is that."""

_FLAGGING = word_set("flag mark list register label tag record document")
_AS = re.compile(r"\sas\s(?:being\s)?(?:allergic|intolerant|(?:[a-z]{4,20}\s)allergic)(?!\w)", re.IGNORECASE)
_OPENING = word_set("open pull bring load find show see")
_OWNING = word_set("ka ki ke ko 's ’s")

_DOSED = re.compile(
    r"\s(?:(?:the|his|her|some|iv|im|po|tabs?\.?|inj\.?|caps?\.?|syp\.?|stat|neb|supp)\s){0,2}[a-z-]{4,30}\s[0-9]{1,5}(?:\.[0-9]{1,3})?\s?"
    r"(?:mg|mcg|g|ml|units?|puffs?|meq|mmol)(?!\w)",
    re.IGNORECASE,
)
"""A drug with a dose of its own: then the number before it is none."""


class _Around(NamedTuple):
    """The words before the number, nearest last, and what follows it."""

    before: list[str]
    after: str
    alone: bool
    opens: bool


def bare_ids(text: str) -> Iterator[tuple[int, int]]:
    """Where numbers stand that can only be somebody's."""
    for match in _NUMBER.finditer(text):
        start, end = match.span("id")
        around = _around(text, start, match.end())
        if _is_moment(match["id"]) or around.after in _PLACES or _is_counted(around.after):
            continue
        owned = match["s"] is not None or around.after in _OWNING
        if match["s"] and around.after not in _CHARTED | _VALUED:
            continue
        if _leads(around, owned=owned) or _stands_for_someone(text, match.end(), around):
            yield start, end


def _around(text: str, start: int, end: int) -> _Around:
    begin = max(0, start - _LOOK_BACK)
    before = [word.lower().replace("’", "'") for word in _BEFORE.findall(text, begin, start)]
    match = _AFTER.match(text, end)
    word = (match["word"] or "").lower() if match else ""
    return _Around(before, word, alone=not text[end:].strip(" .!?"), opens=not before or before[-1] in {".", "?", "!"})


def _is_moment(digits: str) -> bool:
    """A year or a time of day, as people write them without marks."""
    return len(digits) == 4 and bool(_YEAR.fullmatch(digits) or _ROUND_CLOCK.fullmatch(digits))


def _is_counted(after: str) -> bool:
    if after in _QUANTITY:
        return True
    return after.endswith("s") and not after.endswith(("ss", "'s", "’s")) and after not in _NO_PLURAL


def _leads(around: _Around, *, owned: bool) -> bool:
    """Whether the words before the number lead to a person."""
    before = around.before
    one, two = ([""] * 2 + before)[-1], ([""] * 2 + before)[-2]
    said = {*before[-7:]}
    if around.opens:
        return owned or around.after in {"-", "–", "—", ":"} or _begins_with_someone(around)
    if owned:
        return one not in _VALUED | _PLACES
    if one == "for" or one == "of":
        charted = bool(said & _CHARTED) or (two in _VALUED and bool(said & _ASKING))
        return charted or (one == "for" and two not in _VALUED | {"up", "stay", "due", "booked"})
    if one == "to":
        return bool(said & _GIVING) and not said & _SHIFTING and not two.isdigit()
    if one == "in" or one == "under":
        return bool(
            said & (_CHARTED | {"save", "document", "log", "file", "enter", "add", "put"}) and two not in _VALUED
        )
    if one == "on":
        return two not in _TAKING | _PLACES and bool(said & (_CHARTED | _VALUED | _GIVING))
    if one == "with" or (two, one) == ("w", "/"):
        return bool(said & _ATTENDING) and around.after in {",", ":", ";", "-", "–", "—", "."}
    named = one in {"note", "notes", "allergy", "allergies", "labs", "bloods", "meds", "vitals", "obs", "results"}
    updated = one == "update" and two in {"allergy", "note", "chart"}
    return (named or updated) and (
        around.alone or around.after in {"pls", "please", ":", "-", "–", "—", ","} or updated
    )


def _begins_with_someone(around: _Around) -> bool:
    """ "402 needs …", "402 creatinine …": first in the message, before what only a person does or has."""
    return not around.before and around.after in _DOES | _CHARTED | _VALUED - _AMOUNTS and not around.alone


def _stands_for_someone(text: str, end: int, around: _Around) -> bool:
    """ "Start 402 on …", "is 402 allergic …", "give 402 ibuprofen 400 mg": the number does what a person does."""
    one = around.before[-1] if around.before else ""
    if around.opens and _IS.match(text, end):
        return True
    if not one:
        return _TOLD.match(text, end) is not None
    if one in _FLAGGING:
        return _AS.match(text, end) is not None
    if one in _STARTING:
        return around.after in {"on", "back"}
    if one in _OPENING:
        return len(around.before) == 1 and (around.alone or around.after in {",", ".", "?", "please", "pls", "and"})
    if one in _ASKED_OF:
        return around.after in _OF_SOMEBODY
    return one == "give" and _DOSED.match(text, end) is not None
