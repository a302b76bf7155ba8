"""Whatever the text and whatever a foreign server says it found: spans lie in it, in order and apart."""

from __future__ import annotations

import sys
from itertools import pairwise
from types import FrameType

from hypothesis import given, settings
from hypothesis import strategies as st

from docgemma.grounding.extracting.comparing import number_after
from docgemma.grounding.extracting.extract import extract
from docgemma.grounding.extracting.spelling import corrected
from docgemma.grounding.extracting.tables import heads, listed, phrases
from docgemma.terminology.contract import ENTITY_TYPES, EntityType, Linked
from docgemma.terminology.linking.words import words

PIECES = """EGFR BRAF V600E mutation exon 19 deletion HER2 - positive anti PD-L1 inhibitor therapy / , ; ( )
    severe renal impairment of the hip ≥ 3 x ULN serum IGA score years old 18 women childbearing potential breast or
    ovarian cancer testosterone 50 ng/dL type 2 diabetes (T2D) T2D ü İ ½ ' ’s \u200b no disease"""
SEPARATORS = st.sampled_from((" ", "", "-", "\n"))
JOINED = st.builds(str.join, SEPARATORS, st.lists(st.sampled_from(PIECES.split()), max_size=40))
TEXTS = st.one_of(st.text(max_size=120), JOINED)
KINDS = st.sampled_from((*ENTITY_TYPES, None))
PLACES = st.tuples(st.integers(0, 130), st.integers(0, 130), KINDS)


@given(TEXTS, st.lists(PLACES, max_size=6), TEXTS)
@settings(max_examples=250, deadline=None)
def test_entities_lie_in_the_text_in_order_and_apart(
    text: str, places: list[tuple[int, int, EntityType | None]], context: str
) -> None:
    mentions = [
        Linked.model_construct(text="", start=a, end=b, type=kind, term="", candidates=()) for a, b, kind in places
    ]
    found = extract(text, mentions, context)
    assert all(one.text == text[one.start : one.end] and one.text for one in found)
    assert all(one.end <= two.start for one, two in pairwise(found))
    assert all(one.search_term and one.entity_type in ENTITY_TYPES for one in found)


def test_the_tables_agree_with_themselves() -> None:
    table = phrases()
    assert len(table.by_key) > 400
    assert not {key for key, head in heads().words.items() if key in listed("not_heads") or not head.type}
    assert all(" " not in key for key in heads().words)
    both = {key for key in heads().words if key in listed("boundaries")}
    assert both == set(), "a head that ends every name can never stand before another"


def test_a_misspelling_is_one_letter_of_a_long_word() -> None:
    told = {word: corrected(word) for word in ("hypertention", "clearence", "injection", "acute", "operating")}
    assert told == {
        "hypertention": "hypertension",
        "clearence": "clearance",
        "injection": "injection",
        "acute": "acute",
        "operating": "operating",
    }


def test_a_comparison_is_read_word_by_word() -> None:
    table = {
        "IGA ≥ 3": True,
        "IGA of at least 3": True,
        "IGA 3": False,
        "IGA, 3": False,
        "IGA and gout > 3": False,
        "IGA > 3 weeks ago": False,
    }
    assert {text: number_after(words(text), 1) is not None for text in table} == table


def test_work_grows_with_the_length_of_the_text() -> None:
    """Counted in calls, not in seconds: twenty times the text costs about twenty times the calls."""

    def calls(size: int) -> int:
        text = "severe renal impairment of the hip, breast or ovarian cancer and IGA of at least 3 " * size
        count = 0

        def counted(frame: FrameType, event: str, arg: object) -> None:
            nonlocal count
            count += event in {"call", "c_call"}

        before = sys.getprofile()
        sys.setprofile(counted)
        try:
            extract(text, [])
        finally:
            sys.setprofile(before)
        return count

    calls(1)
    assert calls(40) < calls(2) * 20 * 1.5
