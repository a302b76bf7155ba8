"""What code says beside an answer about drugs: an allergy on record that concerns one, and what was asked in vain."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from docgemma.agent.answer.asked import OF_ONE_DRUG, silent, speaks_of, topics
from docgemma.clinical import ToolResult
from docgemma.drugs.rules.allergy import check_allergy
from docgemma.drugs.rules.outcome import UNREVIEWED
from docgemma.entities.drugs.names import drugs_in, ingredients
from docgemma.tools.results import (
    ChartSection,
    DrugSafetyReport,
    InteractionReport,
    PatientChart,
    PatientSearchResult,
)

Call = tuple[Mapping[str, Any], ToolResult]
"""The arguments of a look-up, and what came of it."""

CONFLICT = "Allergy conflict"

_INTERACTING = re.compile(r"\b(?:interact|ddis?\b|clash|contraindicated\stogether)", re.IGNORECASE)
_TO_BE_GIVEN = re.compile(r"\b(?:add|start|giv(?:e|ing)|prescrib|combin|put\son|switch)", re.IGNORECASE)
_MEDICINES = re.compile(r"(?:active|current)?\s*(?:medic|drug(?!\s*allerg)|prescription)", re.IGNORECASE)
_ALLERGIES = re.compile(r"allerg|intoleran", re.IGNORECASE)
_NO_ENTRY = re.compile(r"(?:REFUTED|No\b|Not\b|The\b)", re.IGNORECASE)
_MARKS = re.compile(r"\s\((?:high criticality|inactive|resolved)(?:, (?:inactive|resolved))?\)$")


def allergy_conflicts(calls: Sequence[Call], known: Sequence[str] = ()) -> tuple[str, ...]:
    """Every drug that was looked up, against the allergies of the chart that was read, else of the patient on screen.

    Only what conflicts is told here. That nothing does is for a person to say: the allergies stand beside the answer.
    """
    people = [result for _, result in calls if isinstance(result, PatientChart | PatientSearchResult)]
    charts = [part for result in people if isinstance(result, PatientChart) for part in result.sections]
    recorded = tuple(_of_charts(charts)) if people else tuple(_named(known))
    found = (_conflicts(drug, recorded) for drug in _drugs(calls))
    return tuple(dict.fromkeys(line for lines in found for line in lines))


def _conflicts(drug: str, recorded: Sequence[str]) -> Iterator[str]:
    parts = ingredients(drug)
    if not parts or not recorded:
        return
    for finding in check_allergy(parts, recorded):
        if finding.outcome in ("hard_stop", "warning"):
            mark = " (shipped table, not reviewed by a clinician)" if UNREVIEWED in finding.basis else ""
            yield f"{CONFLICT} ({drug}): {finding.text}{mark}"


def gaps(calls: Sequence[Call], question: str, *, taken: Sequence[str] = ()) -> tuple[str, ...]:
    """What the question asks and no look-up of this turn answers, each in one line.

    `taken` are the medicines of the patient on screen, as the record lists them.
    """
    results = [result for _, result in calls]
    lines = [line for result in results for line in silent(result, question)]
    lines += [*_of_pairs(results, question), *_of_chart(results, question), *_of_medicines(calls, question, taken)]
    return tuple(dict.fromkeys(lines))


def _of_pairs(results: Sequence[ToolResult], question: str) -> Iterator[str]:
    """An interaction check reads no section on pregnancy, kidneys or alcohol."""
    checked = [result for result in results if isinstance(result, InteractionReport)]
    if not checked or any(isinstance(result, DrugSafetyReport) for result in results):
        return
    said = "\n".join(result.text() for result in checked)
    for name in topics(question):
        if name in OF_ONE_DRUG and not speaks_of(name, said):
            yield f"Not checked: {name}. An interaction check does not look for that; ask about each drug by itself."


def _of_chart(results: Sequence[ToolResult], question: str) -> Iterator[str]:
    """The medicines of a chart are asked about together, and only the chart was read."""
    if not any(isinstance(result, PatientChart) and result.status == "found" for result in results):
        return
    if any(isinstance(result, DrugSafetyReport | InteractionReport) for result in results):
        return
    if _INTERACTING.search(question):
        yield "Not checked: interactions between the medicines in the chart. Name two or more of them to check them."
    for name in topics(question):
        if name in ("boxed warnings", "contraindications"):
            yield f"Not checked: {name} of the medicines in the chart. Ask about each of them by its name."


def _of_medicines(calls: Sequence[Call], question: str, taken: Sequence[str]) -> Iterator[str]:
    """May she have this drug? Its own label was read, and nobody compared it with what she takes.

    Of a drug that is on her list already, this was not the question.
    """
    results = [result for _, result in calls]
    charts = [part for result in results if isinstance(result, PatientChart) for part in result.sections]
    listed = [entry for part in charts if _MEDICINES.match(part.title) for entry in part.entries] if charts else taken
    asked = bool(charts) or _TO_BE_GIVEN.search(question) is not None
    if not asked or any(isinstance(result, InteractionReport) for result in results):
        return
    known = {ingredient for entry in listed for drug in drugs_in(entry) for ingredient in ingredients(drug.value)}
    for drug in _drugs(calls):
        if known and known.isdisjoint(ingredients(drug)):
            yield f"Not checked: {drug} with the medicines on record. Ask whether it interacts with them."


def _drugs(calls: Iterable[Call]) -> tuple[str, ...]:
    named = (name for args, _ in calls for name in (args.get("drug_name"), *args.get("drug_names", ())))
    return tuple(dict.fromkeys(str(name) for name in named if name))


def _of_charts(sections: Iterable[ChartSection]) -> Iterator[str]:
    """The names of allergy entries, without what follows of reaction, standing and date."""
    for section in sections:
        if _ALLERGIES.search(section.title):
            entries = (entry for entry in section.entries if ": " in entry)
            yield from _named(entry.partition(": ")[0] for entry in entries)


def _named(entries: Iterable[str]) -> Iterator[str]:
    return (_MARKS.sub("", entry) for entry in entries if not _NO_ENTRY.match(entry))
