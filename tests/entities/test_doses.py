"""Doses: what is one, what is none, and that reading and writing undo each other."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docgemma.entities.amounts.doses import Dose, dose_key, find_doses, parse_dose
from docgemma.entities.amounts.found import find_amounts

_MASS = ["mg", "mcg", "g", "ng", "mEq", "mmol", "units"]
_RATES = ["mg/kg", "mcg/kg", "mcg/h", "mg/h", "units/kg", "mg/kg/day", "mcg/kg/min", "g/day", "mg/m2", "mL/h", "L/min"]
_PIECES = ["tablets", "capsules", "puffs", "drops", "patches", "sprays", "suppositories", "sachets", "ampoules"]
_OTHER = ["mL", "L", "%", "million units", "lakh units", "teaspoons", "pills", "pessaries", "vials", "nebules"]

_numbers = st.decimals(min_value=Decimal("0.0001"), max_value=Decimal("9999999"), places=4)
_counts = st.sampled_from(["0.5", "1", "1.5", "2", "2.5", "3", "10", "0.25"]).map(Decimal)


def _range(low: Decimal, more: Decimal, unit: str) -> Dose:
    return Dose((low,), unit, most=low + more)


_single = st.builds(lambda number, unit: Dose((number,), unit), _numbers, st.sampled_from(_MASS + _RATES + _OTHER))
_pieces = st.builds(lambda number, unit: Dose((number,), unit), _counts, st.sampled_from(_PIECES))
_combined = st.builds(
    lambda numbers, unit: Dose(tuple(numbers), unit),
    st.lists(st.decimals(min_value=5, max_value=2000, places=1), min_size=2, max_size=3),
    st.sampled_from(["mg", "mcg", "g", "%"]),
)
_ranged = st.builds(
    _range, st.integers(1, 500).map(Decimal), st.integers(1, 500).map(Decimal), st.sampled_from(_MASS + _PIECES)
)
_strengths = st.builds(lambda number, unit: Dose((number,), unit), _numbers, st.sampled_from(["mg", "mcg", "g", "%"]))
_of_strength = st.builds(
    lambda count, unit, each: Dose((count,), unit, each=each), _counts, st.sampled_from(_PIECES), _strengths | _combined
)
_of_concentration = st.builds(
    lambda volume, number, unit: Dose((volume,), "mL", each=Dose((number,), unit)),
    st.integers(1, 500).map(Decimal),
    st.integers(1, 500).map(Decimal),
    st.sampled_from(["mg/mL", "mg/5 mL", "units/mL", "mcg/2 mL"]),
)
_doses = st.one_of(_single, _pieces, _combined, _ranged, _of_strength, _of_concentration)


@given(_doses)
def test_a_rendered_dose_is_read_back_as_the_same_dose(dose: Dose) -> None:
    assert parse_dose(dose.render()) == dose


@given(_doses)
def test_a_rendered_dose_is_found_whole_inside_a_sentence(dose: Dose) -> None:
    (found,) = find_doses(f"give drugname {dose.render()} please")
    assert parse_dose(found.text) == dose


_SPELLED_NUMBERS = {
    "500": "500",
    "0.5": "0.5",
    "1,000": "1000",
    "two": "2",
    "five hundred": "500",
    "twenty-five": "25",
    ".25": "0.25",
}
_SPELLED_UNITS = {"mg": "mg", "mgs": "mg", "milligrams": "mg", "gm": "g", "mcg": "mcg", "tabs": "tablets", "mEq": "mEq"}


@given(st.sampled_from([*_SPELLED_NUMBERS]), st.sampled_from([*_SPELLED_UNITS]), st.sampled_from(["", " ", "  ", "-"]))
def test_any_spelling_is_read_as_the_dose_it_renders_to(number: str, unit: str, gap: str) -> None:
    if number[-1].isalpha() and not gap.strip("-"):
        gap = gap or " "
    dose = parse_dose(f"{number}{gap}{unit}")
    assert dose == Dose((Decimal(_SPELLED_NUMBERS[number]),), _SPELLED_UNITS[unit])
    assert parse_dose(dose.render()) == dose


@given(st.text(max_size=40))
def test_any_text_is_read_or_refused(text: str) -> None:
    dose = parse_dose(text)
    assert dose is None or parse_dose(dose.render()) == dose


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("500mg", "500 mg"),
        ("500 mgs", "500 mg"),
        ("1 gm", "1 g"),
        ("1gram", "1 g"),
        ("20mEq", "20 mEq"),
        ("2 puffs", "2 puffs"),
        ("two puffs", "2 puffs"),
        ("one tablet", "1 tablet"),
        ("half a tablet", "half a tablet"),
        ("½ tab", "half a tablet"),
        ("one and a half tablets", "1 and a half tablets"),
        ("875/125 mg", "875/125 mg"),
        ("160 mg/800 mg", "160/800 mg"),
        ("five hundred milligrams", "500 mg"),
        ("12 lakh units", "12 lakh units"),
        ("2.4 million units", "2.4 million units"),
        ("25 micrograms per hour", "25 mcg/h"),
        ("5 mg per kg per day", "5 mg/kg/day"),
        ("100 mcg 2 puffs", "2 puffs of 100 mcg"),
        ("0.5% 1 drop", "1 drop of 0.5%"),
        ("1 tsp", "1 teaspoon"),
        ("1 suppository", "1 suppository"),
    ],
)
def test_the_standard_wording(text: str, value: str) -> None:
    assert [dose.value for dose in find_doses(f"drug {text} daily")] == [value]


@pytest.mark.parametrize(
    ("text", "total"),
    [
        ("two tablets of 5 mg", "10 mg"),
        ("1/2 tab of 25 mg", "12.5 mg"),
        ("500 mg 2 tabs", "1000 mg"),
        ("2 x 500 mg", "1000 mg"),
        ("500 mg x 2", "1000 mg"),
        ("10mg/mL 5 mL", "50 mg"),
        ("5 ml of 250mg/5ml", "250 mg"),
    ],
)
def test_a_count_and_a_strength_have_a_total(text: str, total: str) -> None:
    dose = parse_dose(text)
    assert dose is not None
    whole = dose.total()
    assert whole is not None
    assert whole.render() == total


@pytest.mark.parametrize(
    "text",
    [
        "glucose 180 mg/dL",
        "potassium 5.4 mmol/L",
        "BP 140/90",
        "weight 70 kg",
        "eGFR 22",
        "eGFR 45 mL/min",
        "HbA1c 9%",
        "sats 94%",
        "EF of 35%",
        "sugar was 200 mg%",
        "creatinine 1.2 mg",
        "Hb 12 g/dL",
        "urine output 300 ml",
        "born 3/2/1955",
        "room 4",
        "-5 mg",
        "1e3 mg",
        "l0 mg",
        "mg",
        "5 mgx",
    ],
)
def test_measurements_and_broken_amounts_are_no_doses(text: str) -> None:
    assert find_doses(text) == ()


def test_what_is_dispensed_is_no_dose() -> None:
    found = find_amounts("amoxicillin 500 mg tds dispense 30 tablets")
    assert [dose.value for dose in found.doses] == ["500 mg"]
    assert [item.value for item in found.durations] == ["dispense 30"]


class TestEquality:
    def test_spellings_of_one_amount_are_equal(self) -> None:
        assert dose_key("500mg") == dose_key("0.5 g") == dose_key("five hundred milligrams")
        assert dose_key("160/800 mg") == dose_key("160 mg/800 mg")
        assert dose_key("1 tsp") == dose_key("5 mL")
        assert dose_key("half a tablet") == dose_key("½ tab")

    def test_different_amounts_are_not(self) -> None:
        assert dose_key("500 mg") != dose_key("500 mcg")
        assert dose_key("5 mg") != dose_key("5 mg/kg")
        assert dose_key("875/125 mg") != dose_key("875 mg")

    @pytest.mark.parametrize("text", ["0,125 mg", "1,5 g", "5-10 mg", "1 000 mg", "some", ""])
    def test_an_unclear_amount_equals_nothing(self, text: str) -> None:
        assert dose_key(text) is None
