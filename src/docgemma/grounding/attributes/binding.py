"""Which entity a comparison belongs to. Only what plainly stands beside an entity is bound to it; the rest is left."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

from docgemma.entities.words import word_set
from docgemma.grounding.attributes.coordination import Span, chain, renamed
from docgemma.grounding.attributes.terms import Term
from docgemma.grounding.attributes.units import COUNTED
from docgemma.terminology.contract import EntityType

_BETWEEN = word_set(
    "is are was were be been being must should shall may can will have has had having of a an the to at as in level "
    "levels value values count counts score scores scoring status result results concentration concentrations range "
    "ranging ranges between from serum plasma blood total baseline screening fasting ps ecog performance scale grade "
    "class current currently documented confirmed measured calculated estimated corrected with that which who aged age "
    "ages ratio index rate titer titre expression greater dose doses daily group either both and/or known clearance up "
    "by function limit percent percentage points point inclusive : - ( ) [ ] = , |"
)
_PARENTHESES = re.compile(r"\([^()]{0,80}\)|\[[^\[\]]{0,80}\]")
_CIRCUMSTANCE = re.compile(
    r"\s(?:at|by|on|during|using|via|without|after|measured|calculated|assessed|determined|estimated|according|within|in|"
    r"per|based|obtained|as|for|while|when)\s(?P<rest>[^,;:]{0,70})$"
)
_LISTED = re.compile(r"(?<![a-z])(?:and|or|but)(?![a-z])")
_TOKEN = re.compile(r"and/or|[a-z0-9µ%'-]+|\S")
_AFTER = re.compile(
    r"\s{0,2}(?:(?:of|in|for|on|or|a|an|the|prior|previous|daily|oral|per\s{1,2}day|a\s{1,2}day|different|known|documented|"
    r"separate|recent|active|severe|serious|more)\s{1,2}){0,4}(?:[a-z][a-z-]{0,20}\s{1,2}){0,2}"
)
_NO_OBJECT = re.compile(r"\s{0,2}(?:of\s{1,2}(?:the|these|those)|following|criteria)(?![a-z])")
_AGED = re.compile(r"(?<![a-z])(?:age|aged|ages|old|older|younger|birthday)(?![a-z])")
_LASTING = re.compile(
    r"(?<![a-z])(?:age|aged|ages|expectancy|survival|duration|interval|gestation|gestational|qtc?f?|time)(?![a-z])"
)
_LEVEL = re.compile(r"(?<![a-z])(?:levels?|concentrations?|trough)(?![a-z])")
_GOES_ON = re.compile(
    r"(?:\s{0,2}\([^()]{0,60}\)|\s{1,2}(?:in|for)\s{1,2}(?:[a-z-]{1,20}\s{1,2}){1,2})?"
    r"\s{0,2}[,(\[]?\s{0,2}(?:(?:or|and|but|and/or)\s{0,2})?[(\[]?\s{0,2}"
)
_DAILY = re.compile(r"\s{0,2}(?:(?:once\s{1,2})?daily|(?:per|a|each|every|/)\s{0,2}day)(?![a-z])")
_VOLUME = ("/dL", "/L", "/mL", "/µL", "/mm3", "/nL")
_DOSED = frozenset({"mg", "g", "mcg", "ng", "U", "IU", "mEq", "mU"})
_MEASURED: frozenset[EntityType] = frozenset({"Lab_Value", "Biomarker"})
_NEAREST = 4


def kind(term: Term) -> str:
    """What sort of comparison it is: age, time, dose, count, lab, or none for one without a unit."""
    if term.age:
        return "age"
    if term.is_time:
        return "time"
    if not term.unit:
        return "none"
    base = term.unit.split("/", 1)[0]
    if base in COUNTED or not base:
        return "lab" if term.unit in _VOLUME else "count"
    return "dose" if base in _DOSED and not term.unit.endswith(_VOLUME) else "lab"


def bind(text: str, spans: Sequence[Span], terms: Sequence[Term]) -> tuple[dict[int, list[Term]], set[Term]]:
    """Per entity its comparisons, and which terms were used. `spans` are in order of their start."""
    bound: dict[int, list[Term]] = defaultdict(list)
    used: set[Term] = set()
    before: tuple[Term, list[int]] | None = None
    for term in terms:
        owners = _owners(text, spans, terms, term)
        if not owners and before and not term.ordinal and term.comparator:
            joint = text[before[0].end : term.start]
            alike = kind(term) == kind(before[0]) or _LISTED.search(joint)
            owners = before[1] if alike and _GOES_ON.fullmatch(joint) else []
        for owner in owners:
            bound[owner].append(_a_day(text, spans[owner], term))
        if owners:
            used.add(term)
            before = (term, owners)
        elif kind(term) != "time":
            before = None
    return bound, used


def _owners(text: str, spans: Sequence[Span], terms: Sequence[Term], term: Term) -> list[int]:
    if inside := _around(text, spans, term):
        return inside if inside != [-1] else []
    if term.ordinal and not any(term.start - 2 <= end <= term.start for _, end, _ in spans):
        return []
    if (held := _in_bracket(text, spans, term)) is not None:
        return [held]
    if not term.opens and (left := _left(text, spans, terms, term)) is not None:
        if kind(term) == "none" and left and text[spans[left - 1][1] : spans[left][0]].strip() == "/":
            return []  # a ratio of two, and neither of them
        more = chain(text, spans, left, step=-1) if kind(term) in ("lab", "none") else []
        renames = [left - 1] if left and renamed(text, spans[left - 1], spans[left]) else []
        return [left, *(at for at in [*more, *renames] if _same(spans[at][2], spans[left][2]))]
    right = _right(text, spans, term)
    return [] if right is None else [right]


def _in_bracket(text: str, spans: Sequence[Span], term: Term) -> int | None:
    """ "steroids (> 10 mg of prednisone)": the drug in the bracket, where nothing stands before the dose."""
    opened = text.rfind("(", 0, term.start)
    closed = text.find(")", term.end)
    if opened < 0 or closed < 0 or ")" in text[opened : term.start]:
        return None
    if any(opened < end and start < term.start for start, end, _ in spans):
        return None
    right = None if term.opens else _right(text, spans, term)
    return right if right is not None and spans[right][1] <= closed else None


def _a_day(text: str, span: Span, term: Term) -> Term:
    """ "10 mg of prednisone daily" is a dose a day, though the drug stands between."""
    plain = kind(term) == "dose" and "/" not in term.unit and term.end <= span[0]
    return replace(term, unit=f"{term.unit}/day") if plain and _DAILY.match(text, span[1]) else term


def _around(text: str, spans: Sequence[Span], term: Term) -> list[int]:
    """Entities that the term touches. [-1]: the number is part of a name, and compares nothing."""
    for at, (start, end, _) in enumerate(spans):
        if start <= term.number and term.bare_end <= end:
            compares = term.comparator is not None or term.age
            return [at] if compares and not term.ordinal else [-1]
        if start < term.end and term.start < end:
            return [at] if _may(text, spans[at], term) or term.start <= start else [-1]
    return []


def _left(text: str, spans: Sequence[Span], terms: Sequence[Term], term: Term) -> int | None:
    before = [at for at, (_, end, _) in enumerate(spans) if end <= term.start]
    before.sort(key=lambda at: spans[at][1], reverse=True)
    nearest: int | None = None
    for at in before[:_NEAREST]:
        end, type_ = spans[at][1], spans[at][2]
        if any(end <= one.start and one.end <= term.start and not one.is_time and not one.ordinal for one in terms):
            break
        loose = type_ in _MEASURED or (type_ == "Demographic" and kind(term) == "age")
        if not _may(text, spans[at], term) or not _reaches(text[end : term.start], loose=loose):
            continue
        if type_ in _MEASURED or kind(term) not in ("lab", "none"):
            return at if nearest is None or type_ in _MEASURED else nearest
        nearest = at if nearest is None else nearest
    return nearest


def _may(text: str, span: Span, term: Term) -> bool:
    """Whether an entity of this type can have such a comparison."""
    start, end, type_ = span
    name, sort = text[start:end], kind(term)
    if sort == "age":
        return type_ == "Demographic" or bool(_AGED.search(name))
    if sort == "time":
        return bool(_LASTING.search(name)) or (
            type_ == "Demographic" and term.unit in ("year", "month") and term.number - end < 25
        )
    if sort == "lab":
        return type_ != "Medication" or bool(_LEVEL.search(text, end, max(end, term.start)))
    if sort == "none" and term.comparator in (None, "="):
        return type_ in _MEASURED
    if sort == "none" and term.comparator == "between":
        return type_ in _MEASURED or bool(_AGED.search(name)) or type_ == "Demographic"
    return True


def _reaches(gap: str, *, loose: bool) -> bool:
    """Whether only light words stand between. `loose`: also where, when and how something was measured."""
    if len(gap) > 120:
        return False
    plain = _PARENTHESES.sub(" ", gap)
    tokens = _TOKEN.findall(plain)
    if len(tokens) <= 8 and "," not in tokens[:-1] and all(token in _BETWEEN for token in tokens):
        return True
    found = _CIRCUMSTANCE.search(plain) if loose else None
    if found is None or _LISTED.search(found["rest"]) or ". " in plain:
        return False
    return all(token in _BETWEEN for token in _TOKEN.findall(plain[: found.start()]))


def _right(text: str, spans: Sequence[Span], term: Term) -> int | None:
    """ "> 10 mg/day of prednisone", "at least 2 prior strokes"."""
    at = next((place for place, (start, _, _) in enumerate(spans) if start >= term.end), None)
    if at is None:
        return None
    gap, type_, sort = text[term.end : spans[at][0]], spans[at][2], kind(term)
    if term.opens:
        return at if not gap.strip() else None
    if sort in ("age", "time") or _NO_OBJECT.match(gap) or not _AFTER.fullmatch(gap):
        return at if sort == "age" and type_ == "Demographic" and not gap.strip(" ,") else None
    if sort == "none":
        return (
            at if term.comparator not in (None, "=", "between") and type_ not in _MEASURED | {"Demographic"} else None
        )
    if sort == "dose":
        return at if type_ == "Medication" else None
    if sort == "count":
        return at
    return at if type_ in _MEASURED or (term.unit == "%" and type_ == "Condition") else None


def _same(one: EntityType, two: EntityType) -> bool:
    return one == two or {one, two} <= _MEASURED
