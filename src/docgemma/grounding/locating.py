"""Where an entity stands in its criterion. A model copies words and miscounts places, so code finds the words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

_DASHES = str.maketrans(dict.fromkeys("‐‑‒–—−", "-") | dict.fromkeys("’‘`´", "'") | {"“": '"', "”": '"'})
_ENDINGS = 3
"""So many letters may follow to the end of the word: a model writes `seizure` where the text has `seizures`."""

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Folded:
    """A text without case, runs of blanks and fancy signs; `places` lead back to the original."""

    text: str
    places: tuple[int, ...]


def fold(text: str) -> Folded:
    letters: list[str] = []
    places: list[int] = []
    for place, letter in enumerate(text.translate(_DASHES)):
        if letter.isspace():
            if not letters or letters[-1] == " ":
                continue
            letter = " "
        elif not letter.isprintable():
            continue
        lower = letter.lower()
        letters.append(lower if len(lower) == 1 else letter)
        places.append(place)
    return Folded("".join(letters), tuple(places))


def locate(text: str, wanted: Sequence[tuple[str, int, int]]) -> list[Span | None]:
    """A span for each wanted text with the places that were claimed for it, or None where it does not stand there.

    A claim counts only where exactly these words stand. A text wanted twice gets two places, and a place that lies
    inside another entity is taken only when there is no other.
    """
    folded = fold(text)
    taken: list[Span] = []
    found: list[Span | None] = []
    for words, start, end in wanted:
        claimed = 0 <= start < end <= len(text) and text[start:end] == words
        span = (start, end) if claimed else None
        if span is None or span in taken:
            span = _free(list(_occurrences(folded, fold(words).text.strip())), taken)
        found.append(span)
        if span is not None:
            taken.append(span)
    return found


def _free(spans: Sequence[Span], taken: Sequence[Span]) -> Span | None:
    apart = (span for span in spans if all(span[1] <= start or end <= span[0] for start, end in taken))
    return next(apart, None) or next((span for span in spans if span not in taken), None)


def _occurrences(folded: Folded, words: str) -> Iterator[Span]:
    """Whole words only, but for the ending of the last."""
    at = folded.text.find(words) if words else -1
    while at >= 0:
        end = at + len(words)
        if not (words[0].isalnum() and at > 0 and folded.text[at - 1].isalnum()):
            stop = _word_end(folded.text, end) if words[-1].isalnum() else end
            plain = stop == end or (stop - end <= _ENDINGS and folded.text[end:stop].isalpha() and words[-1].isalpha())
            if plain:
                yield folded.places[at], folded.places[stop - 1] + 1
        at = folded.text.find(words, at + 1)


def _word_end(text: str, at: int) -> int:
    while at < len(text) and text[at].isalnum():
        at += 1
    return at
