"""Error-prone ways of writing an order, after the lists of error-prone abbreviations; each with one plain question.

`warn`: may stand, in standard wording. `ask`: only the user can say what is meant. `reject`: is no amount at all.
The tables are hand-written from common knowledge and not reviewed by a clinician.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from decimal import Decimal

from docgemma.entities.amounts.dose_traps import Severity, dose_traps
from docgemma.entities.amounts.doses import Dose, find_doses
from docgemma.entities.amounts.found import Amounts, find_amounts
from docgemma.entities.amounts.frequencies import adjacent, combine, find_frequencies, is_banned, is_for_eyes, meaning
from docgemma.entities.amounts.units import MASS_UNIT, UNIT, canonical_unit
from docgemma.entities.model import Mention, Trap
from docgemma.entities.words import replaced

_ABBREVIATIONS = {
    "ms": "morphine sulfate or magnesium sulfate",
    "mso4": "morphine sulfate",
    "mgso4": "magnesium sulfate",
    "znso4": "zinc sulfate",
    "azt": "zidovudine, azathioprine or aztreonam",
    "cpz": "chlorpromazine or prochlorperazine",
    "ctx": "ceftriaxone or cyclophosphamide",
    "cya": "ciclosporin or cyproheptadine",
    "hct": "hydrocortisone or hydrochlorothiazide",
    "hctz": "hydrochlorothiazide",
    "mtx": "methotrexate",
    "ptu": "propylthiouracil",
    "tac": "tacrolimus or triamcinolone",
    "tnk": "tenecteplase",
    "tpa": "alteplase",
    "t3": "liothyronine",
    "t4": "levothyroxine",
    "vcr": "vincristine",
    "vbl": "vinblastine",
    "apap": "paracetamol",
    "asa": "aspirin",
    "ara-a": "vidarabine",
    "ara-c": "cytarabine",
    "6-mp": "mercaptopurine",
    "5-fu": "fluorouracil",
    "levo": "levofloxacin, levothyroxine or levodopa",
    "pred": "prednisolone or prednisone",
    "norflox": "norfloxacin",
}
_SHORT = "|".join(re.escape(short) for short in sorted(_ABBREVIATIONS, key=len, reverse=True))
_SHORT_NAME = re.compile(rf"(?<![\w-])(?:{_SHORT})(?=\s{{1,2}}[\d.])", re.IGNORECASE)
_EITHER = re.compile(r",|\sor\s")
_NEAR_UNIT = r"\s{0,2}(?:" + UNIT + r")(?![\w/])"
_GLUED = re.compile(
    rf"(?<!\w)(?P<name>[^\W\d_]{{3,30}})[-.]?(?P<number>\d{{1,5}}(?:\.\d{{1,3}})?)\s{{0,2}}(?P<unit>{MASS_UNIT}|units?)(?![\w/])",
    re.IGNORECASE,
)
_GLUED_NAME = re.compile(r"(?<![\w-])(?P<name>[^\W\d_]{4,30})-?(?P<number>\d{2,4})(?![\w/.-])")
_NEGATIVE = re.compile(rf"(?<![\w)\]–−-])[-−–]\d{{1,7}}(?:\.\d{{1,6}})?{_NEAR_UNIT}", re.IGNORECASE)
_EXPONENT = re.compile(
    rf"(?<![\w.])(?P<number>\d{{1,7}}(?:\.\d{{1,6}})?)\s?(?:e(?P<power>[+-]?\d{{1,3}})|[x×]\s?10\s?(?:\^\s?-?\d{{1,2}}|[⁰¹²³⁴-⁹]{{1,2}})"
    rf"|\^\d{{1,2}})\s{{0,2}}(?P<unit>{UNIT})(?![\w/])",
    re.IGNORECASE,
)
_NO_NUMBER = re.compile(rf"(?<!\w)(?:nan|inf(?:inity)?|null|undefined){_NEAR_UNIT}", re.IGNORECASE)
_LETTERS = re.compile(
    rf"(?<![\w.])(?=[\dlio.]{{0,6}}[lio])(?=[lio.]{{0,6}}\d)[\dlio][\dlio.]{{1,6}}{_NEAR_UNIT}", re.IGNORECASE
)
_ROMAN = re.compile(
    r"(?<![\w.'’])(?:(?P<number>i(?=\s{0,2}(?:tab|capsule|gtt))|ii|iii)\s{0,2}"
    r"(?P<unit>tab(?:let)?s?|cap(?:sule)?s?|puffs?|gtts?|drops?))(?![\w/])",
    re.IGNORECASE,
)
"""A lone "i" is mostly the speaker: "can i drop the dose"."""

_LONE_UNIT = re.compile(r"(?<=[a-z]\s)(?:mgs?|mcgs?|milligrams?|micrograms?)(?![\w/])", re.IGNORECASE)
_LONE_NUMBER = re.compile(
    r"(?<![\w./,#–−-])\d{1,5}(?:[.,]\d{1,3})?(?:\s?/\s?\d{1,4}(?:\.\d{1,3})?)?(?![\w/%.:-]\S)(?![\w%])"
)
_NAMED = re.compile(
    r"(?!(?:aged?|room|ward|patient|floor|level|grade|stage|type|score|since|after|about|take|give)\s)[^\W\d_]{4,30}\s{1,2}$",
    re.IGNORECASE,
)
_SHORT_ROUTES = {"sc": "subcutaneous", "sq": "subcutaneous", "subq": "subcutaneous", "sub q": "subcutaneous"}
_SIDES = {"OS": "the left eye", "OU": "both eyes", "AD": "the right ear", "AS": "the left ear", "AU": "both ears"}
_SIDE = re.compile(rf"(?<=drops\s)(?:{'|'.join(_SIDES)})(?!\w)|(?<=drop\s)(?:{'|'.join(_SIDES)})(?!\w)")
_WARNED = {"qhs": "at bedtime"}
_TWO_MEANINGS = {
    "od": "once daily or the right eye",
    "biweekly": "twice a week or every two weeks",
    "bi-weekly": "twice a week or every two weeks",
    "bimonthly": "twice a month or every two months",
    "hs": "at bedtime or half strength",
}


def find_traps(text: str, drugs: Sequence[Mention] = (), amounts: Amounts | None = None) -> tuple[Trap, ...]:
    """Every error-prone form, in order. `drugs` and `amounts` when they are known already."""
    found = amounts or find_amounts(text, drugs)
    traps = [trap for dose in found.doses for trap in dose_traps(dose)]
    traps += _uncovered(_malformed(text), traps, found.doses)
    traps += _uncovered(_incomplete(text, drugs, found), traps, (*found.doses, *found.frequencies, *found.durations))
    traps += [trap for often in found.frequencies for trap in _frequency_traps(often)]
    traps += [trap for route in found.routes for trap in _route_traps(route)]
    traps += _slashed(found)
    traps += [_side(match) for match in _SIDE.finditer(text)]
    traps += [_short_name(match.group(), match.start()) for match in _SHORT_NAME.finditer(text)]
    return tuple(sorted(traps, key=lambda trap: (trap.start, trap.end)))


def check_amounts(medication_name: str, dosage: str, frequency: str) -> tuple[str, Trap] | None:
    """The first field that must be asked about before such an order may be proposed; what is no dose at all first."""
    fields = {
        "medication_name": _in_name(medication_name),
        "dosage": _in_dosage(dosage),
        "frequency": _in_frequency(frequency, eyes=is_for_eyes(f"{medication_name} {dosage}")),
    }
    traps = [(field, trap) for field, found in fields.items() for trap in found]
    for severity in ("reject", "ask"):
        for field, trap in traps:
            if trap.severity == severity:
                return field, trap
    return None


def _in_name(name: str) -> Iterator[Trap]:
    plain = name.strip()
    if plain.lower() in _ABBREVIATIONS:
        yield _short_name(plain, 0)
    elif match := _GLUED_NAME.fullmatch(plain):
        reading = f"{match['name']} {match['number']}"
        yield Trap(
            plain, 0, len(plain), "missing_space", "ask", reading, f"“{plain}” has no space. Do you mean {reading}?"
        )


def _in_dosage(dosage: str) -> Iterator[Trap]:
    traps = find_traps(dosage)
    yield from traps
    doses = find_doses(dosage)
    rest = replaced(dosage, ((dose.start, dose.end, " ") for dose in doses))
    if (len(doses) != 1 or re.search(r"\d", rest)) and not any(trap.severity != "warn" for trap in traps):
        yield _whole(dosage, "unclear_dose", f"“{dosage.strip()}” is not one dose with a unit. What is the dose?")


def _in_frequency(frequency: str, *, eyes: bool) -> Iterator[Trap]:
    found = find_frequencies(frequency.strip(), ends=(0,))
    if eyes:
        found = tuple(replace(often, value=often.text) if _bare(often.text) == "od" else often for often in found)
    traps = [trap for often in found for trap in _frequency_traps(often)]
    yield from traps
    if not traps and combine(often.value for often in found) is None:
        yield _whole(frequency, "unclear_frequency", f"“{frequency.strip()}” is not clear. How often is it taken?")


def _whole(text: str, kind: str, question: str) -> Trap:
    return Trap(text, 0, len(text), kind, "ask", "", question)


def _uncovered(traps: Iterable[Trap], *others: Iterable[Mention | Trap]) -> list[Trap]:
    """Those that no other finding overlaps."""
    spans = sorted((other.start, other.end) for kind in others for other in kind)
    kept: list[Trap] = []
    for trap in traps:
        place = bisect_left(spans, (trap.end, 0))
        if place == 0 or spans[place - 1][1] <= trap.start:
            kept.append(trap)
    return kept


def _malformed(text: str) -> Iterator[Trap]:
    """Things that stand where an amount must stand and that cannot be read as one."""
    for match in _GLUED.finditer(text):
        reading = Dose((Decimal(match["number"]),), canonical_unit(match["unit"])).render()
        full = f"{match['name']} {reading}"
        yield _at(match, "missing_space", "ask", reading, f"has no space before the number. Do you mean {full}?")
    for match in _NEGATIVE.finditer(text):
        yield _at(match, "negative", "reject", "", "is negative. What is the dose?")
    for match in _EXPONENT.finditer(text):
        yield _at(match, "exponent", "reject", _expanded(match), "is not written in plain digits. What is the dose?")
    for match in _NO_NUMBER.finditer(text):
        yield _at(match, "not_a_number", "reject", "", "is no number. What is the dose?")
    for match in _LETTERS.finditer(text):
        yield _at(match, "letter_in_number", "ask", "", "has a letter among its digits. What is the dose?")
    for match in _ROMAN.finditer(text):
        reading = Dose((Decimal(len(match["number"])),), canonical_unit(match["unit"])).render()
        yield _at(match, "roman_numeral", "ask", reading, f"has a Roman numeral. Do you mean {reading}?")


def _incomplete(text: str, drugs: Sequence[Mention], found: Amounts) -> Iterator[Trap]:
    """A number without a unit, a unit without a number."""
    plain = text.strip()
    for match in _LONE_UNIT.finditer(text):
        yield _at(match, "missing_amount", "ask", "", "has no number. What is the dose?")
    if re.fullmatch(UNIT, plain, re.IGNORECASE):
        yield _whole(text, "missing_amount", f"“{plain}” has no number. What is the dose?")
    ends = {drug.end for drug in drugs}
    starts = {amount.start for amount in (*found.frequencies, *found.routes)}
    for match in _LONE_NUMBER.finditer(text):
        led = _leads(text, match.end(), starts) and _NAMED.search(text, max(0, match.start() - 32), match.start())
        if led or match.group() == plain or adjacent(text, match.start(), ends):
            yield _at(match, "missing_unit", "ask", "", "has no unit. What is the dose, with its unit?")
    for match in _GLUED_NAME.finditer(text):
        if _leads(text, match.end(), starts):
            yield _at(match, "missing_space", "ask", "", "has no space and no unit. Which drug and which dose is it?")


def _leads(text: str, end: int, starts: Collection[int]) -> bool:
    """Whether one of these begins right after."""
    gap = len(text[end : end + 2]) - len(text[end : end + 2].lstrip())
    return gap > 0 and end + gap in starts


def _expanded(match: re.Match[str]) -> str:
    power = int(match["power"] or 0)
    if not match["power"] or abs(power) > 6:
        return ""
    return Dose((Decimal(match["number"]).scaleb(power),), canonical_unit(match["unit"])).render()


def _bare(text: str) -> str:
    return text.lower().replace(".", "").replace(" ", "")


def _frequency_traps(often: Mention) -> Iterator[Trap]:
    plain = _bare(often.text)
    reading = meaning(often.value)
    if is_banned(often.value):
        two = _TWO_MEANINGS.get(plain)
        why = f"can mean {two}" if two else "is error-prone"
        question = f"Do you mean {reading}?" if reading else "How often is it taken?"
        yield _of(often, "banned_frequency", "ask", reading, f"{why}. {question}")
    elif plain in _WARNED:
        yield _of(often, "abbreviated_frequency", "warn", reading, f"is error-prone. It is read as {reading}.")


def _route_traps(route: Mention) -> Iterator[Trap]:
    plain = route.text.lower().replace(".", "").replace("/", "")
    if plain in _SHORT_ROUTES:
        yield _of(route, "route_abbreviation", "warn", route.value, f"is error-prone. It is read as {route.value}.")


def _slashed(found: Amounts) -> Iterator[Trap]:
    for duration in found.durations:
        if "/" in duration.text:
            reading = duration.value
            yield _of(duration, "slash_duration", "warn", reading, f"can be read as a date. It is read as {reading}.")


def _side(match: re.Match[str]) -> Trap:
    reading = _SIDES[match.group()]
    return _at(match, "route_abbreviation", "ask", reading, f"is error-prone. Do you mean {reading}?")


def _short_name(short: str, start: int) -> Trap:
    names = _ABBREVIATIONS[short.lower()]
    several = _EITHER.search(names)
    question = f"“{short}” is an error-prone abbreviation" + (
        f" ({names}). Which drug do you mean?" if several else f". Do you mean {names}?"
    )
    return Trap(short, start, start + len(short), "drug_abbreviation", "ask", "" if several else names, question)


def _at(match: re.Match[str], kind: str, severity: Severity, reading: str, rest: str) -> Trap:
    text = match.group()
    return Trap(text, match.start(), match.end(), kind, severity, reading, f"“{text}” {rest}")


def _of(mention: Mention, kind: str, severity: Severity, reading: str, rest: str) -> Trap:
    return Trap(mention.text, mention.start, mention.end, kind, severity, reading, f"“{mention.text}” {rest}")
