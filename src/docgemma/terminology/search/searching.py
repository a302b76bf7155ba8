"""One search: a term in, candidates with calibrated confidence out."""

from __future__ import annotations

from docgemma.terminology.contract import Candidate, EntityType
from docgemma.terminology.index.layout import BAG, EXACT, SQUEEZED
from docgemma.terminology.index.opening import Index
from docgemma.terminology.names.composites import readings
from docgemma.terminology.names.keys import folded, words
from docgemma.terminology.names.stems import bag
from docgemma.terminology.search.evidence import QUALITY, Found, Way
from docgemma.terminology.search.gathering import gather
from docgemma.terminology.search.matching import fit, query_words
from docgemma.terminology.search.neighbours import neighbours
from docgemma.terminology.search.ranking import Ranked, ranked
from docgemma.terminology.search.variants import Means, Variant, variants

ALL = Means()
_SOFT_READINGS = 3
_BY_NAME_ALONE = ("alteration", "formula")
"""Readings whose name is a symbol: one that is almost the same is another."""
_SHORT = 5
_OTHER_CASE = 0.7


class Searcher:
    """Searches one index. Like the index, for one thread at a time."""

    def __init__(self, index: Index, means: Means = ALL) -> None:
        self._index = index
        self._means = means

    def search(
        self, term: str, max_results: int = 5, type: EntityType | None = None, context: str = ""
    ) -> list[Candidate]:
        """The concepts that the term may stand for, best first."""
        return [self._candidate(one) for one in self.rank(term, type, context)[:max_results]]

    def rank(self, term: str, type: EntityType | None = None, context: str = "") -> list[Ranked]:
        found: dict[int, Found] = {}
        ways = variants(" ".join(term.split()), type, context, self._means)
        for variant in ways:
            self._by_key(variant, found)
        if self._means.soft:
            for variant in [way for way in ways if way.how not in _BY_NAME_ALONE][:_SOFT_READINGS]:
                self._by_words(variant, found)
        whole = ranked(self._index, found.values(), term, type)
        if self._means.composites and (not whole or whole[0].found.way == "soft"):
            parts = self._parts(ways[0].text, type)
            if parts:
                rest = {one.found.concept for one in parts}
                return [*parts, *(one for one in whole if one.found.concept not in rest)]
        return whole

    def _by_key(self, variant: Variant, found: dict[int, Found]) -> None:
        parts = words(variant.text)
        joined = "".join(parts)
        plain = folded(variant.text)
        for key, family, way in _keys(parts, joined, bag(variant.text)):
            for name in self._index.named(key, family):
                concept = self._index.concept_of(name)
                text = self._index.name(name)
                how: Way = "same" if way == "key" and folded(text) == plain else way
                worth = variant.worth * QUALITY[how] * _case(variant.text, text)
                if concept not in found or found[concept].worth < worth:
                    found[concept] = Found(concept, name, text, how, variant.how, worth, 1.0, variant.type)

    def _by_words(self, variant: Variant, found: dict[int, Found]) -> None:
        query = query_words(self._index, variant.text, self._means)
        for name in dict.fromkeys((*neighbours(self._index, query), *gather(self._index, query))):
            concept = self._index.concept_of(name)
            text = self._index.name(name)
            fitting = fit(self._index, query, text)
            worth = (
                variant.worth * QUALITY["soft"] * fitting * (1.0 if text in variant.text else _case(variant.text, text))
            )
            if concept not in found or found[concept].worth < worth:
                found[concept] = Found(concept, name, text, "soft", variant.how, worth, fitting, variant.type)

    def _parts(self, term: str, type: EntityType | None) -> list[Ranked]:
        """The best of each thing that a term lists, if each is known by name."""
        for reading in readings(term):
            best: list[Ranked] = []
            for part in reading:
                found: dict[int, Found] = {}
                self._by_key(Variant(part, 0.85, "written"), found)
                best += ranked(self._index, found.values(), part, type)[:1]
            if len(best) == len(reading):
                return best
        return []

    def _candidate(self, one: Ranked) -> Candidate:
        entry = one.entry
        return Candidate(
            cui=entry.cui,
            snomed_code=entry.snomed_code,
            display=entry.display,
            ontology=entry.ontology,
            confidence=one.confidence,
            ids=entry.ids,
            type=entry.type,
            matched=one.found.text,
        )


def _case(written: str, name: str) -> float:
    """A short name in other letters is often another name: eGFR and EGFR, ALDs and ALDS."""
    if len(name) > _SHORT or written.islower():
        return 1.0
    return 1.0 if _letters(name) == _letters(written) else _OTHER_CASE


def _letters(text: str) -> str:
    return "".join(letter for letter in text if letter.isalnum())


def _keys(parts: list[str], joined: str, stems: str) -> tuple[tuple[str, str, Way], ...]:
    return (
        (" ".join(parts), EXACT, "key"),
        (joined, SQUEEZED, "squeezed"),
        (joined, EXACT, "squeezed"),
        (stems, BAG, "bag"),
    )
