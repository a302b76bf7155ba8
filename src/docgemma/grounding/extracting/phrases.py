"""Phrases that the tables list: what no vocabulary knows ("live vaccine", "women of childbearing potential")."""

from __future__ import annotations

from collections.abc import Sequence

from docgemma.grounding.extracting.model import Found
from docgemma.grounding.extracting.tables import phrases
from docgemma.terminology.linking.tables import word_list
from docgemma.terminology.linking.words import Word


def listed_phrases(words: Sequence[Word]) -> list[Found]:
    """Every listed phrase in the text, also inside longer ones. Type None marks words that are no entity."""
    table = phrases()
    found = []
    for first in range(len(words)):
        key = written = ""
        for last in range(first, min(first + table.longest, len(words))):
            word = words[last]
            key = f"{key} {word.key}" if key else word.key
            written += word.text
            phrase = table.written.get(written) or table.written.get(written.lower()) or table.by_key.get(key)
            if phrase is not None and not (word.hyphened and _property(words, last + 1)):
                found.append(Found(first, last + 1, phrase.type, phrase.term, rank=2))
            if not word.joined:
                break
            written += word.gap
    return found


def _property(words: Sequence[Word], place: int) -> bool:
    """ "weight-related", "opioid-naive": the compound is about something else."""
    return place < len(words) and words[place].key in word_list("properties")
