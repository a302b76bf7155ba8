"""Text from outside that talks to a program instead of a reader.

Labels, abstracts, trials and notes are full of orders ("Discontinue the infusion", "Tell your doctor"), all meant for
people. What is looked for here is meant for an agent: turn tokens, calls of a tool, orders to act on a chart, claims
that nobody needs to confirm. Nothing rests on this alone: retrieved text can never make a card. It keeps such passages
out of prompts and answers and lets a person see that they were there.
"""

from __future__ import annotations

import re
from base64 import b64decode
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, replace

from docgemma.entities.drugs.disguise import Folded, fold
from docgemma.entities.instruction_gate import suspected
from docgemma.entities.words import replaced, sentences, words

_PASSAGE = 200
_MOST = 20
_ROUNDS = 4
_MOST_FOLDS = 20_000
_NO_BREAKS = str.maketrans("\n\r\t\f\v", "     ")
_LETTERS = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 .,:;'\"()[]{}<>/!?@_=+-#*\n")
_BLOB = re.compile(r"[A-Za-z0-9+/_-]{20,4000}={0,2}")
_HEX = re.compile(r"\b(?:[0-9A-Fa-f]{2}[ :]?){16,2000}")
_WORDS = re.compile(r"[A-Za-z][A-Za-z'.,:;-]{0,24}(?:\s[\w'\"(),.:;!?/@=<>{}\[\]-]{1,30}){2}")


@dataclass(frozen=True, slots=True)
class _Passage:
    """Whole sentences from `start` to `end`; what gave them away begins at `hit`."""

    start: int
    end: int
    hit: int


def instructions_in(text: str) -> tuple[str, ...]:
    """The sentences that talk to a program, as they stand there, each cut to 200 characters; empty when there are none.

    At most twenty are given: what holds more is hostile anyway.
    """
    shown = (_shown(text, passage) for passage in _passages(text))
    return tuple(dict.fromkeys(passage for passage in shown if passage))[:_MOST]


def without_instructions(text: str) -> str:
    """The text without the sentences that talk to a program; a clean text comes back as it is.

    Taking a sentence out may bring two halves of another one together, so the rest is read again. A text that still
    gives orders after a few rounds was built for this, and nothing of it is kept.
    """
    for _ in range(_ROUNDS):
        passages = _passages(text)
        if not passages:
            return text
        text = replaced(text, ((passage.start, passage.end, "") for passage in passages))
    return "" if _passages(text) else text


def _shown(text: str, passage: _Passage) -> str:
    """A long sentence is shown from the words that gave it away."""
    start = passage.start if passage.end - passage.start <= _PASSAGE else passage.hit
    return text[start : passage.end].strip()[:_PASSAGE].strip()


def _passages(text: str) -> list[_Passage]:
    """Whole sentences around every hit, in order and apart from each other."""
    plain = text if _is_plain(text) else text.translate(_FOLDS)
    low = plain.lower()
    hits = sorted([*_hits(low if len(low) == len(plain) else plain), *_encoded(plain)])
    if not hits:
        return []
    folded = _places(text)
    starts = [sentence.start for sentence in sentences(folded.text, words(folded.text))] or [0]
    starts[0] = 0
    found: list[_Passage] = []
    for start, end in hits:
        first = bisect_right(starts, start) - 1
        after = bisect_right(starts, end - 1)
        begin = folded.places[starts[first]] if first else 0
        stop = folded.places[starts[after]] if after < len(starts) else len(text)
        if found and begin < found[-1].end:
            found[-1] = replace(found[-1], end=max(stop, found[-1].end))
        else:
            found.append(_Passage(begin, stop, folded.places[start]))
    return found


def _is_plain(text: str) -> bool:
    """In Latin letters without invisible characters, as most texts are."""
    return text.isascii() and text.translate(_NO_BREAKS).isprintable()


def _places(text: str) -> Folded:
    """The folded text with the places of its characters, which only a text with hits needs."""
    if _is_plain(text):
        return Folded(text, range(len(text)), changed=False)
    folded = fold(text)
    return replace(folded, text=_barred(folded.text))


def _barred(letters: str) -> str:
    """The Vietnamese đ is a letter of its own for Unicode; who writes without accents writes d."""
    return letters.replace("đ", "d").replace("Đ", "D")


class _Folds(dict[int, str]):
    """What each character folds to, filled as characters come: the text of `fold` without its places, and faster."""

    def __missing__(self, code: int) -> str:
        if len(self) >= _MOST_FOLDS:
            self.clear()
        return self.setdefault(code, _barred(fold(chr(code)).text))


_FOLDS = _Folds()


def _hits(low: str) -> Iterator[tuple[int, int]]:
    for rule in suspected(low):
        yield from (match.span() for match in rule.finditer(low))


def _encoded(text: str) -> Iterator[tuple[int, int]]:
    """Stretches of base64 or hexadecimal digits that spell words: no label or abstract hides its sentences."""
    for blob in _BLOB.finditer(text):
        written = blob.group().rstrip("=").replace("-", "+").replace("_", "/")
        if any(_readable(b64decode(_filled(written[skip:]))) for skip in range(4)):
            yield blob.span()
    for blob in _HEX.finditer(text):
        digits = blob.group().replace(" ", "").replace(":", "")
        if _readable(bytes.fromhex(digits)):
            yield blob.span()


def _filled(written: str) -> str:
    """Whole groups of four characters; a single left-over one means nothing."""
    whole = written[:-1] if len(written) % 4 == 1 else written
    return whole + "=" * (-len(whole) % 4)


def _readable(data: bytes) -> bool:
    """Mostly letters and blanks, with at least three words in a row."""
    plain = sum(byte in _LETTERS for byte in data)
    return bool(data) and plain >= 0.9 * len(data) and _WORDS.search(data.decode("ascii", "replace")) is not None
