"""Whether a number with a comparison follows an entity: what is compared is a measurement.

Read word by word, so that nothing between the entity and the number is overlooked: another entity, a comma or any word
that does not compare ends it.
"""

from __future__ import annotations

from collections.abc import Sequence

from docgemma.entities.words import word_set
from docgemma.terminology.linking.words import Word

_COMPARING = word_set(
    """of is was must should be at least most less more greater lower higher than or equal to above below under over
    between up not no exceeding exceed exceeds screening baseline"""
)
_SIGNS = frozenset("<>=≤≥≧≦~ /\\")
_TIMES = word_set("hour day week month year")
_MOST_WORDS = 8


def number_after(words: Sequence[Word], last: int) -> int | None:
    """The place of the number that the words before `last` are compared with; None where there is none, or a time."""
    compared = False
    for place in range(last, min(last + _MOST_WORDS, len(words))):
        gap = words[place - 1].gap
        if not _SIGNS.issuperset(gap):
            return None
        compared = compared or gap.strip(" /\\") != ""
        word = words[place]
        if word.text[0].isdigit():
            timed = place + 1 < len(words) and words[place + 1].key in _TIMES
            return place if compared and not timed else None
        if word.low not in _COMPARING:
            return None
        compared = True
    return None
