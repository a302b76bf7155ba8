"""A correction says what holds instead; what it denies never counts."""

from __future__ import annotations

import pytest

from docgemma.entities import extract
from docgemma.entities.writes.corrected import bare_dose, without_denied


@pytest.mark.parametrize(
    ("text", "dose"),
    [
        ("make that 20", "20 mg"),
        ("sorry 20 not 40", "20 mg"),
        ("should be 2.5", "2.5 mg"),
        ("oops make it 10 please", "10 mg"),
        ("change it to 20", "20 mg"),
        ("20", None),
        ("sorry 20 not 500", None),
        ("make that 20 tablets of it", None),
        ("she is 20", None),
    ],
)
def test_a_number_in_place_of_a_dose_keeps_its_unit(text: str, dose: str | None) -> None:
    found = bare_dose(text, "40 mg")
    assert (found.value if found else None) == dose
    assert found is None or text[found.start : found.end] == found.text


@pytest.mark.parametrize(
    ("text", "doses", "frequencies"),
    [
        ("bd not tds", [], ["twice daily"]),
        ("250 mg not 500 mg", ["250 mg"], []),
        ("500 mg instead of 250 mg, twice daily", ["500 mg"], ["twice daily"]),
    ],
)
def test_a_denied_amount_does_not_count(text: str, doses: list[str], frequencies: list[str]) -> None:
    found = without_denied(text, extract(text))
    assert [dose.value for dose in found.doses] == doses
    assert [often.value for often in found.frequencies] == frequencies
