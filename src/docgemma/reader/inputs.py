"""What the encoder is given for one message: token numbers, where they stand, and what exact code knows of them.

    [CLS] screen? question-kind question  before … [SEP] message [SEP]

The context is cut, never the message: a long message is read in windows that overlap, each with the same context.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from docgemma.embed.wordpiece import Piece, WordPiece
from docgemma.reader.labels import QUESTION_KINDS

LONGEST = 512
CONTEXT_ROOM = 96
QUESTION_ROOM = 32
EARLIER_ROOM = 40
MOST_EARLIER = 3
WINDOW = LONGEST - CONTEXT_ROOM - 3
STRIDE = WINDOW // 2
DRUG = 1
"""The feature of a token that lies in a name of the drug dictionary; 0 for all others."""

FEATURES = 2
Spans = Sequence[tuple[int, int]]
DrugFinder = Callable[[str], Spans]
"""Places of known drug names in a text."""


@dataclass(frozen=True, slots=True)
class Window:
    """One run of the encoder. `first` is the token at which the message begins, `pieces` what it holds of it."""

    ids: list[int]
    segments: list[int]
    features: list[int]
    first: int
    pieces: list[Piece]
    offset: int  # number of the first of these pieces within the message


def windows(
    message: str,
    *,
    before: Sequence[str],
    question: tuple[str, str] | None,
    on_screen: bool,
    tokens: WordPiece,
    drugs: DrugFinder,
) -> list[Window]:
    """At least one window, also for an empty message. `question` is the kind and the text of what was asked."""
    context, known = _context(before, question, on_screen, tokens, drugs)
    start, end = tokens.id("[CLS]"), tokens.id("[SEP]")
    pieces = tokens.pieces(message)
    flags = _flags(pieces, drugs(message))
    found: list[Window] = []
    for offset in _offsets(len(pieces)):
        part, part_flags = pieces[offset : offset + WINDOW], flags[offset : offset + WINDOW]
        head = [start, *context, end]
        found.append(
            Window(
                ids=[*head, *(piece.id for piece in part), end],
                segments=[0] * len(head) + [1] * (len(part) + 1),
                features=[0, *known, 0, *part_flags, 0],
                first=len(head),
                pieces=part,
                offset=offset,
            )
        )
    return found


def _offsets(length: int) -> list[int]:
    if length <= WINDOW:
        return [0]
    return [*range(0, length - WINDOW, STRIDE), length - WINDOW]


def _context(
    before: Sequence[str], question: tuple[str, str] | None, on_screen: bool, tokens: WordPiece, drugs: DrugFinder
) -> tuple[list[int], list[int]]:
    """The newest earlier messages last; where there is no room the oldest goes first."""
    head = [tokens.id("[unused1]")] if on_screen else []
    flags = [0] * len(head)
    if question is not None:
        kind, text = question
        pieces = tokens.pieces(text)[:QUESTION_ROOM]
        head += [tokens.id(f"[unused{10 + QUESTION_KINDS.index(kind)}]"), *(piece.id for piece in pieces)]
        flags += [0, *_flags(pieces, drugs(text))]
    earlier: list[tuple[list[int], list[int]]] = []
    room = CONTEXT_ROOM - len(head)
    for text in reversed(before[-MOST_EARLIER:]):
        pieces = tokens.pieces(text)[:EARLIER_ROOM]
        if len(pieces) + 1 > room:
            break
        room -= len(pieces) + 1
        earlier.insert(
            0, ([tokens.id("[unused2]"), *(piece.id for piece in pieces)], [0, *_flags(pieces, drugs(text))])
        )
    return head + [id_ for ids, _ in earlier for id_ in ids], flags + [flag for _, some in earlier for flag in some]


def _flags(pieces: Sequence[Piece], spans: Spans) -> list[int]:
    return [DRUG if any(start <= piece.start < end for start, end in spans) else 0 for piece in pieces]
