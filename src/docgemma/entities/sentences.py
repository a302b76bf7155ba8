"""Cut streamed text into sentences as early as is safe, and notice when a model has begun to loop.

A sentence is the unit that is checked and released, and nothing released is ever taken back. So a cut must not depend
on how the text happened to arrive: each one is decided from a window of the text alone.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field

LONGEST = 600
"""A sentence longer than this is released at a space: a reader should not wait for a period that never comes."""

_ENDERS = ".?!…"
_CLOSERS = "\"'”’»)]}*_`"
_NEVER_ENDS = re.compile(
    r"e\.g|i\.e|cf|vs?|viz|drs?|mrs?|ms|prof|st|approx|ca|al|pt|resp|incl|excl|esp|subsp|spp?", re.IGNORECASE
)
"""Abbreviations that always have something after them."""

_SELDOM_ENDS = re.compile(
    r"(?:[a-z]\.)+[a-z]|m?c?g|[µu]g|kg|[md]?l|meq|mmol|hr?s?|min|sec|wks?|mos?|yrs?|tabs?|caps?|inj|susp|soln|tbsp|tsp|"
    r"temp|max|etc|inc|ltd|dept|po|[btq]id|qd|prn|iv|im|sc|jr|sr",
    re.IGNORECASE,
)
"""Abbreviations, among them all dotted ones ("b.i.d."), that end a sentence only when a capital follows."""

_BEFORE_NUMBER = re.compile(r"nos?|figs?|refs?|vol|pp?|ch|sec|eq|tbl|art", re.IGNORECASE)
_LIST_MARKER = re.compile(r"[\s>*_#-]*\(?(?:\d{1,3}|[A-Za-z]|[ivx]{1,4})\.$", re.IGNORECASE)
_LAST_WORD = re.compile(r"(\S+)\.$")
_LETTERED = re.compile(
    r"\b(?:vitamin|hepatitis|type|group|grade|class|stage|influenza|factor|protein|category|part|option)\s+\S\.$",
    re.IGNORECASE,
)
"""A single capital that is a name of its own ("vitamin D.") and not somebody's initial."""


class SentenceStream:
    """Pieces in, whole sentences out. Joined, the sentences are the text, character for character."""

    def __init__(self) -> None:
        self._held = ""

    def feed(self, piece: str) -> list[str]:
        """The sentences that this piece completed."""
        self._held += piece
        return self._take(final=False)

    def flush(self) -> list[str]:
        """What is left when the model has stopped."""
        return self._take(final=True)

    def _take(self, *, final: bool) -> list[str]:
        out: list[str] = []
        while self._held and (end := _first_end(self._held, final=final)) is not None:
            out.append(self._held[:end])
            self._held = self._held[end:]
        return out


def split(text: str) -> list[str]:
    """All sentences of a finished text."""
    stream = SentenceStream()
    return stream.feed(text) + stream.flush()


def _first_end(held: str, *, final: bool) -> int | None:
    """Where the first sentence ends, or None while that cannot be known yet."""
    window = held[:LONGEST]
    full = len(held) > LONGEST
    position = 0
    while position < len(window):
        char = window[position]
        if char == "\n":
            return position + 1
        if char not in _ENDERS:
            position += 1
            continue
        stop = _run_end(window, position)
        after = stop
        while after < len(window) and window[after] in " \t\r\f\v\u00a0":
            after += 1
        if after == len(window):
            break  # what follows is not in sight: nothing beyond this point can be decided
        if window[after] == "\n":
            return after + 1
        if after > stop and _ends(window[:stop], window[position:stop], window[after]):
            return after
        position = stop
    if full:
        return _forced_end(window)
    return len(held) if final else None


def _run_end(window: str, start: int) -> int:
    """Past "?!", "..." and the quotes, brackets and emphasis that close with it."""
    end = start
    while end < len(window) and window[end] in _ENDERS:
        end += 1
    while end < len(window) and window[end] in _CLOSERS:
        end += 1
    return end


