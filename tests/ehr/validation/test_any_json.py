"""No JSON value breaks the validator, and real charts of another program are taken as they are."""

from __future__ import annotations

from copy import deepcopy
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from docgemma.ehr.validation import check, kinds
from docgemma.ehr.validation.checker import MOST_ISSUES
from docgemma.ehr.validation.definitions import structure
from tests.ehr.validation.test_checker import ALLERGY, OBSERVATION, PATIENT, REQUEST
from tests.support.synthea import bundles, needs_synthea, resources

SCALARS = st.one_of(
    st.none(), st.booleans(), st.integers(), st.text(max_size=8), st.floats(), st.decimals(),
    st.sampled_from(["#", "#m", "Patient/1", "2024-02-29", "final", "document", "entered-in-error", "C"]),
)  # fmt: skip
NAMES = st.sampled_from(
    sorted({name for kind in kinds() for name in structure(kind).elements} | {"low", "high", "code"})
)
KEYS = st.one_of(NAMES, NAMES.map(lambda name: f"_{name}"), st.text(max_size=4), st.just("resourceType"))
JSON = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=6),
    max_leaves=25,
)


@given(JSON)
def test_any_value_gets_an_answer(value: Any) -> None:
    assert len(check(value)) <= MOST_ISSUES


@given(st.sampled_from(sorted(kinds())), st.dictionaries(KEYS, JSON, max_size=6))
def test_any_resource_gets_an_answer(kind: str, body: dict[str, Any]) -> None:
    assert len(check({**body, "resourceType": kind})) <= MOST_ISSUES


@settings(max_examples=300)
@given(st.data())
def test_a_real_resource_with_any_value_in_any_place_gets_an_answer(data: st.DataObject) -> None:
    """This reaches the invariants, which are asked only where everything else is well-formed."""
    resource = deepcopy(data.draw(st.sampled_from([PATIENT, ALLERGY, OBSERVATION, REQUEST])))
    place = data.draw(st.sampled_from(list(_places(resource))))
    key = data.draw(st.sampled_from(list(place)) | KEYS) if isinstance(place, dict) else 0
    place[key] = data.draw(JSON)
    assert len(check(resource)) <= MOST_ISSUES


@pytest.mark.parametrize("kind", ["Age", "Count", "Duration", "Range", "Ratio", "Period", "Timing", "Quantity"])
@settings(max_examples=40)
@given(data=st.data())
def test_no_numbers_or_dates_break_an_invariant(kind: str, data: st.DataObject) -> None:
    numbers = (
        st.decimals(allow_nan=False, allow_infinity=False) | st.floats() | st.integers() | st.just(Decimal("1E300"))
    )
    quantity = st.fixed_dictionaries({}, optional={"value": numbers, "code": st.just("1"), "system": st.just("u:x")})
    dates = st.sampled_from(["2024", "2024-02", "2024-02-29", "2024-02-29T00:00:60Z", "0001-01-01T00:00:00+14:00",
                             "9999-12-31T23:59:59-14:00"])  # fmt: skip
    value = {
        "Range": st.fixed_dictionaries({}, optional={"low": quantity, "high": quantity}),
        "Ratio": st.fixed_dictionaries({}, optional={"numerator": quantity, "denominator": quantity}),
        "Period": st.fixed_dictionaries({}, optional={"start": dates, "end": dates}),
        "Timing": st.fixed_dictionaries({}, optional={"repeat": st.dictionaries(
            st.sampled_from(["duration", "period", "periodMax", "offset", "count"]), numbers)}),
    }.get(kind, quantity)  # fmt: skip
    extension = {"url": "u:x", f"value{kind}": data.draw(value)}
    assert len(check({"resourceType": "Basic", "code": {"text": "x"}, "extension": [extension]})) <= MOST_ISSUES


@needs_synthea
def test_every_resource_of_real_charts_is_taken() -> None:
    found = {issue for resource in resources() for issue in check(resource)}
    assert found == set()
    assert len(resources()) == 4781


@needs_synthea
def test_every_bundle_of_real_charts_is_taken() -> None:
    assert [issue for bundle in bundles() for issue in check(bundle)] == []


def _places(value: Any) -> Any:
    """Every object and list inside, the value itself first."""
    if isinstance(value, dict | list):
        if value:
            yield value
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _places(inner)
