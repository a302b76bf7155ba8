"""A failure reads as a plain sentence, and promises a retry only while there is one."""

from __future__ import annotations

from typing import get_args

import pytest

from docgemma.agent.answer.errors import error_text
from docgemma.clinical import ErrorType, ToolResult
from docgemma.tools.results import PatientMatch, PatientSearchResult

LABEL = "Drug Safety Report"


def failed(kind: ErrorType | None, **facts: tuple[str, ...]) -> ToolResult:
    return ToolResult(status="unavailable", error_type=kind, message="HTTP 500 at host:443", **facts)


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("timeout", "The Drug Safety Report was temporarily unavailable. Please try again shortly."),
        ("not_found", "No results were found for amiodarone in the Drug Safety Report."),
        (
            "invalid_args",
            "The request to Drug Safety Report could not be completed — additional information is needed.",
        ),
        ("rate_limit", "The Drug Safety Report is temporarily busy. The system will retry automatically."),
        (
            "server_error",
            "The Drug Safety Report experienced a temporary error. The system will retry automatically.",
        ),
        ("service_unavailable", "Drug Safety Report is currently unavailable."),
        ("drug_not_in_database", "amiodarone was not found in the drug database."),
    ],
)
def test_the_words_of_the_specification(kind: ErrorType, expected: str) -> None:
    assert error_text(failed(kind), LABEL, "amiodarone", final=False) == expected


@pytest.mark.parametrize("kind", [*get_args(ErrorType), None])
@pytest.mark.parametrize("entity", ["amiodarone", "", "{odd}"])
def test_every_failure_has_a_sentence_without_the_raw_error(kind: ErrorType | None, entity: str) -> None:
    text = error_text(failed(kind), LABEL, entity, final=True)
    assert text
    assert "HTTP" not in text
    assert "retry automatically" not in text
    assert "{odd}" in text or "{" not in text


def test_what_is_missing_is_asked_for_by_name() -> None:
    missing = failed("missing_required_args", missing=("dosage", "frequency", "note_type"))
    assert (
        error_text(missing, "Prescription", "", final=True) == "I need more information: dosage, frequency, note type"
    )
    needs_id = failed("missing_required_args", missing=("patient_id",))
    assert (
        error_text(needs_id, "Patient Record", "", final=True)
        == "I need a patient ID to proceed. Could you provide one?"
    )


def test_ambiguity_offers_the_choices() -> None:
    drug = failed("ambiguous_drug_name", suggestions=("hydroxyzine", "hydralazine"))
    assert error_text(drug, LABEL, "hydra", final=True) == "Did you mean hydroxyzine or hydralazine?"
    people = PatientSearchResult(
        status="found",
        error_type="multiple_patient_matches",
        matches=(
            PatientMatch(patient_id="a", name="Ann Test", birth_date="1960-01-01"),
            PatientMatch(patient_id="b", name="Ann Test", birth_date="1975-05-05"),
        ),
    )
    text = error_text(people, "Patient Search", "Ann Test", final=True)
    assert text.startswith("I found 2 patients matching 'Ann Test'. Which one did you mean? ")
    assert "born 1960-01-01; Ann Test, born 1975-05-05" in text
