"""WordPiece, as BERT models read text: lower case, no accents, known words whole and others in known pieces.

It agrees with the tokenizer that the model was trained with, but for one thing: a special token that somebody types
("[SEP]") is plain text here.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

_LONGEST_WORD = 100
_INVISIBLE = frozenset({"Cc", "Cf", "Co", "Cs"})
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


class WordPiece:
    """A vocabulary and how text is cut into it."""

    def __init__(self, vocabulary: dict[str, int], longest: int) -> None:
        self._vocabulary = vocabulary
        self._room = longest - 2
        self._start, self._end, self._unknown = (vocabulary[name] for name in ("[CLS]", "[SEP]", "[UNK]"))

    @classmethod
    def read(cls, path: Path, longest: int = 256) -> WordPiece:
        """From a vocabulary file: one piece a line, its number is the line's."""
        lines = path.read_text(encoding="utf-8").split("\n")
        return cls({piece: number for number, piece in enumerate(lines) if piece}, longest)

    def ids(self, text: str) -> list[int]:
        """The text's numbers between start and end mark; what is beyond the limit is left out."""
        found: list[int] = []
        for word in _words(text):
            found += self._pieces(word)
            if len(found) >= self._room:
                break
        return [self._start, *found[: self._room], self._end]

    def _pieces(self, word: str) -> list[int]:
        """The longest known beginning, then the longest known continuation; all unknown when one piece is."""
        if len(word) > _LONGEST_WORD:
            return [self._unknown]
        found: list[int] = []
        start = 0
        while start < len(word):
            mark = "##" if start else ""
            end = next((end for end in range(len(word), start, -1) if mark + word[start:end] in self._vocabulary), 0)
            if not end:
                return [self._unknown]
            found.append(self._vocabulary[mark + word[start:end]])
            start = end
        return found


def _words(text: str) -> Iterator[str]:
    """Runs of letters and digits; every mark and every CJK character by itself."""
    plain = unicodedata.normalize("NFD", "".join(_clean(text)))
    for word in "".join(mark for mark in plain if unicodedata.category(mark) != "Mn").lower().split():
        for alone, run in groupby(word, key=_is_mark):
            if alone:
                yield from run
            else:
                yield "".join(run)


def _clean(text: str) -> Iterator[str]:
    """Without control characters; any white space is a space."""
    for character in text:
        if character in "\t\n\r":
            yield " "
        elif character == "\ufffd" or unicodedata.category(character) in _INVISIBLE:
            continue
        elif character.isspace():
            yield " "
        else:
            yield f" {character} " if _is_cjk(character) else character


def _is_cjk(character: str) -> bool:
    place = ord(character)
    return place >= _CJK[1][0] and any(first <= place <= last for first, last in _CJK)


def _is_mark(character: str) -> bool:
    if character.isascii():
        return not character.isalnum()
    return unicodedata.category(character)[0] == "P"
