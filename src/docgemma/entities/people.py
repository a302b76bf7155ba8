"""Who a message is about: patient ids and person names. Both are guesses until the chart confirms them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.resources import files

from docgemma.entities.drugs import is_drug
from docgemma.entities.model import Mention
from docgemma.entities.words import Word, word_set

_UUID = re.compile(r"(?<![\w-])[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?![\w-])", re.IGNORECASE)
_HEX = re.compile(r"(?<![\w-])(?=[0-9]{0,7}[a-f])(?=[a-f]{0,7}[0-9])[0-9a-f]{8}(?![\w-])", re.IGNORECASE)
_SHORT = re.compile(r"(?<![\w-])([a-z]{2,12})-\d{2,10}(?![\w-])", re.IGNORECASE)
_CUED = re.compile(
    r"(?<!\w)(?:(?:patient|pt)\s{1,3}(?:(?:with\s)?id\s{0,2}|no\.?\s?|number\s)?|id\s{0,2})[:#]?\s{0,2}"
    r"(?=[\w-]{0,40}\d)(?!\d{1,4}(?:mg|mcg|kg|g|ml|yo|y|f|m|yrs?)(?!\w))(?!covid|sars|hiv|type|stage)"
    r"(?P<id>[a-z0-9][a-z0-9-]{1,63})(?![\w-])"
    r"(?!\s{0,2}(?:-|years?|yrs?|yo\b|y/o|days?|weeks?|months?|hours?|hrs?|mg|kg|lbs?|cm|%|/|\.\d|of\s|and\s(?:over|older)))",
    re.IGNORECASE,
)
_MRN = re.compile(
    r"(?<!\w)(?:mrn|m\.r\.n\.|medical\srecord\s(?:number|no\.?))[\s:#]{0,4}"
    r"(?=[\w-]{0,20}\d)(?P<id>[a-z0-9][a-z0-9-]{2,30})(?![\w-])",
    re.IGNORECASE,
)
_ID_CUE = re.compile(r"(?:^|\W)(?:patient|pt|for|chart|id|mrn|record|of|on|to)[\s:#]{1,3}$", re.IGNORECASE)
_COMMON_ID = re.compile(r"[a-z]{2,12}-\d{3,10}", re.IGNORECASE)
_NOT_AN_ID = word_set(
    "cox mmr hpv hsv cmv ebv hiv htlv sars covid cov ace arb ppi nct icd dsm btk egfr her apo gpt ct mri "
    "cd il pd tnf cyp ssa ssb pcv ppsv ph grade stage phase type day week age room bed top part step "
    "omega vitamin factor jan feb mar apr may jun jul aug sep oct nov dec"
)

_TITLES = word_set("mr mrs ms miss mx mister")
_CLINICIAN = word_set("dr doctor prof professor nurse dr's")
_STRONG = word_set("patient pt named called name")
_WEAK = word_set("for find search about on of give open see review does is has did start")
_PARTICLES = word_set("de da do dos del della di la le van von der den bin al el ibn st")
_CHART = word_set(
    "chart record records summary history meds medications medication labs allergies vitals problems "
    "notes results file diagnoses orders"
)
_NO_NAME = word_set(
    "the a an and or but not no my our his her their its this that these those with without in on at by "
    "to from of for is are was were be has have had do does did can could should would will may might if "
    "when what which who how why where all any new old last first next latest recent current patient "
    "patients chart record records summary history note notes report type disease syndrome failure cancer "
    "disorder injury infection heart renal kidney liver lung chest brain blood pressure chronic acute "
    "severe mild moderate clinical trial trials study studies evidence literature research safety warning "
    "warnings boxed black box drug drugs medication medications meds allergy allergies interaction "
    "interactions fda pubmed diabetes hypertension asthma stroke sepsis vitamin phase stage grade week "
    "day month year monday tuesday wednesday thursday friday saturday sunday january february march april "
    "june july august september october november december please thanks hello hi dear check find search "
    "look open show get tell give start prescribe order add save write document record verify review list "
    "pull see her him them she he they it id mrn dob born male female man woman scheduled seen today "
    "tomorrow yesterday room bed ward icu ed er who's whose named called also then now and/or information "
    "info data education safety portal care level file list lookup search name by as up over after before "
    "taking takes on needs wants presents presenting complains reports denies age aged x-ray xray ct mri"
)
_MEDICAL_ENDING = re.compile(
    r"(?:itis|osis|oma|omas|emia|aemia|pathy|algia|ectomy|plasty|scopy|uria|rrhea|plegia|cillin|mycin|statin|inib|mab"
    r"|prazole|sartan|olol|pril|azole|inhibitors?|therapy|blockers?|vaccine)$"
)
_TOPIC = word_set("trial trials study studies evidence literature research articles papers pubmed")
_MAX_NAME = 4


def find_patient_ids(text: str) -> tuple[Mention, ...]:
    """Ids as people write them. Hex forms are given in lower case, others as written."""
    found: dict[int, Mention] = {}

    def add(start: int, end: int, *, lower: bool = False) -> None:
        if not any(start < other.end and other.start < end for other in (found.get(start), last()) if other):
            written = text[start:end]
            found[start] = Mention(written, start, end, written.lower() if lower else written)

    def last() -> Mention | None:
        return next(reversed(found.values()), None)

    for match, group, lower in sorted(_id_matches(text), key=lambda hit: hit[0].start(hit[1])):
        add(match.start(group), match.end(group), lower=lower)
    return tuple(found.values())


def _id_matches(text: str) -> Iterator[tuple[re.Match[str], str | int, bool]]:
    for match in _UUID.finditer(text):
        yield match, 0, True
    for match in _HEX.finditer(text):
        yield match, 0, True
    for match in _SHORT.finditer(text):
        if _is_short_id(text, match):
            yield match, 0, False
    for match in _CUED.finditer(text):
        yield match, "id", False
    for match in _MRN.finditer(text):
        yield match, "id", False


def _is_short_id(text: str, match: re.Match[str]) -> bool:
    """`abc-123` is an id; `cox-200` is one only where an id is announced; so are forms of other lengths."""
    suspicious = match.group(1).lower() in _NOT_AN_ID or is_drug(match.group(1))
    plain = len(match.group(1)) == 3 and len(match.group()) == 7
    if plain and not suspicious:
        return True
    cued = _ID_CUE.search(text[max(0, match.start() - 12) : match.start()]) is not None
    return cued and (plain or (not suspicious and _COMMON_ID.fullmatch(match.group()) is not None))


@cache
def _given_names() -> frozenset[str]:
    lines = files("docgemma.entities").joinpath("data/given_names.txt").read_text(encoding="utf-8").splitlines()
    return frozenset(name for line in lines if not line.startswith("#") for name in line.split())


def find_person_names(text: str, tokens: Sequence[Word]) -> tuple[Mention, ...]:
    """Names of people, not of clinicians with their title, drugs, diseases or headings."""
    found: list[Mention] = []
    index = 0
    while index < len(tokens):
        size = _name_at(tokens, index)
        if size:
            start, end = tokens[index].start, tokens[index + size - 1].end
            written = re.sub(r"['’]s$", "", text[start:end])
            found.append(Mention(written, start, start + len(written), _spoken(written)))
        index += max(size, 1)
    return tuple(found)


def _spoken(name: str) -> str:
    """ "Smith, John" as "John Smith", in capitals as names are written."""
    last, comma, first = name.partition(",")
    name = f"{first.strip()} {last.strip()}" if comma else " ".join(name.split())
    return name if any(letter.isupper() for letter in name) and not name.isupper() else name.title()


def _name_at(tokens: Sequence[Word], index: int) -> int:
    """How many words from here are a name; 0 for none."""
    before = [word.low for word in tokens[max(0, index - 3) : index]]
    previous = before[-1] if before else ""
    if previous == "." and len(before) > 1:
        previous = before[-2]
    if previous in _CLINICIAN or tokens[index].low in _CLINICIAN:
        return 0
    if previous in {":", "#"} and len(before) > 1 and before[-2] in _STRONG:
        previous = before[-2]
    if not tokens[index].capital:
        return _lower_case_name(tokens, index) if previous in _STRONG and _announced(tokens, index) else 0
    size = _run(tokens, index)
    if size and previous in _TITLES:
        return size
    if size and previous in _STRONG:
        return _with_comma(tokens, index, size)
    several = size >= 2
    if several and (_first(tokens[index]) in _given_names() or _initial(tokens[index])):
        return size
    if several and tokens[index + size - 1].low.endswith("'s") and _next_low(tokens, index + size) in _CHART:
        return size
    if previous in _WEAK and not _about_topic(tokens, index):
        return size if several else _with_comma(tokens, index, size, need=True)
    return 0


def _first(word: Word) -> str:
    return word.low.split("-")[0]


def _initial(word: Word) -> bool:
    return len(word.text) == 1


def _next_low(tokens: Sequence[Word], index: int) -> str:
    return tokens[index].low if index < len(tokens) else ""


def _about_topic(tokens: Sequence[Word], index: int) -> bool:
    return any(word.low in _TOPIC for word in tokens[max(0, index - 6) : index])


def _run(tokens: Sequence[Word], index: int) -> int:
    """The longest run of capitalised words that may be a name; particles and initials inside it count."""
    end, last_capital = index, index
    while end < len(tokens) and end - index < 2 * _MAX_NAME:
        word = tokens[end]
        if _name_word(word):
            last_capital = end + 1
            if word.low.endswith("'s"):
                break
        elif not (end > index and (word.low in _PARTICLES or (word.text == "." and _initial(tokens[end - 1])))):
            break
        end += 1
    size = last_capital - index
    names = [word for word in tokens[index:last_capital] if _name_word(word)]
    return size if names and len(names) <= _MAX_NAME and len(names[-1].text) > 1 else 0


def _name_word(word: Word) -> bool:
    stem = word.low.removesuffix("'s")
    if not word.capital or any(letter.isdigit() or letter == "_" for letter in stem) or stem in _NO_NAME:
        return False
    if word.text.isupper() and len(word.text) > 1 and stem not in _given_names() and len(word.text) < 5:
        return False
    return not (_MEDICAL_ENDING.search(stem[-14:]) or is_drug(stem))


def _with_comma(tokens: Sequence[Word], index: int, size: int, *, need: bool = False) -> int:
    """ "Smith, John" when one capitalised word, a comma and another follow each other."""
    after = index + size
    if size == 1 and after + 1 < len(tokens) and tokens[after].text == "," and _name_word(tokens[after + 1]):
        return size + 2
    return 0 if need else size


_ANNOUNCERS = word_set("find search look up lookup pull open for a named called see get of about")


def _announced(tokens: Sequence[Word], index: int) -> bool:
    """Lower-case names are believed only after "find patient", "a patient named" and the like."""
    before = [word.low for word in tokens[max(0, index - 3) : index]]
    return before[-1] in {"named", "called"} or (len(before) > 1 and before[-2] in _ANNOUNCERS)


def _lower_case_name(tokens: Sequence[Word], index: int) -> int:
    size = 0
    while index + size < len(tokens) and size < 3:
        word = tokens[index + size]
        stem = word.low.removesuffix("'s")
        if stem in _NO_NAME or not stem.replace("-", "").replace("'", "").isalpha() or len(stem) < 2 or is_drug(stem):
            break
        size += 1
        if word.low.endswith("'s"):
            break
    return size if size >= 2 or (size == 1 and tokens[index].low in _given_names()) else 0
