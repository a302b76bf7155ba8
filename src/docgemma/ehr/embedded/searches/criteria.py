"""One condition of a search: how its value is read, and how a resource answers to it."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, cast

from docgemma.ehr.contract import Resource
from docgemma.ehr.embedded.contract import FhirFault, Issue, Narrow
from docgemma.ehr.embedded.searches.dates import PREFIXES, Prefix, Stretch, compare, stretch, stretches
from docgemma.ehr.embedded.searches.elements import flagged, labels, local, referred, texts, tokens, values
from docgemma.ehr.embedded.searches.indexing import clipped
from docgemma.ehr.embedded.searches.parameters import Parameter, ParamType
from docgemma.ehr.embedded.searches.quantities import Measure, measure
from docgemma.ehr.folding import fold, fold_words

Test = Callable[[list[Any]], bool]
"""Whether the elements that a parameter sees answer to one value."""

MODIFIERS: dict[ParamType, tuple[str, ...]] = {
    "string": ("exact", "contains", "missing"),
    "token": ("not", "text", "missing"),
    "flag": ("not", "missing"),
    "reference": ("missing",),
    "date": ("missing",),
    "quantity": ("missing",),
    "uri": ("missing",),
}
_ID = re.compile(r"[A-Za-z0-9\-.]{1,64}")
_KIND = re.compile(r"[A-Z][A-Za-z]{1,63}")


@dataclass(frozen=True, slots=True)
class Criterion:
    """A parameter and the alternatives it may have. `narrow` is what the index can say about it beforehand."""

    parameter: Parameter
    tests: tuple[Test, ...]
    inverted: bool = False
    missing: bool | None = None
    narrow: tuple[Narrow, ...] = ()
    patients: tuple[str, ...] = ()
    ids: tuple[str, ...] = ()

    def matches(self, resource: Resource) -> bool:
        found = values(resource, self.parameter)
        if self.missing is not None:
            return bool(found) != self.missing
        return any(test(found) for test in self.tests) != self.inverted


def criterion(parameter: Parameter, modifier: str, alternatives: list[str], *, base: str, now: int) -> Criterion:
    """Read the alternatives of one parameter. Values are still escaped: `\\,` was no separator."""
    if modifier == "missing":
        return Criterion(parameter, (), missing=_flag(parameter, alternatives))
    match parameter.type:
        case "string":
            return _strings(parameter, modifier, [unescaped(one) for one in alternatives])
        case "token":
            return _tokens(parameter, modifier, alternatives)
        case "reference":
            return _references(parameter, modifier, [unescaped(one) for one in alternatives], base)
        case "date":
            return _dates(parameter, alternatives, now)
        case "quantity":
            return Criterion(parameter, tuple(_measured(parameter, one) for one in alternatives))
        case "uri":
            wanted = {unescaped(one) for one in alternatives}
            return Criterion(parameter, (lambda found: any(one in wanted for one in found if isinstance(one, str)),))
        case "flag":
            yes = _flag(parameter, alternatives)
            return Criterion(parameter, (lambda found: flagged(found) is yes,), inverted=modifier == "not")


def split(value: str, mark: str) -> list[str]:
    """At every mark that no backslash escapes."""
    parts, start, index = [], 0, 0
    while index < len(value):
        if value[index] == "\\":
            index += 1
        elif value[index] == mark:
            parts.append(value[start:index])
            start = index + 1
        index += 1
    return [*parts, value[start:]]


def unescaped(value: str) -> str:
    return re.sub(r"\\([,|$\\])", r"\1", value) if "\\" in value else value


def fault(text: str) -> FhirFault:
    return FhirFault(400, [Issue("invalid", text)])


def _flag(parameter: Parameter, alternatives: list[str]) -> bool:
    if alternatives not in (["true"], ["false"]):
        raise fault(f"The parameter {parameter.name} takes true or false here.")
    return alternatives == ["true"]


def _strings(parameter: Parameter, modifier: str, wanted: list[str]) -> Criterion:
    if modifier == "exact":
        asked = set(wanted)
        tests: tuple[Test, ...] = (lambda found: any(text in asked for one in found for text in texts(one)),)
        longest = [max(fold_words(one), key=len, default="") for one in wanted]
        return Criterion(parameter, tests, narrow=_narrow(parameter, longest))
    if any(not fold_words(one) for one in wanted):
        raise fault(f"The parameter {parameter.name} needs a letter or a digit to look for.")
    if modifier == "contains":
        return Criterion(parameter, tuple(_contains(one) for one in wanted))
    words = [fold_words(one) for one in wanted]
    # The index joins with AND: the words of one name, or else the longest word of each alternative.
    joined = [[word] for word in words[0]] if len(words) == 1 else [[max(some, key=len) for some in words]]
    narrow = [one for some in joined for one in _narrow(parameter, some, prefix=True)]
    return Criterion(parameter, tuple(_word_starts(some, texts) for some in words), narrow=tuple(narrow))


def _contains(wanted: str) -> Test:
    part = " ".join(fold_words(wanted))
    return lambda found: any(part in " ".join(fold_words(text)) for one in found for text in texts(one))


def _word_starts(words: list[str], said: Callable[[Any], list[str]]) -> Test:
    """Every word begins some word of what the element says: in any order, without case and accents."""

    def test(found: list[Any]) -> bool:
        have = [word for one in found for text in said(one) for word in fold_words(text)]
        return all(any(word.startswith(start) for word in have) for start in words)

    return test


def _tokens(parameter: Parameter, modifier: str, alternatives: list[str]) -> Criterion:
    if modifier == "text":
        wanted = [fold(unescaped(one)).split() for one in alternatives]
        if not all(wanted):
            raise fault(f"The parameter {parameter.name} needs a letter or a digit to look for.")
        return Criterion(parameter, tuple(_word_starts(words, labels) for words in wanted))
    pairs = [_pair(parameter, one) for one in alternatives]
    inverted = modifier == "not"
    ids = tuple(code for _, code in pairs) if parameter.name == "_id" and not inverted else ()
    keys = [f"{system or ''}|{code}" for system, code in pairs]
    whole = all(code for _, code in pairs)
    narrow = () if inverted else _narrow(parameter, keys, prefix=not whole)
    return Criterion(parameter, (_has_token(pairs),), inverted=inverted, narrow=narrow, ids=ids)


def _pair(parameter: Parameter, value: str) -> tuple[str | None, str]:
    """`code`: any system (None). `|code`: no system (empty). `system|`: any code of it (empty)."""
    parts = [unescaped(part) for part in split(value, "|")]
    if len(parts) > 2 or not any(parts):
        raise fault(f"The parameter {parameter.name} takes a code, or system|code.")
    return (None, parts[0]) if len(parts) == 1 else (parts[0], parts[1])


def _has_token(pairs: list[tuple[str | None, str]]) -> Test:
    def fits(have: tuple[str | None, str]) -> bool:
        return any(
            (not code or code == have[1]) and (system is None or have[0] is None or system == have[0])
            for system, code in pairs
        )

    return lambda found: any(fits(token) for one in found for token in tokens(one))


def _references(parameter: Parameter, modifier: str, wanted: list[str], base: str) -> Criterion:
    targets = [_target(parameter, modifier, one, base) for one in wanted]
    patients = tuple(one.partition("/")[2] for one in targets if one.startswith("Patient/"))
    narrow = _narrow(parameter, targets) if all("/" in one and "://" not in one for one in targets) else ()
    return Criterion(
        parameter,
        (_leads_to(frozenset(targets)),),
        narrow=narrow,
        patients=patients if parameter.owner and len(patients) == len(targets) else (),
    )


def _target(parameter: Parameter, modifier: str, value: str, base: str) -> str:
    """`Kind/id`, an address elsewhere, or a bare id where any kind may be meant."""
    value = value.removeprefix(f"{base}/") if base else value
    kind = modifier or parameter.target
    if _ID.fullmatch(value):
        return f"{kind}/{value}" if kind else value
    if "://" in value or value.startswith("urn:"):
        return value
    named, _, id_ = value.partition("/")
    if not _KIND.fullmatch(named) or not _ID.fullmatch(id_) or (kind and named != kind):
        raise fault(f"The parameter {parameter.name} takes the id of a resource, or Kind/id.")
    return value


def _leads_to(targets: frozenset[str]) -> Test:
    def test(found: list[Any]) -> bool:
        for one in found:
            written = referred(one)
            if written is None:
                continue
            place = local(written)
            if written in targets or (place and (place in targets or place.partition("/")[2] in targets)):
                return True
        return False

    return test


def _dates(parameter: Parameter, alternatives: list[str], now: int) -> Criterion:
    asked = [_moment(parameter, one) for one in alternatives]
    tests = tuple(_dated(prefix, when, now) for prefix, when in asked)
    exact = all(prefix == "eq" for prefix, _ in asked) and not any("T" in one for one in alternatives)
    narrow = _narrow(parameter, [one.removeprefix("eq") for one in alternatives], prefix=True) if exact else ()
    return Criterion(parameter, tests, narrow=narrow)


def _moment(parameter: Parameter, value: str) -> tuple[Prefix, Stretch]:
    prefix, rest = _prefixed(value)
    # A plus sign that was not percent-encoded arrives as a blank.
    when = stretch(rest.replace(" ", "+"))
    if when is None:
        raise fault(f"The parameter {parameter.name} takes a date such as 1980, 1980-03 or ge1980-03-04.")
    return prefix, when


def _dated(prefix: Prefix, asked: Stretch, now: int) -> Test:
    return lambda found: any(
        compare(prefix, when, asked, now=now) for one in found for when in stretches(one, wall=not asked.zoned)
    )


def _prefixed(value: str) -> tuple[Prefix, str]:
    if value[:2] in PREFIXES:
        return cast("Prefix", value[:2]), value[2:]
    return "eq", value


def _measured(parameter: Parameter, value: str) -> Test:
    """`[prefix]number`, with the unit as `|system|code` or `||code`."""
    number, *unit = (unescaped(part) for part in split(value, "|"))
    prefix, digits = _prefixed(number)
    asked: Measure | None = measure(prefix, digits, *unit) if len(unit) in (0, 2) else None
    if asked is None:
        raise fault(f"The parameter {parameter.name} takes a number such as gt5.4, or 5.4|system|unit.")
    return lambda found: any(asked.fits(one) for one in found)


def _narrow(parameter: Parameter, wanted: list[str], *, prefix: bool = False) -> tuple[Narrow, ...]:
    """What the index may be asked. It answers with too many rather than too few: each is compared in full."""
    if not all(wanted):
        return ()
    return (Narrow(parameter.name, tuple(dict.fromkeys(clipped(one) for one in wanted)), prefix),)
