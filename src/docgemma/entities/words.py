"""Words, sentences and quotations of a message. Every other finder stands on these, so all of them run in linear time.

A combining mark or an invisible character belongs to the word around it: a drug name that hides one is then another
word and is not silently taken for the drug.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

_HIDDEN = "\u00ad\u0300-\u036f\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff"
WORD = re.compile(rf"[\w{_HIDDEN}]+(?:[-'’][\w{_HIDDEN}]+)*|[^\w\s]")
"""One word (with inner hyphens and apostrophes) or one mark. Always consumes what it reads: linear."""

_QUOTED = re.compile(
    r'"[^"]{1,4000}"|“[^“”]{1,4000}”|«[^«»]{1,4000}»|`[^`]{1,4000}`'
    r"|(?<!\w)'[^'\n]{1,4000}'(?!\w)|(?<!\w)‘[^‘’\n]{1,4000}’(?!\w)|(?:^|(?<=\n))>[^\n]{0,4000}"
)


def word_set(listed: str) -> frozenset[str]:
    """A vocabulary, written as people read it."""
    return frozenset(listed.split())


def phrase_list(listed: str) -> tuple[str, ...]:
    """A vocabulary of phrases, separated by commas."""
    return tuple(" ".join(phrase.split()) for phrase in listed.split(","))


_ABBREVIATIONS = word_set(
    "dr mr mrs ms mx prof st jr sr pt vs approx e.g i.e eg ie no dob tab tabs cap caps inj max min hr hrs"
)
_ENDS = frozenset(".?!;\n")


@dataclass(frozen=True, slots=True)
class Word:
    """A word or a mark, where it stands, and its lower-case form with a plain apostrophe."""

    text: str
    start: int
    end: int
    low: str

    @property
    def capital(self) -> bool:
        return self.text[0].isupper()


@dataclass(frozen=True, slots=True)
class Sentence:
    """Words up to and without the closing mark."""

    words: tuple[Word, ...]
    mark: str

    @property
    def start(self) -> int:
        return self.words[0].start

    @property
    def end(self) -> int:
        return self.words[-1].end


def words(text: str) -> list[Word]:
    """Every word and mark in order."""
    return [Word(m.group(), m.start(), m.end(), m.group().lower().replace("’", "'")) for m in WORD.finditer(text)]


def without_quotes(text: str) -> str:
    """The same text with quotations blanked, place for place: what is quoted is not the user's own request."""
    return _QUOTED.sub(lambda match: " " * (match.end() - match.start()), text)


def replaced(text: str, changes: Iterable[tuple[int, int, str]]) -> str:
    """The text with some places exchanged; changes come in order and do not overlap."""
    pieces: list[str] = []
    done = 0
    for start, end, new in changes:
        if start >= done:
            pieces += (text[done:start], new)
            done = end
    return "".join([*pieces, text[done:]])


def sentences(text: str, tokens: Sequence[Word]) -> Iterator[Sentence]:
    """Split at closing marks and line ends; a point inside "Dr. Lee" or "0.5" ends nothing."""
    begun: list[Word] = []
    for index, word in enumerate(tokens):
        gap = text[begun[-1].end : word.start] if begun else ""
        if "\n" in gap:
            yield Sentence(tuple(begun), "\n")
            begun = []
        if word.text in _ENDS and _closes(text, tokens, index):
            if begun:
                yield Sentence(tuple(begun), word.text)
            begun = []
        else:
            begun.append(word)
    if begun:
        yield Sentence(tuple(begun), "")


def _closes(text: str, tokens: Sequence[Word], index: int) -> bool:
    word = tokens[index]
    if word.text != ".":
        return True
    if word.end < len(text) and not text[word.end].isspace():
        return False
    before = tokens[index - 1].low if index else ""
    return not (before in _ABBREVIATIONS or (len(before) == 1 and before.isalpha()))
