from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docgemma.sources.contract import SourceError
from docgemma.sources.openfda.query import asked_name, quoted, rungs
from docgemma.sources.openfda.texts import words
from tests.support.fake_openfda import parsed


def test_whole_names_first_then_words_then_product_data() -> None:
    exact, spoken, elements = rungs("Lipitor")
    assert exact == (
        'openfda.generic_name.exact:"LIPITOR" OR openfda.brand_name.exact:"LIPITOR" '
        'OR openfda.substance_name.exact:"LIPITOR"'
    )
    assert spoken.count('"Lipitor"') == 3
    assert elements == 'spl_product_data_elements:"Lipitor"'


@pytest.mark.parametrize(
    "name", ["amoxicillin+clavulanate", "amoxicillin / clavulanate", "amoxicillin and clavulanate"]
)
def test_the_parts_of_a_combination_are_each_asked_for(name: str) -> None:
    assert (
        '(openfda.generic_name:"amoxicillin" OR openfda.substance_name:"amoxicillin") AND '
        '(openfda.generic_name:"clavulanate" OR openfda.substance_name:"clavulanate")'
    ) in rungs(name)


@pytest.mark.parametrize("name", ["", "  ", '"', "\\", "\u200b", "+", "x" * 201])
def test_what_is_no_name_is_not_asked_for(name: str) -> None:
    with pytest.raises(SourceError) as caught:
        asked_name(name)
    assert caught.value.error_type == "invalid_args"


def test_a_backslash_at_the_end_does_not_open_the_query() -> None:
    assert quoted("warfarin\\") == '"warfarin\\\\"'
    assert quoted('a"b\\') == '"a\\"b\\\\"'


@given(st.text(min_size=1, max_size=60) | st.from_regex(r'[a-z]{1,8}["\\ +^~:()*\x00]{1,4}[a-z]{0,4}', fullmatch=True))
def test_every_query_can_be_parsed_and_every_phrase_is_quoted(name: str) -> None:
    if not words(name):
        return
    for query in rungs(asked_name(name)):
        parsed(query)
        outside_quotes = re.sub(r'"(?:[^"\\]|\\.)*"', "", query)
        assert re.fullmatch(r"(?:[a-z_.]+:| (?:OR|AND) |[()])+", outside_quotes)
        assert not set("+^~*?") & set(query)
        assert query.isprintable() or not query.isascii()
        assert "_exists_" not in outside_quotes
