"""From numbers to meaning: the likeliest chain of tags, and the spans of the text that it marks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, cast

from docgemma.embed.wordpiece import Piece
from docgemma.reader.labels import SPAN_TYPES, TAGS, SpanType

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class FoundSpan:
    """Words of the text. `first` and `last` are the numbers of its pieces, the last one not included."""

    type: SpanType
    start: int
    end: int
    first: int
    last: int
    probability: float


@cache
def _allowed() -> NDArray[Any]:
    """0 where one tag may follow another, minus infinity where it may not: inside a span only after its beginning."""
    import numpy as np

    table = np.zeros((len(TAGS), len(TAGS)))
    for column, tag in enumerate(TAGS):
        if tag.startswith("I-"):
            for row, before in enumerate(TAGS):
                if before[1:] != tag[1:] or before == "O":
                    table[row, column] = -np.inf
    return table


@cache
def _allowed_inside_a_word() -> NDArray[Any]:
    """The same for the later pieces of a word: no span begins or ends there."""
    import numpy as np

    table = np.full((len(TAGS), len(TAGS)), -np.inf)
    table[0, 0] = 0
    for column, tag in enumerate(TAGS):
        if tag.startswith("I-"):
            table[[TAGS.index(f"B{tag[1:]}"), column], column] = 0
    return table


def best_tags(chances: NDArray[Any], inside: Sequence[bool] = ()) -> list[int]:
    """The likeliest chain of tags that is well formed (Viterbi), one for each row.

    `inside` says of each row whether it is a later piece of the word before it.
    """
    import numpy as np

    if not len(chances):
        return []
    joined = list(inside) or [False] * len(chances)
    logs = np.log(np.maximum(chances, 1e-9))
    score = logs[0].copy()
    score[2::2] = -np.inf  # nothing begins inside a span
    back = []
    for row, glued in zip(logs[1:], joined[1:], strict=True):
        together = score[:, None] + (_allowed_inside_a_word() if glued else _allowed())
        best = together.argmax(0)
        back.append(best)
        score = together[best, np.arange(len(best))] + row
    chain = [int(score.argmax())]
    for best in reversed(back):
        chain.append(int(best[chain[-1]]))
    return chain[::-1]


def spans_of(chances: NDArray[Any], pieces: Sequence[Piece]) -> list[FoundSpan]:
    """The spans of the likeliest chain of tags, in order. `probability` is that of its least likely token."""
    tags = best_tags(chances, [piece.inside for piece in pieces])
    found: list[FoundSpan] = []
    place = 0
    while place < len(tags):
        tag = TAGS[tags[place]]
        if tag == "O":
            place += 1
            continue
        end = place + 1
        while end < len(tags) and TAGS[tags[end]] == f"I-{tag[2:]}":
            end += 1
        chance = float(min(chances[number][tags[number]] for number in range(place, end)))
        kind = cast(SpanType, tag[2:])
        assert kind in SPAN_TYPES
        found.append(FoundSpan(kind, pieces[place].start, pieces[end - 1].end, place, end, chance))
        place = end
    return found
