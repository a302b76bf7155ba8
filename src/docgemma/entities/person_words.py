"""Titles, kinship, pronouns and other words that say how old somebody is or of which sex."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import Literal

from docgemma.entities.tables import rows

Sex = Literal["male", "female"]
_SEXES: dict[str, Sex] = {"m": "male", "f": "female"}
_WORD = re.compile(r"[^\W\d_]{1,30}(?:\.[^\W\d_]{2,3})?")


@dataclass(frozen=True, slots=True)
class PersonWord:
    """What one word tells. `ages` are the first and last year of life that fit it."""

    kind: str
    sex: Sex | None
    ages: tuple[int, int] | None


@cache
def _table() -> dict[str, PersonWord]:
    return {
        word: PersonWord(
            kind,
            _SEXES.get(sex),
            None if (begin, end) == ("-", "-") else (int(begin), 150 if end == "-" else int(end)),
        )
        for word, kind, sex, begin, end in rows("docgemma.entities", "person_words.tsv")
    }


def person_words(text: str) -> list[PersonWord]:
    """The words of the table in a text, in order."""
    found = (_table().get(match.group().casefold()) for match in _WORD.finditer(text))
    return [word for word in found if word is not None]


def sexes(text: str) -> set[Sex]:
    """Every sex that the words of a text say."""
    return {word.sex for word in person_words(text) if word.sex is not None}


@cache
def titles() -> str:
    """All titles as alternatives for an expression, longest first."""
    found = [word.removesuffix(".") for word, told in _table().items() if told.kind == "title"]
    return "|".join(re.escape(word) for word in sorted(found, key=len, reverse=True))
