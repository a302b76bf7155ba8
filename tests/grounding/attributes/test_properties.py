"""Whatever the text and the spans: an answer per span, from the text alone, the same each time."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from docgemma.grounding.attributes import Attributes, attributes
from docgemma.grounding.contract import Comparator, Quantity
from docgemma.terminology.contract import ENTITY_TYPES, EntityType

_PARTS = (
    "no", "not", "without", "except", "ALT", "AST", "HbA1c", "≥", "<", "at least", "no more than", "between", "and",
    "or", "7.5", "1,500", "100 000", "two", "18-65", "%", "x ULN", "mg/dL", "years", "years of age", "or older",
    "within", "6 months", "prior to screening", "(", ")", ",", ";", ".", "grade", "x 10^9/L",
    "±", "İ", "\x00", "during the study",
)  # fmt: skip
_TEXTS = st.one_of(st.text(max_size=120), st.lists(st.sampled_from(_PARTS), max_size=25).map(" ".join))
_SPANS = st.lists(st.tuples(st.integers(-3, 130), st.integers(-3, 130), st.sampled_from(ENTITY_TYPES)), max_size=6)
_UNITS = (
    "",
    "%",
    "mg/dL",
    "mmol/L",
    "g/dL",
    "10^9/L",
    "/mm3",
    "mL/min/1.73m2",
    "ULN",
    "kg/m2",
    "mmHg",
    "ms",
    "U/L",
    "µmol/L",
)
_COMPARATORS: tuple[Comparator, ...] = ("<", "<=", "=", ">=", ">")


@settings(max_examples=150, deadline=None)
@given(_TEXTS, _SPANS)
def test_every_span_gets_an_answer_made_of_the_text(text: str, spans: list[tuple[int, int, EntityType]]) -> None:
    found = attributes(text, spans)
    assert len(found) == len(spans)
    assert found == attributes(text, spans)
    for span, one in zip(spans, found, strict=True):
        if not 0 <= span[0] < span[1] <= len(text):
            assert one == Attributes()
        if one.window is not None:
            assert one.window.text in text
            assert one.window.anchor in one.window.text


@settings(max_examples=100, deadline=None)
@given(
    st.sampled_from(_COMPARATORS),
    st.decimals(min_value=0, max_value=99_999, places=1, allow_nan=False),
    st.sampled_from(_UNITS),
)
def test_a_quantity_that_is_written_down_is_read_as_the_same(comparator: Comparator, value: object, unit: str) -> None:
    joint = " x " if unit in ("ULN", "10^9/L") else " "
    wanted = Quantity(comparator=comparator, value=str(value), unit=unit)
    text = f"creatinine {comparator} {value}{joint}{unit}".rstrip()
    assert attributes(text, [(0, 10, "Lab_Value")])[0].quantity == wanted


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 500), st.integers(1, 500), st.sampled_from(_UNITS), st.sampled_from(("-", " to ", " – ")))
def test_a_range_that_is_written_down_is_read_as_the_same(low: int, more: int, unit: str, joint: str) -> None:
    text = f"creatinine {low}{joint}{low + more}{' x ' if unit in ('ULN', '10^9/L') else ' '}{unit}".rstrip()
    wanted = Quantity(comparator="between", value=str(low), upper=str(low + more), unit=unit)
    assert attributes(text, [(0, 10, "Lab_Value")])[0].quantity == wanted


def test_two_comparisons_that_do_not_join_are_a_doubt() -> None:
    young_or_old = attributes("Age < 18 or > 75 years", [(0, 3, "Demographic")])[0]
    assert young_or_old.quantity == Quantity(comparator="<", value="18", unit="year")
    assert "More than one comparison" in young_or_old.doubt
    in_metastases = attributes("ALT ≤ 2.5 x ULN (≤ 5 x ULN with metastases)", [(0, 3, "Lab_Value")])[0]
    assert in_metastases.doubt


def test_answers_come_in_the_order_of_the_spans() -> None:
    text = "ALT > 3 x ULN, AST > 5 x ULN"
    found = attributes(text, [(15, 18, "Lab_Value"), (0, 3, "Lab_Value")])
    assert [one.quantity.value for one in found if one.quantity] == ["5", "3"]
