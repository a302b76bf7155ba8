"""Whatever is done to a row or to the order of the rows is found."""

from __future__ import annotations

import hashlib
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from docgemma.audit.chain import COLUMNS, GENESIS, Fault, Head, Walk, intact, seal

Rows = list[dict[str, Any]]

fixed = settings(derandomize=True, max_examples=60, deadline=None)
texts = st.text(max_size=12)
contents = st.fixed_dictionaries(
    {
        name: st.integers(0, 10**6) if name == "count" else texts
        for name in COLUMNS
        if name not in ("position", "previous")
    }
)
chains = st.lists(contents, min_size=1, max_size=8)


def chained(contents: list[dict[str, Any]]) -> tuple[Rows, Head]:
    rows: Rows = []
    head = Head(0, GENESIS)
    for content in contents:
        row = {**content, "position": head.count + 1, "previous": head.hash}
        row["hash"] = seal(row)
        head = Head(head.count + 1, row["hash"])
        rows.append(row)
    return rows, head


def fault(rows: Rows, head: Head) -> Fault | None:
    walk = Walk()
    return walk.take(rows) or walk.end(head)


@fixed
@given(chains, st.data())
def test_an_untouched_chain_is_whole_from_any_row_on(contents: list[dict[str, Any]], data: st.DataObject) -> None:
    rows, head = chained(contents)
    assert fault(rows, head) is None
    start = data.draw(st.integers(1, len(rows) + 1))
    walk = Walk(start)
    assert (walk.take(rows[start - 1 :]) or walk.end(head)) is None


@fixed
@given(chains, st.data())
def test_any_single_change_is_found_where_it_is(contents: list[dict[str, Any]], data: st.DataObject) -> None:
    rows, head = chained(contents)
    row = data.draw(st.sampled_from(rows))
    place = row["position"]
    name = data.draw(st.sampled_from([*COLUMNS, "hash"]))
    values = st.one_of(st.integers(), texts, st.floats(), st.binary(max_size=4), st.none())
    row[name] = data.draw(values.filter(lambda value: type(value) is not type(row[name]) or value != row[name]))
    found = fault(rows, head)
    assert found is not None
    assert found.position == place


@fixed
@given(chains, st.data())
def test_a_change_that_is_sealed_again_breaks_the_link_behind_it(
    contents: list[dict[str, Any]], data: st.DataObject
) -> None:
    rows, head = chained(contents)
    row = data.draw(st.sampled_from(rows))
    row["who"] += "x"
    row["hash"] = seal(row)
    found = fault(rows, head)
    assert found is not None
    assert found.position in (row["position"], row["position"] + 1)


@fixed
@given(chains, st.data(), st.booleans())
def test_a_missing_row_is_found(contents: list[dict[str, Any]], data: st.DataObject, renumbered: bool) -> None:
    rows, head = chained(contents)
    gone = data.draw(st.integers(0, len(rows) - 1))
    del rows[gone]
    if renumbered:
        for row in rows[gone:]:
            row["position"] -= 1
    assert fault(rows, head) is not None


@fixed
@given(chains.filter(lambda rows: len(rows) > 1), st.data(), st.booleans())
def test_rows_that_changed_places_are_found(
    contents: list[dict[str, Any]], data: st.DataObject, positions: bool
) -> None:
    rows, head = chained(contents)
    one, other = sorted(data.draw(st.lists(st.sampled_from(range(len(rows))), min_size=2, max_size=2, unique=True)))
    rows[one], rows[other] = rows[other], rows[one]
    if positions:
        rows[one]["position"], rows[other]["position"] = rows[other]["position"], rows[one]["position"]
    found = fault(rows, head)
    assert found is not None
    assert found.position == one + 1


@fixed
@given(chains, contents, st.data(), st.booleans())
def test_a_row_put_in_between_is_found(
    contents: list[dict[str, Any]], forged: dict[str, Any], data: st.DataObject, renumbered: bool
) -> None:
    rows, head = chained(contents)
    place = data.draw(st.integers(0, len(rows)))
    row = {**forged, "position": place + 1, "previous": rows[place - 1]["hash"] if place else GENESIS}
    row["hash"] = seal(row)
    rows.insert(place, row)
    if renumbered:
        for later in rows[place + 1 :]:
            later["position"] += 1
    assert fault(rows, head) is not None


def test_a_cut_tail_is_found_by_the_head() -> None:
    rows, head = chained([content(number) for number in range(5)])
    assert fault(rows[:3], head) == Fault(4, "Row 4 is missing.")
    assert fault(rows, Head(3, rows[2]["hash"])) == Fault(4, "Row 4 lies behind the end that the head gives.")
    assert fault(rows, Head(5, rows[3]["hash"])) == Fault(5, "The head does not match the last row, 5.")


@pytest.mark.parametrize("value", [1.0, None, b"x"])
def test_what_was_never_written_by_us_is_not_intact(value: object) -> None:
    rows, _ = chained([content(1)])
    assert intact(rows[0])
    assert not intact({**rows[0], "count": value})


def test_the_way_rows_are_sealed_stays_as_it_is() -> None:
    """Logs that were written before have to verify with every later version."""
    rows, _ = chained([content(1)])
    canonical = (
        r'{"action":"action \u00e9","at":"at \u00e9","count":1,"kind":"kind \u00e9","outcome":"outcome \u00e9",'
        r'"patients":"patients \u00e9","position":1,"previous":"","resource_id":"resource_id \u00e9",'
        r'"session_id":"session_id \u00e9","turn_id":"turn_id \u00e9","who":"who \u00e9","why":"why \u00e9"}'
    )
    assert rows[0]["hash"] == hashlib.sha256(canonical.encode()).hexdigest()


def content(number: int) -> dict[str, Any]:
    plain = {name: f"{name} é" for name in COLUMNS if name not in ("position", "previous", "count")}
    return {**plain, "count": number}
