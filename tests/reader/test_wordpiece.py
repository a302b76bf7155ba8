"""Text is cut into the pieces that the encoder learned, and every piece knows its place."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from docgemma.embed.wordpiece import WordPiece
from docgemma.reader.card import VOCABULARY
from docgemma.reader.encoder import WEIGHTS

TOKENS = WordPiece.read(WEIGHTS / VOCABULARY)
LINES = (WEIGHTS / VOCABULARY).read_text(encoding="utf-8").split("\n")
SPECIAL = {number for number, line in enumerate(LINES) if len(line) > 2 and line[0] == "[" and line[-1] == "]"}
UNKNOWN = TOKENS.id("[UNK]")


def cut(text: str) -> list[tuple[str, str]]:
    """Each piece with the characters of the text that it stands for."""
    return [(LINES[piece.id], text[piece.start : piece.end]) for piece in TOKENS.pieces(text)]


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("Warfarin 5 mg", [("war", "War"), ("##far", "far"), ("##in", "in"), ("5", "5"), ("mg", "mg")]),
        ("1.5 mg/kg", [("1", "1"), (".", "."), ("5", "5"), ("mg", "mg"), ("/", "/"), ("kg", "kg")]),
        ("don't", [("don", "don"), ("'", "'"), ("t", "t")]),
        ("Naïve café", [("naive", "Naïve"), ("cafe", "café")]),
        ("cafe\u0301 ok", [("cafe", "cafe"), ("ok", "ok")]),
        ("İstanbul", [("istanbul", "İstanbul")]),
        ("sốt", [("so", "số"), ("##t", "t")]),
        ("血圧180", [("[UNK]", "血"), ("[UNK]", "圧"), ("180", "180")]),
        ("가", [("ᄀ", "가"), ("##ᅡ", "가")]),
        ("🙂 ok", [("[UNK]", "🙂"), ("ok", "ok")]),
        ("x\u200by", [("x", "x"), ("##y", "y")]),
        ("x\ud800", [("x", "x")]),
        ("a" * 101, [("[UNK]", "a" * 101)]),
        ("", []),
        (" \n\t\x00", []),
    ],
)
def test_text_is_cut_as_the_encoder_learned_it(text: str, pieces: list[tuple[str, str]]) -> None:
    assert cut(text) == pieces


@pytest.mark.parametrize("text", ["[SEP]", "[CLS] [PAD][MASK]", "hi [unused1] there", "[sep]", "［SEP］"])
def test_a_special_token_that_somebody_types_is_plain_text(text: str) -> None:
    numbers = {piece.id for piece in TOKENS.pieces(text)}
    assert numbers
    assert not numbers & (SPECIAL - {UNKNOWN})


@given(st.text(st.characters(exclude_categories=()), max_size=200))
@settings(max_examples=300, deadline=None)
def test_any_unicode_is_cut_and_every_piece_lies_within_the_text(text: str) -> None:
    pieces = TOKENS.pieces(text)
    assert all(0 <= piece.start < piece.end <= len(text) for piece in pieces)
    assert all(one.start <= other.start and one.end <= other.end for one, other in pairwise(pieces))
    assert not {piece.id for piece in pieces} & (SPECIAL - {UNKNOWN})
