"""Requests that no tool fulfils: stopping, changing or removing an entry, ordering a test, calling someone.

They are recognised so that the answer can say plainly that nothing was done. Without that, "stop metformin for
abc-123" would be answered with the chart and read as if it had been done.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from docgemma.entities.grammar.verbs import ARRANGING, CHANGING, EDITING, ENDING, REACHING, REMOVING, SHIFTING, TESTING
from docgemma.entities.words import word_set

_BEGINNING = word_set("start initiate administer restart commence begin")
_ENTRIES = word_set(
    "order orders prescription prescriptions script scripts rx allergy allergies intolerance note notes entry entries "
    "appointment appointments referral referrals med meds medication medications medicine card it that this them all"
)
_CHART_ENTRIES = _ENTRIES - {"it", "that", "this", "them", "all"} | {"chart", "record", "dose", "dosage"}
_PERSON = word_set("her him his them their patient patient's pt")
_PHARMACIES = word_set("pharmacy pharmacies pharmacist drugstore chemist boots walgreens cvs")
_NEW = frozenset({"prescription", "script", "rx", "order"})
_NOT_AN_ORDER = word_set("of set sets by in entry to as")
_NOUN_PHRASE = word_set(
    "in of on parameters schedule schedules criteria time times rules guidance guidelines protocol factor check "
    "checking blind me recommendations"
)
"""Right after the word these make it a noun or another verb: "change in creatinine", "double check"."""

_DISCHARGE_PAPERS = word_set(
    "summary summaries letter letters note notes meds med medications medication medicines prescription diagnosis "
    "diagnoses date dates plan paperwork documents documentation report records instructions weight bloods bp obs "
    "creatinine hb destination"
)
""" "Discharge summary James Wilson": the paper, not what is to be done."""

_ASIDE = word_set("thought subject topic topics horses mind day chase")
""" "Hold that thought", "change the subject"."""

_PARTICLES = frozenset(
    {("hold", "off"), ("hold", "back"), ("hold", "up"), ("stop", "by"), ("drop", "by"), ("drop", "in")}
)

_UP_OR_DOWN = frozenset({("up", "to"), ("down", "to"), ("up", "by"), ("down", "by")})
_NOT_REACHED = word_set("it this that for of down back out number through")
_TALK = word_set("me us")
_ALSO_NOUNS = word_set("text message alert contact ring beep")
_SOMEBODY = word_set("the her his their my our a an dr mr mrs ms gp on-call")
_EXAMINATIONS = word_set(
    "ecg ekg echo echocardiogram ct mri cta pet xray x-ray cxr axr kub ultrasound uss scan angiogram doppler bloods "
    "fbc cbc bmp cmp ues lft lfts crp esr tft tfts hba1c troponin d-dimer ddimer clotting coag abg vbg cultures "
    "culture swab swabs msu urinalysis urine biopsy colonoscopy endoscopy ogd gastroscopy spirometry dexa lipids "
    "ferritin lactate bnp holter eeg emg x-rays ecgs tests panel crossmatch serology stool sputum"
)
_REQUESTS = word_set("referral appointment appt follow-up followup reminder consult booking transfer")
_MADE = word_set("put make do send place submit raise write set create issue")
_SERVICES = word_set(
    "physio physiotherapy dialysis cpap bipap oxygen o2 chemo radiotherapy transfusion feeds ng catheter counselling "
    "rehab isolation fluids drip"
)


@dataclass(frozen=True, slots=True)
class Told:
    """An imperative: its verb, the words after it, and what was found among them."""

    verb: str
    rest: Sequence[str]
    medicine: bool
    amount: bool
    substance: bool
    someone: bool

    def about_patient(self) -> bool:
        return self.medicine or self.substance or self.someone or bool(_PERSON & {*self.rest})


def names_entry(rest: Sequence[str]) -> bool:
    """ "the prescription", "that order": one that stands in the chart, whoever's it is."""
    return any(one in {"the", "that", "this", "my", "last"} and other in _ENTRIES for one, other in pairwise(rest))


def new_prescription(rest: Sequence[str]) -> bool:
    """Only when the user says so is a change a new order."""
    return any(word == "new" and rest[index + 1] in _NEW for index, word in enumerate(rest[:-1]))


