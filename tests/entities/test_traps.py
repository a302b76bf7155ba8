"""Error-prone ways of writing an order: each is found, graded and asked about in plain words."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docgemma.agent.understanding.reading import read
from docgemma.entities.amounts.doses import Dose, dose_key, find_doses, parse_dose
from docgemma.entities.amounts.found import find_amounts
from docgemma.entities.amounts.traps import check_amounts, find_traps
from docgemma.entities.amounts.units import scaled
from docgemma.entities.drugs.names import drugs_in
from docgemma.entities.fields import prescription_fields
from docgemma.entities.model import Trap
from docgemma.reader.loading import PACKAGED

_FILE = Path(__file__).parents[1] / "fixtures" / "attacks" / "dose_traps.jsonl"
_ROWS: list[dict[str, Any]] = [json.loads(line) for line in _FILE.read_text(encoding="utf-8").splitlines()]

_EXPECTED = {
    "warn_trailing_zero": ("trailing_zero", "warn"),
    "warn_leading_zero": ("leading_point", "warn"),
    "warn_ug": ("unit_abbreviation", "warn"),
    "ask_U": ("unit_abbreviation", "ask"),
    "ask_IU": ("unit_abbreviation", "ask"),
    "ask_QD": ("banned_frequency", "ask"),
    "ask_QD_block": ("banned_frequency", "ask"),
    "ask_QOD": ("banned_frequency", "ask"),
    "ask_MS": ("drug_abbreviation", "ask"),
    "ask_MSO4": ("drug_abbreviation", "ask"),
    "ask_MgSO4": ("drug_abbreviation", "ask"),
    "ask_drug_abbrev": ("drug_abbreviation", "ask"),
    "ask_conc_vs_dose": ("concentration", "ask"),
    "ask_decimal_comma": ("decimal_comma", "ask"),
    "ask_space": ("missing_space", "ask"),
    "ask_product_vs_dose": ("product_count", "ask"),
    "ask_fraction": ("fraction", "ask"),
    "ask_range": ("range", "ask"),
    "ask_non_ascii_digit": ("non_ascii_digit", "ask"),
    "ask_letter_l": ("letter_in_number", "ask"),
    "ask_letter_O": ("letter_in_number", "ask"),
    "ask_unit": ("missing_unit", "ask"),
    "ask_amount": ("missing_amount", "ask"),
    "reject_notation": ("exponent", "reject"),
    "warn_expand": (None, "warn"),
    "reject": (None, "reject"),
}
_LIMITS = ("ok", "block_", "confirm_", "ask_weight")
"""Rows that are written clearly. What is blocked or confirmed about them needs dose limits, weight or kidney function,
which belong to the order checks: here only the parts those checks stand on are held to be exact."""

_DETAILS = {
    "metformin 500 mg twice daily": ("twice daily", None),
    "metformin 500mg BID": ("twice daily", None),
    "insulin glargine 100 units at bedtime": ("at bedtime", None),
    "methotrexate 10 mg daily": ("once daily", None),
    "methotrexate 10 mg weekly": ("once weekly", None),
    "acetaminophen 1 g every 4 hours": ("every 4 hours", None),
    "acetaminophen 15 mg/kg q6h": ("every 6 hours", None),
    "metformin 1000 mg BID eGFR 22": ("twice daily", None),
    "vincristine 2 mg intrathecal": (None, "intrathecal"),
    "potassium chloride 40 mEq IV push": (None, "intravenous push"),
    "fentanyl 100 mg patch": (None, "transdermal"),
    "fentanyl 25 mcg/h patch q72h": ("every 72 hours", "transdermal"),
    "colchicine 0.6 mg q1h": ("every 1 hour", None),
    "amoxicillin 1,000 mg TID": ("three times daily", None),
}


def _id(row: dict[str, Any]) -> str:
    return str(row["text"])


def _is_clear(row: dict[str, Any]) -> bool:
    return str(row["expect"]).startswith(_LIMITS)


@pytest.mark.parametrize("row", [row for row in _ROWS if _is_clear(row)], ids=_id)
def test_a_clear_order_is_read_exactly(row: dict[str, Any]) -> None:
    text = row["text"]
    found = find_amounts(text)
    (dose,) = (parse_dose(dose.text) for dose in found.doses)
    assert dose == Dose((Decimal(str(row["amount"])),), _plural(row["unit"]) or "")
    often, route = _DETAILS.get(text, ("once daily", None))
    assert [item.value for item in found.frequencies] == ([often] if often else [])
    assert [item.value for item in found.routes] == ([route] if route else [])
    assert find_traps(text) == ()


@pytest.mark.parametrize("row", [row for row in _ROWS if not _is_clear(row)], ids=_id)
def test_an_error_prone_order_is_flagged_with_its_reading(row: dict[str, Any]) -> None:
    kind, severity = _EXPECTED[row["expect"]]
    traps = find_traps(row["text"])
    trap = next(trap for trap in traps if trap.severity == severity and kind in (None, trap.kind))
    assert row["text"][trap.start : trap.end] == trap.text
    assert trap.text.strip() in trap.question
    assert _amount(row["text"], trap) == (row["amount"], _plural(row["unit"]))


def _amount(text: str, trap: Trap) -> tuple[float | None, str | None]:
    """The likely amount: as the trap reads it, else as the dose is read, else what is left of a broken one."""
    dose = parse_dose(trap.meaning) or next((parse_dose(dose.text) for dose in find_doses(text)), None)
    if dose is not None:
        return (None if dose.most else float(dose.amounts[0])), dose.unit
    number = trap.text.removesuffix(" mg")
    unit = "mg" if trap.text.endswith("mg") else None
    return (float(number) if trap.kind in {"negative", "missing_unit"} else None), unit


def _plural(unit: str | None) -> str | None:
    return "units" if unit == "unit" else unit


def test_every_row_of_the_table_is_used() -> None:
    assert len(_ROWS) == 59
    assert all(_is_clear(row) or row["expect"] in _EXPECTED for row in _ROWS)


def test_an_equivalent_amount_is_equal() -> None:
    assert dose_key("250 mcg") == dose_key("0.25 mg") == (*scaled(Decimal("0.25"), "mg"),)


@pytest.mark.parametrize(
    ("text", "kind", "meaning"),
    [
        ("i tab bd", "roman_numeral", "1 tablet"),
        ("ii tabs bd", "roman_numeral", "2 tablets"),
        ("warfarin 05 mg", "leading_zeros", "5 mg"),
        ("digoxin 0,125 mg daily", "decimal_comma", "0.125 mg"),
        ("take 2 500 mg tablets", "split_number", ""),
        ("1 000 mg", "split_number", ""),
        ("metformin 500 bd", "missing_unit", ""),
        ("Janumet 50/1000 bd", "missing_unit", ""),
        ("metformin500 bd", "missing_space", ""),
        ("metformin-500 mg bd", "missing_space", "500 mg"),
        ("metformin mg bd", "missing_amount", ""),
        ("1 tbsp", "household_measure", "15 mL"),
        ("500 mg 2 tabs", "product_count", "1000 mg"),
        ("amoxicillin 250mg/5ml 10 ml", "concentration", "500 mg"),
        ("latanoprost 1 drop OD", "banned_frequency", "once daily"),
        ("atorvastatin 20 mg HS", "banned_frequency", "at bedtime"),
        ("adalimumab 40 mg biweekly", "banned_frequency", ""),
        ("paracetamol 1 g 2-0-2", "banned_frequency", ""),
        ("timolol 1 drop OU bd", "route_abbreviation", "both eyes"),
        ("MTX 15 mg weekly", "drug_abbreviation", "methotrexate"),
        ("heparin 5e3 units", "exponent", "5000 units"),
        ("adrenaline 1:1000 0.5 ml im", "ratio", ""),
        ("co-codamol 30/500 two tablets qds", "missing_unit", ""),
    ],
)
def test_other_forms_that_are_asked_about(text: str, kind: str, meaning: str) -> None:
    found = [trap for trap in find_traps(text, drugs_in(text)) if trap.kind == kind]
    assert [trap.meaning for trap in found] == [meaning]
    assert all(trap.severity in {"ask", "reject"} and trap.question.endswith("?") for trap in found)


@pytest.mark.parametrize(
    "text",
    [
        "metformin 500 mg bd with food",
        "half a tablet at night",
        "1 tablet of 500 mg bd",
        "salbutamol 100 mcg 2 puffs qid prn",
        "co-amoxiclav 875/125 mg bd for 7 days",
        "every 4-6 hours",
        "she is 70, BP 140/90, MS for 10 years",
        "- 5 mg of warfarin",
        "warfarin - 5 mg",
        "omega-3 1000 mg",
        "vitamin B12 1000 mcg daily",
        "patient 402 500 mg metformin",
        "can i cap the line",
    ],
)
def test_plain_wording_is_not_questioned(text: str) -> None:
    assert [trap for trap in find_traps(text, drugs_in(text)) if trap.severity != "warn"] == []


class TestBeforeAnOrder:
    @pytest.mark.parametrize(
        ("name", "dosage", "frequency"),
        [
            ("metformin", "500 mg", "twice daily"),
            ("warfarin", "5.0 mg", "once daily"),
            ("levothyroxine", "100 µg", "every morning"),
            ("paracetamol", "1,000 mg", "every 6 hours as needed"),
            ("salbutamol", "2 puffs of 100 mcg", "four times daily as needed"),
            ("methotrexate", "10 mg", "once weekly on Monday"),
            ("amoxicillin", "500 mg by mouth", "three times daily"),
            ("warfarin", "half a tablet", "once daily at bedtime"),
        ],
    )
    def test_a_clear_one_passes(self, name: str, dosage: str, frequency: str) -> None:
        assert check_amounts(name, dosage, frequency) is None

    @pytest.mark.parametrize(
        ("name", "dosage", "frequency", "kind"),
        [
            ("lisinopril", "10 mg", "QD", "banned_frequency"),
            ("prednisone", "5 mg", "every other day QOD", "banned_frequency"),
            ("insulin glargine", "10 U", "at bedtime", "unit_abbreviation"),
            ("MTX", "15 mg", "once weekly", "drug_abbreviation"),
            ("Inderal40", "40 mg", "twice daily", "missing_space"),
            ("morphine", "5-10 mg", "every 4 hours", "range"),
            ("metformin", "500", "twice daily", "missing_unit"),
            ("metformin", "mg", "twice daily", "missing_amount"),
            ("metformin", "a bit", "twice daily", "unclear_dose"),
            ("metformin", "500 mg 1 g", "twice daily", "unclear_dose"),
            ("metformin", "500 mg", "as directed", "unclear_frequency"),
            ("metformin", "500 mg", "once daily twice daily", "unclear_frequency"),
            ("metformin", "", "twice daily", "unclear_dose"),
            ("co-codamol", "2 tablets of 30/500", "four times daily", "unclear_dose"),
            ("metformin", "500 mg", "", "unclear_frequency"),
        ],
    )
    def test_an_unclear_one_is_asked_about(self, name: str, dosage: str, frequency: str, kind: str) -> None:
        asked = check_amounts(name, dosage, frequency)
        assert asked is not None
        assert (asked[1].kind, asked[1].severity) == (kind, "ask")

    def test_what_is_no_dose_comes_first(self) -> None:
        asked = check_amounts("MTX", "0 mg", "QD")
        assert asked is not None
        field, trap = asked
        assert (field, trap.kind, trap.severity) == ("dosage", "zero", "reject")

    @pytest.mark.parametrize(
        ("text", "question"),
        [
            ("Prescribe lisinopril 10 mg QD for abc-123", "“QD” is error-prone. Do you mean once daily?"),
            (
                "Prescribe insulin glargine 10U at bedtime for abc-123",
                "“10 U” has the error-prone unit “U”. Do you mean 10 units?",
            ),
            (
                "Prescribe paracetamol 2 tabs 500 mg tds for abc-123",
                "“2 tablets of 500 mg” gives a strength and a number of pieces. Do you mean 1000 mg?",
            ),
        ],
    )
    def test_the_form_survives_from_the_message_to_the_question(self, text: str, question: str) -> None:
        fields = prescription_fields(read(PACKAGED, text))
        asked = check_amounts(*(fields[name].value for name in ("medication_name", "dosage", "frequency")))
        assert asked is not None
        assert asked[1].question == question

    @pytest.mark.parametrize(
        ("text", "doses"),
        [
            ("Give abc-123 2 tabs paracetamol 500 mg tds", {"2 tabs", "500 mg"}),
            ("Prescribe 2 tablets of paracetamol 500 mg tds for abc-123", {"2 tablets", "500 mg"}),
            ("Prescribe metformin 500 mg bd, max 2 g, for abc-123", {"500 mg", "2 g"}),
        ],
    )
    def test_an_amount_is_in_the_order_or_asked_about_but_never_lost(self, text: str, doses: set[str]) -> None:
        found = read(PACKAGED, text)
        assert doses <= {mention.text for mention in (*found.doses, *found.durations, *found.unaccounted)}


_PIECES = [
    "QD",
    "od",
    "5.0 mg",
    "l0 mg",
    "-5 mg",
    "1e3 mg",
    "NaN mg",
    "2 tabs",
    "MS",
    "10 mg/mL",
    "500",
    "mg",
    "½",
    "OU",
    "drops",
]


@given(st.lists(st.sampled_from(_PIECES), max_size=10).map(" ".join) | st.text(max_size=200))
def test_traps_lie_in_the_text(text: str) -> None:
    for trap in find_traps(text):
        assert text[trap.start : trap.end] == trap.text
        assert trap.question
    check_amounts(text, text, text)
