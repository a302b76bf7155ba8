"""The ways to link a name: ours, and what others would reach for. All know the same names of the same concepts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from bench.linking.gold import Mention
from docgemma.terminology.contract import Concept, EntityType

Link = Callable[[Mention], Sequence[frozenset[str]]]
"""For one mention the ids of the concepts found, best first."""

MOST = 5
SAMPLE = 150
"""Mentions for a way that takes a tenth of a second for each."""


@dataclass(frozen=True, slots=True)
class Way:
    name: str
    link: Link
    sample: int | None = None


@dataclass(frozen=True, slots=True)
class Names:
    """The names of one type: for each, the number of its concept; preferred names come first."""

    texts: list[str]
    concepts: list[int]
    ids: list[frozenset[str]]

    def found(self, texts: Sequence[str], by_text: Mapping[str, list[int]]) -> list[frozenset[str]]:
        ordered = dict.fromkeys(self.concepts[number] for text in texts for number in by_text.get(text, ()))
        return [self.ids[concept] for concept in list(ordered)[:MOST]]


def coded(ids: Mapping[str, Sequence[str]]) -> frozenset[str]:
    """The ids that the gold may have: of MeSH and OMIM."""
    return frozenset((*ids.get("MESH", ()), *(f"OMIM:{each.removeprefix('OMIM:')}" for each in ids.get("OMIM", ()))))


def names_of(concepts: Sequence[Concept], kind: EntityType) -> Names:
    """Only concepts that the gold could name."""
    chosen = [each for each in concepts if each.type == kind and coded(each.ids)]
    ranked = [
        (place, text.lower(), number) for number, each in enumerate(chosen) for place, text in enumerate(each.names)
    ]
    ranked.sort(key=lambda row: row[0] > 0)
    ids = [coded(each.ids) for each in chosen]
    return Names([text for _, text, _ in ranked], [number for _, _, number in ranked], ids)


def ours(index: Path, kind: EntityType) -> list[Way]:
    """Ours as it is used, then without each of its means."""
    from docgemma.terminology.index.opening import open_index
    from docgemma.terminology.search.searching import Searcher
    from docgemma.terminology.search.variants import Means

    opened = open_index(index)

    def link(searcher: Searcher, document: bool, mention: Mention) -> list[frozenset[str]]:
        found = searcher.search(mention.text, 2 * MOST, kind, mention.document if document else "")
        return [ids for candidate in found if (ids := coded(candidate.ids))][:MOST]

    whole = Searcher(opened)
    return [
        Way("DocGemma", partial(link, whole, True)),
        Way("  without the document", partial(link, whole, False)),
        Way("  without composites", partial(link, Searcher(opened, Means(composites=False)), True)),
        Way("  without learnt words", partial(link, Searcher(opened, Means(learnt=False)), True)),
        Way("  names alone, no words", partial(link, Searcher(opened, Means(soft=False)), True)),
    ]


def dictionary(names: Names) -> Way:
    by_text = _by_text(names)
    return Way("dictionary", lambda mention: names.found([mention.text.lower()], by_text))


def tfidf(names: Names) -> Way:
    """Character 3-grams weighted by rarity, cosine over sparse rows."""
    import numpy as np
    from sklearn.feature_extraction.text import TfidfVectorizer

    vectors = TfidfVectorizer(analyzer="char_wb", ngram_range=(3, 3), dtype=np.float32)
    table = vectors.fit_transform(names.texts).T.tocsr()

    def link(mention: Mention) -> list[frozenset[str]]:
        row = (vectors.transform([mention.text.lower()]) @ table).tocoo()
        best = np.argsort(-row.data, kind="stable")[: 4 * MOST]
        ordered = dict.fromkeys(names.concepts[number] for number in row.col[best])
        return [names.ids[concept] for concept in list(ordered)[:MOST]]

    return Way("TF-IDF of 3-grams", link)


def simstring(names: Names) -> Way:
    from simstring_rust.database import HashDb
    from simstring_rust.extractors import CharacterNgrams
    from simstring_rust.measures import Cosine
    from simstring_rust.searcher import Searcher

    by_text = _by_text(names)
    database = HashDb(CharacterNgrams(3, " "))
    for text in by_text:
        database.insert(text)
    searcher = Searcher(database, Cosine())

    def link(mention: Mention) -> list[frozenset[str]]:
        found = searcher.ranked_search(mention.text.lower(), 0.6)
        return names.found([text for text, _ in found[: 4 * MOST]], by_text)

    return Way("simstring, cosine ≥ 0.6", link)


def gilda(names: Names) -> Way:
    from gilda.grounder import Grounder
    from gilda.process import normalize
    from gilda.term import Term

    first: set[int] = set()
    terms: list[Any] = []
    for text, concept in zip(names.texts, names.concepts, strict=True):
        status = "synonym" if concept in first else "name"
        first.add(concept)
        terms.append(Term(normalize(text), text, "C", str(concept), text, status, "own"))
    grounder = Grounder(terms)

    def link(mention: Mention) -> list[frozenset[str]]:
        ordered = dict.fromkeys(int(match.term.id) for match in grounder.ground(mention.text))
        return [names.ids[concept] for concept in list(ordered)[:MOST]]

    return Way("gilda, the same names", link)


def rapidfuzz(names: Names) -> Way:
    from rapidfuzz import fuzz, process

    def link(mention: Mention) -> list[frozenset[str]]:
        found = process.extract(mention.text.lower(), names.texts, scorer=fuzz.ratio, limit=4 * MOST)
        ordered = dict.fromkeys(names.concepts[number] for _, _, number in found)
        return [names.ids[concept] for concept in list(ordered)[:MOST]]

    return Way("rapidfuzz ratio", link, sample=SAMPLE)


PEERS: tuple[Callable[[Names], Way], ...] = (dictionary, tfidf, simstring, gilda, rapidfuzz)


def _by_text(names: Names) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    for number, text in enumerate(names.texts):
        found.setdefault(text, []).append(number)
    return found
