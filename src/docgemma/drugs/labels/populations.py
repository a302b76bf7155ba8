"""What a label says about people who need another dose or another drug: one sentence for each of six groups."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from docgemma.drugs.labels.gravity import advice, gravity
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
_WHO = re.compile(r"patient|wom[ae]n|child|infant|elderly|adults|impair|dos(?:e|age|ing)|adjust|use\b", re.IGNORECASE)
"""Says that a sentence is about people, and not about what may happen to them: "acute renal failure may occur"."""
_ELSEWHERE = (
    "use_in_specific_populations",
    "contraindications",
    "boxed_warning",
    "do_not_use",
    "warnings_and_cautions",
    "warnings",
    "precautions",
    "general_precautions",
    "dosage_and_administration",
    "ask_doctor",
    "ask_doctor_or_pharmacist",
    "pregnancy",
    "pharmacokinetics",
)


def populations(said: Sequence[Statement]) -> tuple[Statement, ...]:
    """One statement for each group that the label has anything about: the clearest advice where it is about them."""
    found = (max(pool, key=_weight) for pool in (_pool(group, said) for group in _GROUPS) if pool)
    return tuple({(each.field, each.heading, each.text): each for each in found}.values())


def _weight(statement: Statement) -> tuple[int, int]:
    return advice(statement.text), gravity(statement.text)


def _pool(group: _Group, said: Sequence[Statement]) -> list[Statement]:
    """Its own section, else what stands under such a heading, else what names it."""
    for pool in _pools(group, said):
        if pool:
            return pool
    return []


def _pools(group: _Group, said: Sequence[Statement]) -> Iterator[list[Statement]]:
    yield [each for each in said if each.field in group.fields]
    for field in _ELSEWHERE:
        headed = [each for each in said if each.field == field and not each.heading.endswith(":")]
        under = [each for each in headed if group.words.search(each.heading)]
        yield [each for each in under if group.words.search(each.text)]
        yield under
    for field in _ELSEWHERE:
        yield [
            each for each in said if each.field == field and group.words.search(each.text) and _WHO.search(each.text)
        ]
