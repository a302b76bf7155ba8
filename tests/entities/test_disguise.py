"""Names that hide behind look-alike letters: read with a word to the user, never written."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from docgemma.agent.arguments import Context, find
from docgemma.agent.understanding.reading import read
from docgemma.entities.drugs.disguise import disguises, fold, hidden
from docgemma.entities.drugs.names import drugs_in
from docgemma.entities.drugs.spelling import resolve
from docgemma.orders import drafting
from docgemma.orders.drafting import Unclear
from docgemma.reader.loading import PACKAGED

_ATTACKS = Path(__file__).parent.parent / "fixtures" / "attacks"
with (_ATTACKS / "homoglyph_drugs.jsonl").open(encoding="utf-8", newline="\n") as _file:
    _ROWS = [json.loads(line) for line in _file]  # by line feeds alone: one row holds a line separator
_UNSEEN = {"zero width", "soft hyphen", "rtl override", "line sep", "private use"}


def test_all_rows_are_there() -> None:
    assert len(_ROWS) == 15


@pytest.mark.parametrize("row", _ROWS, ids=lambda row: row["kind"])
def test_a_read_takes_the_drug_it_looks_like_and_can_say_so(row: dict[str, str]) -> None:
    text = f"interactions of {row['text']} with aspirin"
    found = disguises(text)
    assert [mention.value for mention in found] == ([] if row["looks_like"] == "?" else [row["looks_like"]])
    assert all(text[mention.start : mention.end] == mention.text == row["text"] for mention in found)


@pytest.mark.parametrize("row", _ROWS, ids=lambda row: row["kind"])
def test_a_write_is_never_made_from_it(row: dict[str, str]) -> None:
    text = f"Prescribe {row['text']} 5 mg daily for abc-123"
    assert drugs_in(text) == ()
    assert_asked_about(text, row["text"])
    resolution = resolve(row["text"])
    if row["looks_like"] == "?":
        assert resolution.kind == "unknown"
    else:
        assert (resolution.kind, resolution.suggestions) == ("disguised", (row["looks_like"],))
    assert bool(hidden(text)) == (row["kind"] in _UNSEEN)


@pytest.mark.parametrize("name", ["\u212aeflex", "vvarfarin", "insulin gl\u0430rgine"])
def test_neither_the_drug_nor_its_honest_half_is_ordered(name: str) -> None:
    assert_asked_about(f"Prescribe {name} 10 units daily for abc-123", name)


def assert_asked_about(text: str, name: str) -> None:
    """The order holds the name as it was written, if any, and no card is made of it."""
    found = read(PACKAGED, text)
    assert found.drugs == ()
    args = find("prescribe_medication", Context(found)).args
    if "medication_name" in args:
        written = str(args["medication_name"].value)
        assert written in name
        asked = drafting.prescription("abc-123", written, "5 mg", "daily", "")
        assert isinstance(asked, Unclear)
        assert asked.missing == ("medication_name",)


@pytest.mark.parametrize(
    ("text", "drug"),
    [
        ("ωarfarin", "warfarin"),
        ("\U0001d430arfarin", "warfarin"),
        ("cIonidine", "clonidine"),
        ("1orazepam", "lorazepam"),
        ("vvarfarin", "warfarin"),
        ("insulin gl\u00e5rg\u0456ne", "insulin glargine"),
        ("\u2066warfarin\u2069", "warfarin"),
        ("metf\u3164ormin", "metformin"),
    ],
)
def test_other_disguises(text: str, drug: str) -> None:
    assert [mention.value for mention in disguises(text)] == [drug]
    assert drugs_in(text) == () or drugs_in(text)[0].value != drug


@pytest.mark.parametrize(
    "text",
    [
        "Mme Lefèvre, M. Núñez and Łukasz take paracétamol and amoxicilline",
        "morning internal return warning 10 mg 1/2 tablet B12 covid19 5-10 µg",
        "Иван принимает лекарство, η γιαγιά, मरीज\u200dको",
        "warfarin 5 mg – “as before” … ok",
        "metformin500mg, Dolo-650",
    ],
)
def test_honest_text_hides_nothing(text: str) -> None:
    assert disguises(text) == ()
    assert hidden(text) == ()


def test_the_fold_knows_where_each_letter_came_from() -> None:
    folded = fold("take w\u0430r\u200bfarin")
    assert (folded.text, folded.changed) == ("take warfarin", True)
    assert folded.origin(5, 13) == (5, 14)
    assert not fold("take warfarin").changed


@given(st.text(max_size=300))
@settings(max_examples=200, deadline=None)
def test_any_text_can_be_folded(text: str) -> None:
    folded = fold(text)
    assert len(folded.text) == len(folded.places)
    for mention in (*disguises(text), *hidden(text)):
        assert text[mention.start : mention.end] == mention.text
