"""Which lines under "Contraindications" say when not to give a drug."""

from __future__ import annotations

import pytest

from docgemma.drugs.labels.findings import safety
from docgemma.drugs.labels.statements import statements
from docgemma.sources.contract import Label
from tests.drugs.written import label


def forbidden(made: Label) -> list[str]:
    return [each.text for each in safety([made], "sildenafil").contraindications]


@pytest.mark.parametrize(
    "text",
    [
        "4 CONTRAINDICATIONS None.",
        "4 CONTRAINDICATIONS None. None. ( 4 )",
        "CONTRAINDICATIONS None known.",
        "CONTRAINDICATIONS There are no known contraindications to the use of examplin.",
        "CONTRAINDICATIONS Not applicable",
    ],
)
def test_none_is_no_contraindication(text: str) -> None:
    made = label(contraindications=text)
    assert forbidden(made) == []
    assert [each.text for each in statements(made)]


@pytest.mark.parametrize(
    "text", ["None of the tablets may be given in shock.", "No contraindication is absolute, but asthma forbids it."]
)
def test_what_only_begins_like_none_is_one(text: str) -> None:
    assert forbidden(label(contraindications=text)) == [text]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (
            "4.3 Nursing mothers It is not known whether it passes into milk. Women on it should not breastfeed.",
            ["Women on it should not breastfeed."],
        ),
        ("4.1 Pregnancy Women who may conceive. Rats had no malformations.", ["Women who may conceive."]),
        ("4.1 Pregnancy (when used for weight).", ["Pregnancy (when used for weight)."]),
        (
            "Serious rash has been seen in trials. It is contraindicated in gout. Active liver disease",
            ["It is contraindicated in gout.", "Active liver disease", "Serious rash has been seen in trials."],
        ),
        (
            "It should be given with care to patients: • with gout • with asthma",
            [
                "It should be given with care to patients: with gout",
                "It should be given with care to patients: with asthma",
            ],
        ),
    ],
)
def test_a_contraindication_says_when_not_to_give_it(text: str, found: list[str]) -> None:
    assert forbidden(label(contraindications=text)) == found


def test_a_contraindication_stands_in_its_list_though_the_box_says_it_too() -> None:
    made = label(
        boxed_warning="WARNING: TUMORS It is contraindicated in patients with a family history of thyroid cancer.",
        contraindications="4 CONTRAINDICATIONS A family history of thyroid cancer.",
    )
    assert forbidden(made) == ["A family history of thyroid cancer."]
