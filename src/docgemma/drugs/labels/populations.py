"""What a label says about people who need another dose or another drug: one statement for each of six groups."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from docgemma.drugs.labels.gathered import Said, gathered
from docgemma.drugs.labels.gravity import advice, evidence, gravity
from docgemma.drugs.model import Statement
from docgemma.entities.words import word_set


@dataclass(frozen=True, slots=True)
class _Group:
    fields: frozenset[str]
    words: re.Pattern[str]


def _group(fields: str, words: str) -> _Group:
    return _Group(word_set(fields), re.compile(rf"\b(?:{words})", re.IGNORECASE))


_GROUPS = (
    _group("pregnancy pregnancy_or_breast_feeding teratogenic_effects", "pregnan|childbearing|fetal|fetus"),
    _group("lactation nursing_mothers", "lactat|nursing|nursed|breast[- ]?f|breast milk|human milk"),
    _group("pediatric_use", "pediatric|paediatric|child(?:ren)?\\b|infants?\\b|neonat|under \\d+ years"),
    _group("geriatric_use", "geriatric|elderly|older (?:adults|patients|subjects)|aged 65|65 years"),
    _group("renal", "renal (?:impair|insuff|fail|disease|dysf|func)|kidney|creatinine clearance|e?gfr\\b|dialysis"),
    _group("", "hepatic (?:impair|insuff|fail|disease|dysf|func)|liver (?:disease|impair|fail|func)|cirrho|child-pugh"),
)
FIELDS = frozenset(field for group in _GROUPS for field in group.fields)
_WHO = re.compile(r"patient|wom[ae]n|child|infant|elderly|adults|impair|dos(?:e|age|ing)|adjust|use\b", re.IGNORECASE)
"""Says that a sentence is about people, and not about what may happen to them: "acute renal failure may occur"."""
_OF_PEOPLE = "use_in_specific_populations"
_HEADED = (
    _OF_PEOPLE,
    "contraindications",
    "warnings",
    "precautions",
    "general_precautions",
    "dosage_and_administration",
)
_ANYWHERE = (
    _OF_PEOPLE,
    "contraindications",
    "boxed_warning",
    "warnings_and_cautions",
    "warnings",
    "precautions",
    "general_precautions",
    "dosage_and_administration",
    "pregnancy",
    "pharmacokinetics",
)
"""Without the lists of packages for patients: those are shown as they are."""


def populations(said: Sequence[Statement]) -> list[Said]:
    """One for each group that the label has anything about: the clearest advice where it is about them."""
    read = [each for each in said if each.field in FIELDS or each.field in _ANYWHERE]
    items = [each for each in gathered(read) if not each.text.endswith(":")]
    found: dict[str, Said] = {}
    for group in _GROUPS:
        pool = next(filter(None, _pools(group, items)), [])
        if pool:
            best = max(pool, key=_weight)
            found.setdefault(best.text, _naming(group, best))
    return list(found.values())


def _weight(item: Said) -> tuple[int, bool, int]:
    return advice(item.text), not evidence(item.text), gravity(item.text)


def _pools(group: _Group, items: Sequence[Said]) -> Iterator[list[Said]]:
    """Its own section with the highlights on it, else what stands under such a heading, else advice that names it."""
    yield [each for each in items if each.statement.field in group.fields or _in_section_8(group, each)]
    for field in _HEADED:
        headed = [each for each in items if each.statement.field == field and not each.statement.heading.endswith(":")]
        under = [each for each in headed if group.words.search(each.statement.heading)]
        yield [each for each in under if group.words.search(each.text)]
        yield [each for each in under if not any(other.words.search(each.text) for other in _GROUPS)]
    for field in _ANYWHERE:
        yield [
            each
            for each in items
            if each.statement.field == field
            and group.words.search(each.text)
            and _WHO.search(each.text)
            and advice(each.text)
        ]


def _in_section_8(group: _Group, item: Said) -> bool:
    """In the section on groups of people: under their heading, or at its head: "Pregnancy: Not recommended."."""
    if item.statement.field != _OF_PEOPLE or item.statement.heading.endswith(":"):
        return False
    topic, colon, _ = item.text.partition(":")
    return group.words.search(item.statement.heading or (topic if colon else "")) is not None


def _naming(group: _Group, item: Said) -> Said:
    """With its heading, where neither the section nor the sentence says whom it is about."""
    statement = item.statement
    if statement.field in group.fields or group.words.search(item.text) or not group.words.search(statement.heading):
        return item
    return replace(item, title=statement.heading.partition(" — ")[0])