def _forced_end(window: str) -> int:
    """At a comma in the second half, so that a number keeps its unit; else at a space; else where it stands."""
    comma = max(window.rfind(mark, LONGEST // 2) for mark in (", ", "; ", ": "))
    if comma >= 0:
        return comma + 2
    space = max(window.rfind(" "), window.rfind("\t"))
    return space + 1 if space > 0 else len(window)


def _ends(head: str, run: str, following: str) -> bool:
    """Whether `head`, which closes with `run`, is a whole sentence before `following`."""
    if "?" in run or "!" in run:
        return True
    if following.islower():
        return False
    if run.startswith("..") or "…" in run:
        return following.isupper()
    bare = head.rstrip(_CLOSERS)
    if _LIST_MARKER.fullmatch(bare):
        return False
    return _word_ends(bare, following)


def _word_ends(bare: str, following: str) -> bool:
    found = _LAST_WORD.search(bare)
    word = found[1].lstrip("([{\"'“‘*_`") if found else ""
    if _NEVER_ENDS.fullmatch(word):
        return False
    if _BEFORE_NUMBER.fullmatch(word) and following.isdigit():
        return False
    if _SELDOM_ENDS.fullmatch(word):
        return following.isupper()
    if len(word) == 1 and word.isupper():
        return bool(_LETTERED.search(bare))
    return True


_DECIMAL_POSSIBLE = re.compile(r"(?<![\d.,])\d+\.$")


def complete(sentence: str) -> bool:
    """Whether the last sentence of a stream that was stopped early is whole: it ends, or its line does.

    Asked only of a cut stream: a whole number before the period may have been on its way to a decimal ("0." of 0.5).
    """
    body = sentence.rstrip()
    if not body or "\n" in sentence[len(body) :]:
        return True
    bare = body.rstrip(_CLOSERS)
    if not bare or bare[-1] not in _ENDERS:
        return False
    if bare[-1] != "." or bare.endswith(".."):
        return True
    if bare == sentence and _DECIMAL_POSSIBLE.search(bare):
        return False
    return not _LIST_MARKER.fullmatch(bare) and _word_ends(bare, "A")


_SAME_SENTENCE = 3
_SAME_WORD = 20
_LONGEST_PHRASE = 8
_WORDS = re.compile(r"[^\W_]+")
_MARKER = re.compile(r"^[\W_]*(?:(?:step|item|point|no\.?)\s*)?(?:\d{1,4}|[a-z]|[ivxl]{1,5})[*_]*[.):]+[\s*_]+")
"""The number of a list item: it changes while a model says the same thing again."""


@dataclass(slots=True)
class Repetition:
    """Watches released sentences for a model that goes in circles. Small models do, and never stop by themselves."""

    _seen: Counter[str] = field(default_factory=Counter)
    _words: list[str] = field(default_factory=list)
    _runs: dict[int, int] = field(default_factory=dict)
    _last: str = ""
    _in_a_row: int = 0

    def stop(self, sentence: str) -> bool:
        """True when this sentence shows a loop: stop the model, and do not release the sentence."""
        words = _WORDS.findall(_MARKER.sub("", sentence.lower()))
        if not words:
            return False
        return self._sentence_loops(" ".join(words), len(words)) or self._words_loop(words)

    def _sentence_loops(self, key: str, length: int) -> bool:
        self._in_a_row = self._in_a_row + 1 if key == self._last else 1
        self._last = key
        self._seen[key] += 1
        # "None." under several headings is no loop; the same few words one after the other are.
        return (self._seen[key] if length > 2 else self._in_a_row) >= _SAME_SENTENCE

    def _words_loop(self, words: list[str]) -> bool:
        """A word, or a phrase of a few words, over and over, also across sentence ends."""
        for word in words:
            self._words.append(word)
            for period in range(1, _LONGEST_PHRASE + 1):
                same = len(self._words) > period and self._words[-1 - period] == word
                run = self._runs[period] = self._runs.get(period, 0) + 1 if same else 0
                if run >= max(_SAME_WORD - 1, 3 * period):
                    return True
        return False
