"""WordPiece, as BERT models read text: lower case, no accents, known words whole and others in known pieces.

Every piece knows its place in the original text. A special token that somebody types ("[SEP]") is plain text here.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

_LONGEST_WORD = 100
_INVISIBLE = frozenset({"Cc", "Cf", "Co", "Cs", "Cn"})
_CJK = (
    (0x4E00, 0x9FFF),
    (0x3400, 0x4DBF),
    (0x20000, 0x2A6DF),
    (0x2A700, 0x2B73F),
    (0x2B740, 0x2B81F),
    (0x2B820, 0x2CEAF),
    (0xF900, 0xFAFF),
    (0x2F800, 0x2FA1F),
)
"""Scripts without spaces: each character is a word."""


@dataclass(frozen=True, slots=True)
class Piece:
    """One token and the characters of the text that it stands for. `inside`: before it is no border of a word."""

    id: int
    start: int
    end: int
    inside: bool = False


class WordPiece:
    """A vocabulary and how text is cut into it."""

    def __init__(self, vocabulary: dict[str, int]) -> None:
        self._vocabulary = vocabulary
        self._unknown = vocabulary["[UNK]"]

    @classmethod
    def read(cls, path: Path) -> WordPiece:
        """From a vocabulary file: one piece a line, its number is the line's."""
        lines = path.read_text(encoding="utf-8").split("\n")
        return cls({piece: number for number, piece in enumerate(lines) if piece})

    def id(self, piece: str) -> int:
        """The number of a piece of the vocabulary; KeyError for others."""
        return self._vocabulary[piece]

    def ids(self, text: str, longest: int = 256) -> list[int]:
        """The text's numbers between start and end mark; what is beyond the limit is left out."""
        found = [piece.id for piece in islice(self._pieces(text), longest - 2)]
        return [self._vocabulary["[CLS]"], *found, self._vocabulary["[SEP]"]]

    def pieces(self, text: str) -> list[Piece]:
        """The whole text in order. Never fails; characters without meaning (control, invisible) have no piece."""
        return list(self._pieces(text))

    def _pieces(self, text: str) -> Iterator[Piece]:
        for word, places in _words(text):
            yield from self._cut(word, places)

    def _cut(self, word: str, places: list[int]) -> list[Piece]:
        """The longest known beginning, then the longest known continuation; one unknown piece when that fails."""
        whole = [Piece(self._unknown, places[0], places[-1] + 1)]
        if len(word) > _LONGEST_WORD:
            return whole
        found: list[Piece] = []
        start = 0
        while start < len(word):
            mark = "##" if start else ""
            end = next((end for end in range(len(word), start, -1) if mark + word[start:end] in self._vocabulary), 0)
            if not end:
                return whole
            inside = start > 0 and word[start - 1].isalpha() and word[start].isalpha()
            found.append(Piece(self._vocabulary[mark + word[start:end]], places[start], places[end - 1] + 1, inside))
            start = end
        return found


def _words(text: str) -> Iterator[tuple[str, list[int]]]:
    """Runs of letters and digits with the place of each character; every mark and CJK character by itself."""
    word: list[str] = []
    places: list[int] = []
    for plain, place in _characters(text):
        if plain and not _is_mark(plain):
            word.append(plain)
            places.append(place)
            continue
        if word:
            yield "".join(word), places
            word, places = [], []
        if plain:
            yield plain, [place]
    if word:
        yield "".join(word), places


def _characters(text: str) -> Iterator[tuple[str, int]]:
    """Each plain character with its place: nothing for a blank, several where a letter decomposes."""
    for place, character in enumerate(text):
        if _is_space(character):
            yield "", place
        elif _is_mark(character):
            yield character, place
        else:
            yield from ((plain, place) for plain in _plain(character))


def _is_space(character: str) -> bool:
    """Blanks part words; other control characters are as if they were not there."""
    return character in "\t\n\r" or (character.isspace() and unicodedata.category(character) != "Cc")


def _plain(character: str) -> str:
    """Lower case without accents; nothing for what cannot be seen."""
    if character == "\ufffd" or unicodedata.category(character) in _INVISIBLE:
        return ""
    decomposed = unicodedata.normalize("NFD", character).lower()
    return "".join(mark for mark in decomposed if unicodedata.category(mark) != "Mn")


def _is_mark(character: str) -> bool:
    code = ord(character)
    if 33 <= code <= 47 or 58 <= code <= 64 or 91 <= code <= 96 or 123 <= code <= 126:
        return True
    return unicodedata.category(character).startswith("P") or any(low <= code <= high for low, high in _CJK)
