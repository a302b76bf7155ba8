"""What may stand in an entry: ids and kinds alone."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from docgemma.audit.entries import UNNAMED, Access, asked_id, known_id


@pytest.mark.parametrize(
    "fields",
    [
        {"patients": ("Maria Garcia",)},
        {"patients": ("p1", "")},
        {"patients": ("x" * 65,)},
        {"patients": ("Patient/1",)},
        {"resource_id": "Ann Lee"},
        {"kind": "Patient?name=Garcia"},
        {"kind": "born 1950"},
    ],
)
def test_what_is_no_id_does_not_get_in(fields: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="ids and kinds of resources alone"):
        Access("read", "found", **fields)


@pytest.mark.parametrize("text", ["abc-123", "4f2", "F47AC10B", "1742", "6f1c9f7e-2d3a-4b7c-9e1f-0a2b3c4d5e6f", "p.1"])
def test_an_id_that_was_asked_for_is_told(text: str) -> None:
    assert asked_id(text) == text


@pytest.mark.parametrize(
    "text",
    [
        "Garcia",
        "Anne-Marie",
        "Maria Garcia",
        "1950-03-12",
        "12.03.1950",
        "19500312",
        "123-45-6789",
        "555-0100",
        "",
        "?",
    ],
)
def test_what_may_be_a_name_or_a_date_is_not(text: str) -> None:
    assert asked_id(text) == ""


@settings(derandomize=True)
@given(st.text() | st.integers() | st.none())
def test_whatever_a_server_calls_an_id_can_be_written_down(value: object) -> None:
    Access("read", "found", "Patient", resource_id=known_id(value), patients=(known_id(value),))


def test_a_patient_without_a_usable_id_still_counts() -> None:
    assert known_id("Ann Lee, born 1950") == UNNAMED
