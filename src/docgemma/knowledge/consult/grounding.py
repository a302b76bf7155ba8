"""Whether a model's explanation rests on the entries, and on which of them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from docgemma.entities.sentences import split
from docgemma.knowledge.consult.meaning import content
from docgemma.knowledge.entry import Entry, Language

_CITED = re.compile(r"[ \t]*\[(\d{1,3}(?:\s*,\s*\d{1,3})*)\]")
_LEAST_SHARE: dict[Language, float] = {"en": 0.5, "vi": 0.7}
"""Of its telling words, so many are words of the entries. Vietnamese syllables come up by chance more often."""
_FEWEST_WORDS = 4


def cited(text: str, entries: int) -> tuple[str, tuple[int, ...]]:
    """The text with only numbers that stand for an entry, and which those are."""
    numbers: list[int] = []

    def known(found: re.Match[str]) -> str:
        real = [number for number in map(int, found[1].split(",")) if 1 <= number <= entries]
        numbers.extend(real)
        return "".join(f" [{number}]" for number in real)

    checked = _CITED.sub(known, text).strip()
    return checked, tuple(sorted(set(numbers)))


def carried(text: str, entries: Sequence[Entry], question: str, language: Language) -> bool:
    """Whether enough of the text is the entries' own words. The user's words count, but not for them."""
    said = content(_CITED.sub("", text), language)
    asked = set(content(question, language))
    theirs = {word for entry in entries for word in content(f"{entry.question} {entry.answer}", language)}
    of_entries = sum(word in theirs for word in said)
    own = sum(word in asked and word not in theirs for word in said)
    return of_entries >= _FEWEST_WORDS and of_entries >= _LEAST_SHARE[language] * (len(said) - own)


def leaned_on(text: str, entries: Sequence[Entry], language: Language) -> tuple[int, ...]:
    """The numbers of the entries that a text rests on: those it cites, and for a sentence without a number the entry
    that has most of its words."""
    _, numbers = cited(text, len(entries))
    words = [set(content(f"{entry.question} {entry.answer}", language)) for entry in entries]
    used = set(numbers)
    for sentence in split(text):
        said = set(content(sentence, language))
        if said and not _CITED.search(sentence):
            used.add(1 + max(range(len(entries)), key=lambda place: (len(said & words[place]), place + 1 in numbers)))
    return tuple(sorted(used))
