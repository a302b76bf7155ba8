"""What is sent to a server: few values, none of which means anything but itself."""

from __future__ import annotations

import re
import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from docgemma.ehr.contract import Params
from docgemma.ehr.patients.identifiers import identifier_queries, ids_written, logical_ids
from docgemma.ehr.patients.names import readings
from docgemma.ehr.patients.queries import born_queries, exact_queries, near_queries
from docgemma.errors import BadInput


def values(queries: list[Params]) -> list[str]:
    return [value for params in queries for _, listed in params for value in listed.split(",")]


@given(text=st.text(max_size=150), folds=st.booleans())
def test_a_name_is_sent_as_letters_only(text: str, folds: bool) -> None:
    try:
        asked = readings(text)[0]
    except BadInput:
        return
    if not asked.words:
        return
    queries = [*exact_queries(asked, folds=folds), *near_queries(asked, folds=folds)]
    assert len(queries) <= 6
    for value in values(queries):
        assert 0 < len(value) <= 130
        assert all(
            letter.isalnum() or unicodedata.category(letter)[0] == "M" or letter in "'’ʼ‘`´ʻ" for letter in value
        )
    assert all(len(listed) < 10_000 for params in queries for _, listed in params)


@given(st.text(max_size=150))
def test_a_number_is_sent_without_what_servers_read_as_signs(text: str) -> None:
    written = ids_written(text)
    for params in identifier_queries(written):
        assert not re.search(r"[\\$&?#%\n]", params[0][1])
        assert params[0][1].count(",") < 30
    assert all(re.fullmatch(r"[A-Za-z0-9.-]{1,64}", id_) for id_ in logical_ids(written))


def test_dates_as_whole_days_where_only_a_part_is_known() -> None:
    assert born_queries("1980-03-04")[0] == [("birthdate", "1980-03-04")]
    assert born_queries("1980") == [[("birthdate", "ge1980-01-01"), ("birthdate", "le1980-12-31")]]
    assert born_queries("1980-02") == [[("birthdate", "ge1980-02-01"), ("birthdate", "le1980-02-29")]]
