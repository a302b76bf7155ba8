"""Whether the search knows when nothing answers: what is kept and refused, and diseases that are not in the base."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from bench.knowledge.corpus import EASY, READER, Corpus, Question
from bench.knowledge.running import ask, build
from docgemma.embed import Embedder
from docgemma.knowledge.entry import Entry
from docgemma.knowledge.search import english
from docgemma.knowledge.search.relevance import FITS
from docgemma.knowledge.search.words import forms

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_LIMITS = (0.3, 0.35, FITS, 0.45, 0.5, 0.55, 0.6)
_NAMES, _MOST_WORDS = 200, 4
_WORDINGS = (
    "what is {}",
    "symptoms of {}",
    "how is {} treated",
    "what causes {}",
    "{} prognosis",
    "is {} passed on in families",
    "tell me about {}",
    "how do doctors test for {}",
)


@dataclass(frozen=True, slots=True)
class Judged:
    """`right`: one of the first three entries answers it. `best`: the highest relevance."""

    question: Question
    right: bool
    best: float


def trade_off(judged: Sequence[Judged], split: str) -> list[str]:
    """A line for each limit: shares of what should be kept that is, and of what should be refused that is."""
    chosen = [each for each in judged if each.question.split == split]
    groups = {
        "kept with a right top 3": [each.best for each in chosen if each.right],
        "refused easy": [each.best for each in chosen if each.question.kind in EASY],
        **{
            f"refused {kind}": [each.best for each in chosen if each.question.kind == kind]
            for kind in sorted({each.question.kind for each in chosen} - {"", *EASY})
        },
        "refused with a wrong top 3": [each.best for each in chosen if each.question.relevant and not each.right],
    }
    return [
        f"{limit:.2f}: " + ", ".join(_share(name, best, limit) for name, best in groups.items()) for limit in _LIMITS
    ]


def _share(name: str, best: Sequence[float], limit: float) -> str:
    kept = sum(value >= limit for value in best)
    count = kept if name.startswith("kept") else len(best) - kept
    return f"{name} {count / max(1, len(best)):.1%} of {len(best)}"


async def absent_names(
    corpus: Corpus, vectors: NDArray[np.float32] | None, embedder: Embedder | None, folder: Path
) -> list[str]:
    """Plain questions on diseases, with their entries in the base and with all of them taken out."""
    names = _names(corpus.entries)
    dice = random.Random(11)
    questions = [Question(dice.choice(_WORDINGS).format(name), READER, "en", "test") for name, _ in names]
    gone = {place for _, places in names for place in places}
    kept = [place for place in range(len(corpus.entries)) if place not in gone]
    smaller = Corpus(corpus.name, [corpus.entries[place] for place in kept], {}, questions)
    await build(smaller, vectors[kept] if vectors is not None else None, embedder, folder / "without")
    absent = (await ask(smaller, embedder, folder / "without")).best
    whole = Corpus(corpus.name, corpus.entries, {}, questions)
    await build(whole, vectors, embedder, folder / "with")
    present = (await ask(whole, embedder, folder / "with")).best
    return [
        f"{len(names)} diseases asked for by name: {_share('kept', present, FITS)} with their entries, "
        f"{_share('refused', absent, FITS)} without"
    ]


def _names(entries: Sequence[Entry]) -> list[tuple[str, list[int]]]:
    """Topics whose rarest word is in few entries, with all the entries that have it."""
    places: dict[str, list[int]] = {}
    for place, entry in enumerate(entries):
        for form in set(forms(f"{entry.question} {entry.topic} {entry.answer}", "en")):
            places.setdefault(form, []).append(place)
    counts = Counter({form: len(found) for form, found in places.items()})
    chosen: dict[str, list[int]] = {}
    for topic in sorted({entry.topic for entry in entries}):
        words = [word for word in english.words(topic) if word.isalpha() and len(word) > 3]
        rarest = min(words, key=counts.__getitem__, default="")
        if rarest and counts[rarest] <= 60 and len(topic.split()) <= _MOST_WORDS:
            chosen[topic.lower()] = places[rarest]
    picked = random.Random(5).sample(sorted(chosen), min(_NAMES, len(chosen)))
    return [(name, chosen[name]) for name in picked]
