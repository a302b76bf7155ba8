"""What stands around a name: titles, "patient", look-ups before it; a chart word or a birth date behind it.

A name is believed the more, the more the words around it speak of a person; "per", "by" and "Dr" speak of a colleague.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import IntEnum

from docgemma.entities.labs import lab_at
from docgemma.entities.words import Word, word_set


class Cue(IntEnum):
    """How strongly the words before a name announce a patient."""

    AGAINST = -1
    NONE = 0
    WEAK = 1
    LOOKUP = 2
    STRONG = 3
    TITLE = 4


_PLAIN_TITLES = word_set("mr mrs mister smt shri shrimati mdm mst")
_DOUBTFUL_TITLES = word_set("miss ms mx master sri km kumari madam mme sra baby")
"""Everyday or clinical words too: they need a capital or a listed name behind them."""

_CLINICIAN = word_set(
    "dr dr's drs doctor doc prof professor nurse consultant registrar surgeon pharmacist midwife physio dietitian "
    "therapist intern resident colleague attending np pa rn"
)
_RELATIVE = word_set(
    "sister brother mother father wife husband son daughter mum mom mam dad aunt uncle friend partner carer spouse "
    "niece nephew neighbour neighbor grandson granddaughter"
)
_SPOKEN_TO = word_set(
    "by per cc ask asked tell told page paged hi hello hey dear thanks thank regards im i'm bleep bleeped st saint "
    "cheers morning"
)
_SPEAKING = word_set(
    "spoke spoken speak talk talked talking refer referred hand handed handover report reported escalate escalated "
    "discussed discuss consult consulted reply replied"
)
_STRONG = word_set("patient pt named")
_LOOKUP = word_set(
    "find lookup search open locate retrieve fetch show get review see check pull load display summarize summarise "
    "access compare re regarding whos who's patients pts"
)
_UP = word_set("look pull bring call looking pulling bringing search catch")
_OF = word_set("for of on from about to in")
_WEAK = word_set(
    "for of on about to give start put is has does did was were are if can could should will would how's hows "
    "what's whats when's when with let switch move restart swap"
)
CHART = word_set(
    "chart charts record records summary history hx meds med medications medication medicines tablets labs lab "
    "bloods allergies allergy vitals obs problems notes note results result file diagnoses orders bloodwork imaging "
    "scan scans xray x-ray ct mri echo ecg ekg prescriptions prescription profile details background investigations "
    "immunizations immunisations vaccines list dob mrn appointment visits encounters admission discharge bp weight"
)
_OWNED = word_set("chart charts record records summary meds medications labs bloods file vitals obs profile letter")
"""Before two words in capitals these ask for what is theirs; "allergies" or "history" would head a list."""

_ADJECTIVES = word_set(
    "last latest recent current home active new old most full am morning todays today's repeat inpatient discharge "
    "problem med medication complete admission past medical test blood lab drug clinic surgical progress patient "
    "chest"
)
_ALLERGY = word_set("allergy allergies allergic")
_HAVING = word_set("and or has had is with no the her his a an any s not their")
_CALLED = word_set(
    "anyone anybody patient pt pts man woman lady someone person guy girl boy kid one child patients baby chap bloke "
    "fella fellow gentleman gent lad lass client resident female male teenager toddler infant student"
)
_NAMED = word_set("last family second first given full maiden married")
_OFF_DUTY = word_set(
    "swap swapped swapping shift shifts weekend weekends lunch dinner breakfast coffee drinks beer working worked work "
    "rota round rounds oncall on-call nights teaching meeting holiday gym pub kids dog"
)
"""With these, the one named is a colleague or a friend."""
_BIRTH = re.compile(
    r"[\s,(;-]{0,3}(?:(?:m|f|male|female)[\s,]{1,2})?(?:d\.?o\.?b(?!\w)|born(?!\w)|mrn(?!\w)|[swdc]/o(?!\w)|uhid(?!\w)|b\.\s?\d|\d{1,2}[/.-]\d{1,2}[/.-]\d{2,4}"
    r"|(?:19|20)\d\d-\d\d)",
    re.IGNORECASE,
)
_CHILD = word_set("kid boy girl baby lady gentleman guy man woman twin twins child infant")
_CREDENTIALS = word_set("md rn np do phd pharmd mbbs frcp crna dnp lpn mrcp facp pa-c mbchb frcs")
_TERM = word_set(
    "disease syndrome palsy lymphoma cyst disorder sarcoma tumor tumour dystrophy ataxia chorea thyroiditis "
    "phenomenon anomaly malformation contracture fracture ulcer gangrene esophagus oesophagus encephalopathy "
    "encephalitis neuralgia angina purpura vasculitis nephritis dementia virus wort law murmur stage stages node "
    "nodes nodule reflex maneuver manoeuvre staging classification hernia diverticulum aneurysm esophagitis "
    "arthritis"
)
_THING = word_set(
    "score scores scale sign signs test tests criteria index rule catheter tube drain line tap stain solution "
    "reaction method formula equation protocol trial trials study studies guideline guidelines hospital clinic "
    "university street road avenue et ward unit centre center college school medical institute foundation pharmacy "
    "position procedure repair operation incision forceps speculum pump monitor mask bag boot boots collar brace "
    "splint stocking cracker crackers technique therapy model curve infirmary house lane insertion family families "
    "diet"
)


def cue_before(tokens: Sequence[Word], index: int) -> Cue:
    """What the words before this place say of a name here."""
    before = [word.low for word in tokens[max(0, index - 7) : index]]
    if (
        before[-1:] == ["."]
        and len(before) > 1
        and before[-2] in _PLAIN_TITLES | _DOUBTFUL_TITLES | _CLINICIAN | {"pt", "st"}
    ):
        before.pop()
    one, two, three = ([""] * 3 + before)[-1], ([""] * 3 + before)[-2], ([""] * 3 + before)[-3]
    if _is_title(tokens, index, one):
        return Cue.TITLE
    if announces_surname(tokens, index):
        return Cue.STRONG
    if _of_colleague(one, two, three) or (one == "with" and not _OFF_DUTY.isdisjoint(before)):
        return Cue.AGAINST
    if _of_patient(one, two):
        return Cue.STRONG
    if one in _LOOKUP or (one == "up" and two in _UP) or (one == "me" and two in _LOOKUP | {"give"}):
        return Cue.LOOKUP
    charted = any(word in CHART or word in ("search", "look", "looking") for word in before[:-1])
    headed = one in {":", "-", "–"} and two in CHART | {"re", "name"}
    if (one in _OF and charted) or headed or (one == "is" and two == "who") or (one == "at" and two in _UP):
        return Cue.LOOKUP
    if one in _OWNED and _in_capitals_to_the_end(tokens, index):
        return Cue.LOOKUP
    return Cue.WEAK if one in _WEAK else Cue.NONE


def _in_capitals_to_the_end(tokens: Sequence[Word], index: int) -> bool:
    """ "meds Marlin Kuphal": behind a word for the chart nothing but two or three words in capitals."""
    rest = [word for word in tokens[index:] if word.text not in {"?", ".", "!"}]
    return 2 <= len(rest) <= 3 and all(word.capital and not word.text.isupper() for word in rest)


def _is_title(tokens: Sequence[Word], index: int, title: str) -> bool:
    """ "MR angiography", "ms" and "miss a dose" are no titles: the doubtful ones need capitals."""
    if title not in _PLAIN_TITLES and title not in _DOUBTFUL_TITLES:
        return False
    place = index - 1 if tokens[index - 1].low == title else index - 2
    written = tokens[place].text
    if written.isupper():
        return tokens[index].text.isupper() and len(tokens[index].text) > 2
    return title in _PLAIN_TITLES or (written[0].isupper() and tokens[index].capital)


def doubtful_title(tokens: Sequence[Word], index: int) -> bool:
    """Whether "ms", "miss", "master" stands before: with a listed name behind it, it is a title after all."""
    place = index - 2 if index > 1 and tokens[index - 1].text == "." else index - 1
    return place >= 0 and tokens[place].low in _DOUBTFUL_TITLES and not tokens[place].text.isupper()


def _of_colleague(one: str, two: str, three: str) -> bool:
    if one in _CLINICIAN or one in _RELATIVE or one in _SPOKEN_TO:
        return True
    if (one in {"to", "with"} and two in _SPEAKING) or (one == "am" and two == "i"):
        return True
    if one == "is" and (two == "this" or (two == "name" and three == "my")):
        return True
    return one == "o" and two == "/" and three in {"s", "d", "w", "c", "h"}


def _of_patient(one: str, two: str) -> bool:
    if one in _STRONG or (one in {":", "#", "-", "is"} and two in _STRONG):
        return True
    return (one == "called" and two in _CALLED) or (one == "name" and two in _STRONG)


def announces_surname(tokens: Sequence[Word], index: int) -> bool:
    """ "Surname Al-Rashid", "last name is lefevre", "goes by …": the next words are a name, listed or not."""
    before = [word.low for word in tokens[max(0, index - 4) : index]]
    while before and before[-1] in {":", "is", "of", "-"}:
        before.pop()
    one, two = ([""] * 2 + before)[-1], ([""] * 2 + before)[-2]
    return one == "surname" or (one == "name" and two in _NAMED) or (one == "by" and two in {"goes", "going"})


def is_announced(tokens: Sequence[Word], index: int) -> bool:
    """ "Find patient …", "a patient named …": there a name must follow, also one in lower case that no list knows."""
    before = [word.low for word in tokens[max(0, index - 3) : index]]
    return before[-1:] in (["named"], ["called"]) or any(word in _LOOKUP or word == "up" for word in before[:-1])


def names_follow(tokens: Sequence[Word], index: int) -> bool:
    """After "for" and "to" a given name may bring a family name that no list knows."""
    return index > 0 and tokens[index - 1].low in {"for", "to", "of", "about"}


def chart_after(tokens: Sequence[Word], index: int) -> bool:
    """Whether a chart word or a test follows: "… last labs", "… K", "… latex allergy"."""
    if index + 1 < len(tokens) and tokens[index].low.isalpha() and tokens[index + 1].low in _ALLERGY:
        return tokens[index].low not in _WEAK | _OF | _HAVING
    for place in range(index, min(index + 3, len(tokens))):
        if tokens[place].low in CHART or lab_at(tokens, place)[0]:
            return True
        if tokens[place].low not in _ADJECTIVES:
            return False
    return False


def is_owned(tokens: Sequence[Word], index: int) -> bool:
    """Whether this word is what the chart has of somebody: "bloods", or the "latex" of an allergy."""
    following = tokens[index + 1].low if index + 1 < len(tokens) else ""
    return tokens[index].low in CHART or following in _ALLERGY


def birth_after(text: str, end: int) -> bool:
    """Whether a birth date or a record number follows."""
    return _BIRTH.match(text, end) is not None


def child_of(tokens: Sequence[Word], start: int, end: int) -> bool:
    """ "the Patel kid"."""
    return start > 0 and end < len(tokens) and tokens[start - 1].low in {"the", "that"} and tokens[end].low in _CHILD


def is_term(tokens: Sequence[Word], end: int) -> bool:
    """Whether what follows makes it a disease or a sign, whoever gave it the name."""
    return end < len(tokens) and tokens[end].low in _TERM


def is_thing(tokens: Sequence[Word], end: int) -> bool:
    """Whether what follows may make it a score, a device, a place or a paper."""
    return end < len(tokens) and tokens[end].low in _THING


def is_credentialed(tokens: Sequence[Word], end: int) -> bool:
    """ "Jane Smith, RN" signs as a colleague."""
    place = end + 1 if end < len(tokens) and tokens[end].text == "," else end
    return place < len(tokens) and tokens[place].low in _CREDENTIALS and tokens[place].text[:1].isupper()
