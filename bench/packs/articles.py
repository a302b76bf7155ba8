"""Articles to measure with: invented, in the shape of Europe PMC's results, with abstracts of about 1.2 KB.

Words are drawn as in a language: a few stand in every abstract, most in hardly any. Some belong together, as the words
of a disease do.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import Any

from docgemma.sources.literature.contract import Sought

_SYLLABLES = ("ba", "cor", "dan", "el", "fir", "gol", "hu", "is", "jo", "kem", "lar", "mo", "nis", "or", "pa", "rin")
_WORDS, _PHRASES = 60_000, 6_000
_TITLE, _SECTION, _TERMS = 12, 38, 8
_HEADINGS = ("Background", "Methods", "Results", "Conclusions")
_TYPES = ("Journal Article", "Review", "Randomized Controlled Trial", "Meta-Analysis", "Case Reports")


@dataclass(frozen=True, slots=True)
class Language:
    words: tuple[str, ...]
    weights: tuple[float, ...]
    phrases: tuple[str, ...]
    phrase_weights: tuple[float, ...]


def language() -> Language:
    draw = random.Random(7)
    words: dict[str, None] = {}
    while len(words) < _WORDS:
        words["".join(draw.choice(_SYLLABLES) for _ in range(draw.randint(2, 5)))] = None
    listed = tuple(words)
    phrases = tuple(" ".join(draw.choices(listed[200:20_000], k=draw.choice((1, 2, 2, 3)))) for _ in range(_PHRASES))
    return Language(listed, _often(_WORDS), phrases, _often(_PHRASES))


def _often(many: int) -> tuple[float, ...]:
    return tuple(accumulate(1 / (place + 8) for place in range(many)))


def records(articles: int) -> Iterator[dict[str, Any]]:
    spoken, draw = language(), random.Random(11)
    for number in range(1, articles + 1):
        about = draw.choices(spoken.phrases, cum_weights=spoken.phrase_weights, k=3)
        sections = [f"<h4>{heading}</h4>{_text(spoken, draw, _SECTION, about)}." for heading in _HEADINGS]
        year = draw.randint(1990, 2024)
        yield {
            "id": str(number),
            "source": "MED",
            "pmid": str(number),
            "doi": f"10.5555/own.{number}",
            "title": _text(spoken, draw, _TITLE, about[:2]).capitalize(),
            "authorString": "Doe J, Roe R, Poe P.",
            "journalInfo": {"journal": {"title": "Annals of Invented Medicine"}, "yearOfPublication": year},
            "pubYear": str(year),
            "abstractText": "".join(sections),
            "pubTypeList": {"pubType": [draw.choice(_TYPES)]},
            "meshHeadingList": {"meshHeading": [{"descriptorName": name} for name in about]},
            "keywordList": {"keyword": draw.choices(spoken.phrases, cum_weights=spoken.phrase_weights, k=_TERMS)},
            "citedByCount": draw.randint(0, 200),
            "firstPublicationDate": f"{year}-0{draw.randint(1, 9)}-11",
            "dateOfRevision": "2024-08-11",
        }


def _text(spoken: Language, draw: random.Random, size: int, about: list[str]) -> str:
    words = draw.choices(spoken.words, cum_weights=spoken.weights, k=size)
    words.insert(draw.randrange(size), draw.choice(about))
    return " ".join(words)


def write(path: Path, articles: int) -> None:
    """JSON lines."""
    with path.open("w", encoding="utf-8") as file:
        for record in records(articles):
            file.write(json.dumps(record) + "\n")


def questions(many: int) -> list[Sought]:
    """One to three concepts, some in two phrasings, common and rare ones, some with years or kinds."""
    spoken, draw = language(), random.Random(13)
    found = []
    for number in range(many):
        concepts = []
        for _ in range(draw.choice((1, 2, 2, 3))):
            phrasings = draw.choices(
                spoken.phrases[:1000], cum_weights=spoken.phrase_weights[:1000], k=draw.choice((1, 1, 2, 3))
            )
            concepts.append(tuple(dict.fromkeys(phrasings)))
        if number % 4 == 0:  # a word that stands in very many articles
            concepts.append((spoken.words[draw.randrange(150)],))
        since = draw.randint(2005, 2022) if number % 3 == 0 else None
        found.append(
            Sought(tuple(concepts), kinds=("meta_analysis", "randomised_trial") if number % 7 == 0 else (), since=since)
        )
    return found
