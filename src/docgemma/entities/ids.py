"""Patient ids in a text, as people write them. Each is a guess until the chart confirms it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from docgemma.entities.drugs.names import is_drug
from docgemma.entities.model import Mention
from docgemma.entities.words import replaced, word_set

_UUID = re.compile(r"(?<![\w-])[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?![\w-])", re.IGNORECASE)
_HEX = re.compile(r"(?<![\w-])(?!c[0-9]{7})(?=[0-9]{0,7}[a-f])(?=[a-f]{0,7}[0-9])[0-9a-f]{8}(?![\w-])", re.IGNORECASE)
_SHORT = re.compile(r"(?<![\w-])([a-z]{1,12})-[0-9]{2,10}(?=s\s|(?![\w-]))", re.IGNORECASE)
_NOT_AN_AMOUNT = (
    r"(?!\s{0,2}(?:-(?!\s{1,2}[^\W\d])|years?|yrs?|yo\b|y/o|days?|weeks?|wks?|months?|hours?|hrs?|mins?|mg|mcg|g\b|kg|lbs?|cm|mm|ml|mls|units?|kcal"
    r"|cal(?:orie)?s?|beats|bpm|mmhg|steps|%|/|°|:[0-9]|\.[0-9]|of\s|and\s(?:over|older)))"
)
_NUMBERED = re.compile(
    r"(?<!\w)(?:patients?|pts?)\.?\s{1,3}"
    r"(?P<id>[0-9]{3,12}|[a-z]{1,4}[0-9]{3,10}|[a-z]{1,12}-[0-9]{2,10})(?![\w-])" + _NOT_AN_AMOUNT,
    re.IGNORECASE,
)
"""Straight after "patient", two digits are an age."""

_NO = r"(?:(?:with\s)?ids?|no|nos|num|number|numbers|nr|identifier)(?!\w)\.?(?:\sis)?[\s:#=-]{0,3}"
_MARKED = re.compile(
    rf"(?<!\w)(?:(?:patients?|pts?)\.?\s{{0,3}}(?:{_NO}|#\s{{0,2}}|:\s{{0,2}}(?=[a-z0-9-]{{0,12}}[0-9]{{3}}))|(?<!pubmed\s)(?<!trial\s)(?<!article\s)(?<!order\s)(?<!card\s)"
    r"(?<!session\s)(?<!study\s)(?<!nct\s)(?<!token\s)(?<!device\s)(?<!user\s)(?<!staff\s)id(?:\sis)?[\s:#=]{1,3})"
    r"(?=[\w-]{0,40}[0-9])(?![0-9]{1,3}(?:yo|y|f|m|yrs?)(?!\w))(?P<id>[a-z0-9][a-z0-9-]{0,63})(?![\w-])"
    + _NOT_AN_AMOUNT,
    re.IGNORECASE,
)
_RECORD = re.compile(
    r"(?<!\w)(?:(?:mrn(?!a-?[0-9])|m\.r\.n\.|uhid|urn|crn|hn|pid|empi)(?:\s(?:no|number|num))?"
    r"|(?:medical\srecord|med\srec|mr|hosp(?:ital)?|unit|chart|record|file|case|reg(?:istration|n)?|ipd?|opd?|cr|nhs|chi|ur|account|acct)"
    r"\s(?:no|number|num|id|\#)(?!\w))\.?(?:\sis)?[\s:#=]{0,4}"
    r"(?=(?:[a-z-]{0,6}[0-9]){3})(?P<id>[a-z0-9][a-z0-9-]{2,30}(?:/[0-9]{2,10})?)(?![\w-])",
    re.IGNORECASE,
)
_SAID = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
_DIGITS = {word: str(value) for value, word in enumerate(_SAID)} | {"oh": "0", "o": "0", "nought": "0"}
_DIGIT = rf"(?:(?:double|triple)[\s-])?(?:{'|'.join(_DIGITS)})"
_DICTATED = re.compile(
    r"(?<!\w)(?:m\.?\s?r\.?\s?n\.?|(?:record|hospital|patient|chart|file|case|unit)\s(?:no|number|id))(?:\sis)?[\s:,]{1,3}"
    rf"(?P<id>{_DIGIT}(?:[\s,-]{{1,2}}{_DIGIT}){{3,11}})(?!\w)",
    re.IGNORECASE,
)
"""A number said digit by digit: "record number seven double one two zero three"."""

_NHS = re.compile(
    r"(?<!\w)(?:nhs|chi)(?:\s(?:no|number|num)\.?)?(?:\sis)?[\s:#=]{1,4}(?P<id>[0-9]{3}[\s-][0-9]{3}[\s-][0-9]{4})(?!\w)",
    re.IGNORECASE,
)
_ALSO = re.compile(
    r"\s{0,2}(?:,|and|&|,\sand|or|vs\.?)\s{1,2}(?P<id>[0-9]{3,12})(?![\w-])" + _NOT_AN_AMOUNT, re.IGNORECASE
)
"""The next of several numbers: "patients 402, 403 and 407"."""

_ID_CUE = re.compile(r"(?:^|\W)(?:patient|pt|chart|id|mrn|record)[\s:#]{1,3}$", re.IGNORECASE)
_WEAK_CUE = re.compile(r"(?:^|\W)(?:for|of|on|to|up|open|find|show|about|and)[\s:#]{1,3}$", re.IGNORECASE)
_STUDIED = re.compile(
    r"(?<!\w)(?:trials?|stud(?:y|ies)|data|evidence|results|papers?|articles?|literature|phase|approved|based|publication|arm)(?!\w)",
    re.IGNORECASE,
)
_TESTED = re.compile(r"(?<!\w)(?:trials?|stud(?:y|ies))\s(?:of|testing)\s$", re.IGNORECASE)
""" "Trials of ABT-199": a medicine that has no name yet."""

_COMMON_ID = re.compile(r"[a-z]{2,12}-[0-9]{3,10}", re.IGNORECASE)
_NOT_AN_ID = word_set(
    "cox mmr hpv hsv cmv ebv hiv htlv hcv hbv rsv sars covid cov ace arb ppi nct icd dsm btk egfr her apo gpt ct "
    "mri cd il pd tnf cyp ssa ssb pcv ppsv ph grade stage phase type day week age room bed bay ward rm top part "
    "step omega vitamin vit factor mir gpr akt jak kit bcl pde tgf hla ca gad asa tab cap inj mcg max min sub mid "
    "non ref fig tel fax ext lot iso usp htn ckd gtn iv po kg mg ml pmid doi isbn fy figure table line level score "
    "hb bp hr rr bs bg gcs wt bmi gravida para dose weight temp sat sats covid19 jan feb mar apr may jun jul aug "
    "sep sept oct nov dec january february march april june july august september october november december flight "
    "form code version dial phone mobile call pin zip keynote checkmate impower paradigm emperor sprint flaura "
    "monaleesa impact pacific javelin polo solo ariel himalaya credence topcat destiny empa dapa rely aristotle "
    "rocket hope leader sustain pioneer surmount surpass fourier odyssey select recovery solidarity accord advance "
    "ukpds neptune poseidon caspian"
)
"""Vaccines, receptors, trials, months, places and amounts that look like an id."""


class _Hit(NamedTuple):
    start: int
    end: int
    value: str


def find_patient_ids(text: str) -> tuple[Mention, ...]:
    """Ids in order, each place once. Hex forms are given in lower case, an NHS number without its spaces."""
    found: list[Mention] = []
    for hit in sorted(_hits(text), key=lambda hit: (hit.start, -hit.end)):
        if not found or found[-1].end <= hit.start:
            found.append(Mention(text[hit.start : hit.end], hit.start, hit.end, hit.value))
    return tuple(found)


def without_numbers(text: str, ids: Sequence[Mention]) -> str:
    """The text with ids that are numbers made unreadable, place for place: "give to 402 tab …" is no 402 tablets."""
    numbers = (found for found in ids if found.text.isdigit())
    return replaced(text, ((found.start, found.end, "x" * len(found.text)) for found in numbers))


def _hits(text: str) -> Iterator[_Hit]:
    for pattern in (_UUID, _HEX):
        for match in pattern.finditer(text):
            yield _Hit(*match.span(), match.group().lower())
    for match in _DICTATED.finditer(text):
        yield _Hit(*match.span("id"), _dictated(match["id"]))
    for match in _NHS.finditer(text):
        yield _Hit(*match.span("id"), re.sub(r"\D", "", match["id"]))
    for match in _SHORT.finditer(text):
        if _is_short_id(text, match):
            yield _Hit(*match.span(), match.group())
    for pattern in (_RECORD, _MARKED):
        for match in pattern.finditer(text):
            yield from _with_more(text, match)
    for match in _NUMBERED.finditer(text):
        if re.match(r"[a-z]{0,12}", match["id"].lower()).group() not in _NOT_AN_ID:  # type: ignore[union-attr]
            yield from _with_more(text, match)


def _dictated(words: str) -> str:
    times, found = 1, ""
    for word in re.findall(r"[a-z]{1,6}", words.lower()):
        if word in _DIGITS:
            found, times = found + times * _DIGITS[word], 1
        else:
            times = 2 if word == "double" else 3
    return found


def _with_more(text: str, match: re.Match[str]) -> Iterator[_Hit]:
    """The announced id and, when it is a number, those listed behind it."""
    more: re.Match[str] | None = match
    while more is not None:
        yield _Hit(*more.span("id"), more["id"])
        more = _ALSO.match(text, more.end("id")) if more["id"].isdigit() else None


def _is_short_id(text: str, match: re.Match[str]) -> bool:
    """`abc-123` is an id; `cox-200` is one only where an id is announced; so are forms of other lengths."""
    letters = match.group(1).lower()
    suspicious = letters in _NOT_AN_ID or is_drug(letters)
    plain = len(letters) == 3 and len(match.group()) == 7
    before = text[max(0, match.start() - 60) : match.start()]
    if _TESTED.search(before[-24:]):
        return False
    if plain and not suspicious:
        return True
    if _ID_CUE.search(before[-14:]):
        return plain or not suspicious
    charted = plain and re.search(r"(?<!\w)(?:chart|labs|meds|record)s?\s(?:of|for|on)\s$", before[-16:], re.IGNORECASE)
    if charted:
        return True
    weak = _WEAK_CUE.search(before[-12:]) is not None and not suspicious
    return weak and _COMMON_ID.fullmatch(match.group()) is not None and not _STUDIED.search(before)
