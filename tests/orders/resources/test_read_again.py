"""What we write is what the next order is checked against: our own program has to understand it."""

from __future__ import annotations

from datetime import date

import pytest

from docgemma.ehr.contract import Record
from docgemma.orders.checks.allergies import check_allergies
from docgemma.orders.facts import Facts, facts_of
from docgemma.orders.model import Draft
from docgemma.orders.resources import KINDS, resource_of
from tests.orders.resources.made import allergic, prescribed, row

ANN = {"resourceType": "Patient", "id": "p-1", "birthDate": "1950-02-03"}


def facts(draft: Draft) -> Facts:
    """The chart with this one entry in it."""
    stored = resource_of(row(draft)) | {"id": "e1"}
    return facts_of(Record(ANN, {KINDS[draft.kind]: (stored,)}), today=date(2026, 3, 2))


@pytest.mark.parametrize(
    ("substance", "drug"),
    [
        ("co-amoxiclav", "amoxicillin"),
        ("Lipitor", "atorvastatin"),
        ("penicillin tablets", "amoxicillin"),
        ("sulfa drugs", "sulfamethoxazole and trimethoprim"),
        ("Bactrim", "sulfamethoxazole"),
    ],
)
def test_a_written_allergy_stops_the_drug(substance: str, drug: str) -> None:
    found = [check.outcome for check in check_allergies(prescribed(drug), facts(allergic(substance)))]
    assert "hard_stop" in found


@pytest.mark.parametrize("drug", ["Lipitor", "co-amoxiclav", "sacubitril and valsartan", "insulin glargine"])
def test_a_written_order_is_read_by_its_ingredients(drug: str) -> None:
    draft = prescribed(drug)
    (taken,) = facts(draft).medications
    assert set(taken.ingredients) == set(draft.ingredients)
