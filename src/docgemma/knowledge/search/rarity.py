"""How much a word says: a rare one names the subject, a common one is in every second text.

The table ships with the program, so that relevance means the same in a base of fifty entries and of a hundred thousand.
"""

from __future__ import annotations

from functools import cache

from docgemma.knowledge.search.english import stem
from docgemma.knowledge.search.tables import lines

TABLE, _EVERYDAY = "common.en.txt", "everyday.en.txt"
RAREST = 7.5
"""ln(1 / share) of a word that is not in the table."""
_LEAST = 0.5


EVERYDAY = 3.0
NUMBER = 4.0
"""A number names no subject, but "type2" is not "type1"."""
PAIR, SYLLABLE = 4.0, 2.0
"""Vietnamese has no table: a pair of syllables is a word more often than a syllable alone."""


def rarity(word: str) -> float:
    """Of an English word: from 0.5, in every second text, to 7.5."""
    return _common().get(word, RAREST if word.isalpha() else NUMBER)


def is_common(word: str) -> bool:
    """Whether medical text knows the word well: then it is no misspelling of another."""
    return word in _common()


@cache
def _common() -> dict[str, float]:
    found: dict[str, float] = {}
    for line in lines(TABLE):
        step, _, words = line.partition("\t")
        found.update(dict.fromkeys(words.split(), max(_LEAST, int(step) / 2)))
    for word in (word for line in lines(_EVERYDAY) for word in line.split()):
        found[stem(word)] = min(EVERYDAY, found.get(stem(word), EVERYDAY))
    return found