def certainly(told: Told) -> str | None:
    """The verb of a request that is never a chart entry of ours, whatever else it names."""
    verb, rest = _plain(told)
    if rest[:1] and (rest[0] in _NOUN_PHRASE or (verb, rest[0]) in _PARTICLES or _ASIDE & {*rest[:3]}):
        return None
    entries = bool(_ENTRIES & {*rest})
    if verb in ENDING:
        return verb if told.about_patient() or entries else None
    if verb in REMOVING:
        alone = verb == "undo" and not rest
        return verb if alone or (rest and (told.about_patient() or entries)) else None
    if verb in CHANGING and not new_prescription(rest):
        return verb if told.medicine and (verb != "update" or told.amount) else None
    if verb in SHIFTING:
        return verb if told.medicine or {"dose", "dosage"} & {*rest} else None
    if verb in EDITING:
        return verb if _CHART_ENTRIES & {*rest} or (verb == "merge" and told.someone) else None
    if verb == "send" or verb == "fax":
        return verb if _PHARMACIES & {*rest} else None
    return None


def otherwise(told: Told) -> str | None:
    """The verb of a request that turned out to be no chart entry and that no look-up answers either."""
    verb, rest = _plain(told)
    if not rest or (verb == "discharge" and rest[0] in _DISCHARGE_PAPERS):
        return None
    tests: tuple[Callable[[Told, str, Sequence[str]], bool], ...] = (_reaches, _arranges, _examines, _begins_service)
    if any(test(told, verb, rest) for test in tests):
        return verb
    return verb if verb in CHANGING and {"dose", "dosage"} & {*rest[1:3]} and rest[0] in {"the", "this"} else None


def _reaches(told: Told, verb: str, rest: Sequence[str]) -> bool:
    """Speaks to somebody who is not here. "Page 5" and "text book" are nouns."""
    if verb == "send":
        return not _TALK & {rest[0]} and (told.about_patient() or "to" in rest)
    if verb in {"tell", "ask", "get"} and not _TALK & {rest[0]}:  # "ask cardiology to review her"
        return (rest[0] in _SOMEBODY or told.about_patient()) and "to" in rest[1:4]
    if verb == "forward":
        return "to" in rest and not _TALK & {rest[0]}
    if verb == "let":
        return "know" in rest[1:6] and not _TALK & {rest[0]}
    if verb not in REACHING or rest[0] in _NOT_REACHED or rest[0][0].isdigit():
        return False
    return verb not in _ALSO_NOUNS or rest[0] in _SOMEBODY or told.someone or bool(_PERSON & {*rest})


def _arranges(told: Told, verb: str, rest: Sequence[str]) -> bool:
    person = told.someone or bool(_PERSON & {*rest})
    if verb == "remind":
        return list(rest[:2]) == ["me", "to"] or list(rest[:2]) == ["us", "to"]
    if verb in _MADE and (_REQUESTS & {*rest[:5]} or (verb == "put" and ("the", "list") in pairwise(rest))):
        return True
    if verb not in ARRANGING:
        return False
    if (verb == "refer" and rest[0] in {"to", "back"}) or {"by", "order"} & {*rest}:
        return False
    return person or rest[0] in {"a", "an", "urgent"} or rest[0] in _EXAMINATIONS | _REQUESTS


def _examines(told: Told, verb: str, rest: Sequence[str]) -> bool:
    """ "Order a CT", "send bloods", "get an ECG on abc-123"; "get her labs" reads them."""
    if verb == "order":
        return rest[0] not in _NOT_AN_ORDER and rest[0] not in _PERSON and rest[0].isalnum()
    if verb not in TESTING or not _EXAMINATIONS & {*rest[:6]} or {"result", "results", "me"} & {*rest}:
        return False
    if verb in {"get", "take", "run"}:
        return rest[0] in {"a", "an", "some", "blood", "bloods", "cultures", "swabs"}
    return True


def _begins_service(told: Told, verb: str, rest: Sequence[str]) -> bool:
    person = told.someone or bool(_PERSON & {*rest})
    return verb in _BEGINNING and (person or bool(_SERVICES & {*rest[:3]}))


def _plain(told: Told) -> tuple[str, list[str]]:
    """Verb and rest with "d/c", "take … off", "put … on hold" and "come off" said in one word."""
    verb, rest = told.verb, [*told.rest]
    if verb == "d" and rest[:2] == ["/", "c"]:
        return "discontinue", rest[2:]
    if verb in {"take", "get"} and "off" in rest[:4] and (told.medicine or told.substance or "it" in rest[:1]):
        return "stop", rest
    if verb in {"put", "take"} and told.medicine and _UP_OR_DOWN & {*pairwise(rest)}:
        return "change", rest
    if verb == "get" and rest[:2] == ["rid", "of"]:
        return "remove", rest[2:]
    if verb == "put" and ("on", "hold") in pairwise(rest):
        return "hold", rest
    return "discontinue" if verb == "dc" else verb, rest
