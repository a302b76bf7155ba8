"""Which articles come first: strong evidence on all that was asked for, rather new than old.

A source's own order says how well an article fits its query, and knows nothing of evidence. Both count, with how new
and how often cited an article is. Preprints come after what was reviewed. The weights are an engineer's proposal."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from datetime import date
from functools import lru_cache

from docgemma.sources.literature.concepts import fold
from docgemma.sources.literature.contract import Kind, Paper, Sought, evidence

_LOOKED_FOR: tuple[Kind, ...] = (
    *("guideline", "meta_analysis", "systematic_review", "randomised_trial", "review", "case_report", "observational"),
)
"""In this order: a review of cases is a review."""

_TRIAL = "clinical trial"
_NO_STUDY = frozenset(
    {"comment", "letter", "editorial", "news", "published erratum", "correction", "biography", "interview", "abstract"}
    | {"retraction of publication", "clinical trial protocol", "study-protocol", "patient education handout"}
)
_PROTOCOL = re.compile(r"\bprotocol\b|\brationale and design\b|\bstudy design\b", re.IGNORECASE)


def kind_of(paper: Paper) -> Kind:
    """The strongest kind that its types name; else what its title says. A protocol or a comment is no study."""
    types = {kind.lower() for kind in paper.types}
    if types & _NO_STUDY or _PROTOCOL.search(paper.title):
        return "other"
    said = {kind for kind, about in evidence().items() if about.title and about.title.search(paper.title)}
    if (
        "guideline" in said
        and not types & evidence()["guideline"].types
        and said & {"meta_analysis", "systematic_review"}
    ):
        said.discard("guideline")
    for kind in _LOOKED_FOR:
        if types & evidence()[kind].types or kind in said:
            return "systematic_review" if kind == "review" and "systematic_review" in said else kind
        if kind == "randomised_trial" and any(name.startswith(_TRIAL) or name.endswith(_TRIAL) for name in types):
            return "trial"
    return "other"


_WORD = re.compile(r"[^\W_]+")


def words_of(text: str) -> str:
    """The words in one form, with a blank on both sides of each, so that a phrase is looked for as it is."""
    return f" {' '.join(_folded(word) for word in _WORD.findall(text))} "


@lru_cache(maxsize=50_000)
def _folded(word: str) -> str:
    return fold(word) or word.lower()


def has(text: str, phrasings: Sequence[str]) -> bool:
    """Whether one of the phrasings stands in `words_of` a text."""
    return any(words_of(name) in text for name in phrasings)


def has_words(text: str, phrasings: Sequence[str]) -> bool:
    """Whether all words of one phrasing stand there, wherever."""
    return any(all(f" {word} " in text for word in words_of(name).split()) for name in phrasings)


def fits(paper: Paper, sought: Sought, *, exactly: bool = False) -> bool:
    """Whether every concept is in the title, the abstract or the terms; `exactly`: as a phrase."""
    text = words_of(" ".join((paper.title, *(part for section in paper.sections for part in section), *paper.terms)))
    return all((has if exactly else has_words)(text, concept) for concept in sought.concepts)


_PLACE, _TITLE, _ABSTRACT, _NEW, _CITED = 0.6, 0.8, 0.3, 0.35, 0.25
_NEWEST = 0.9
"""How much the year counts where the newest was asked for."""

_ASKED_KIND = 1.0
_PREPRINT, _NO_ABSTRACT = 0.5, 0.25
_HALF_LIFE = 7.0
_MANY_CITATIONS = 100.0
"""A year: more make no difference."""

_YEAR = re.compile(r"(\d{4})")
_NO_LETTER = re.compile(r"[\W_]+")


def ranked(papers: Sequence[Paper], sought: Sought, *, today: date) -> tuple[Paper, ...]:
    """The papers, best first, each once. Equal ones stay in the source's order."""
    scored = [(_score(paper, place, sought, today), paper) for place, paper in enumerate(_once(papers))]
    return tuple(paper for _, paper in sorted(scored, key=lambda pair: -pair[0]))


def year_of(paper: Paper) -> int | None:
    found = _YEAR.match(paper.published)
    return int(found[1]) if found else None


def _score(paper: Paper, place: int, sought: Sought, today: date) -> float:
    kind = kind_of(paper)
    year = year_of(paper)
    age = max(0, today.year - year) if year else _HALF_LIFE * 2
    score = _PLACE / (1 + place / 10) + evidence()[kind].weight
    half = _HALF_LIFE / 2 if sought.newest else _HALF_LIFE
    score += (_NEWEST if sought.newest else _NEW) * math.exp2(-age / half)
    score += _CITED * min(1.0, math.log1p((paper.cited or 0) / (age + 1)) / math.log1p(_MANY_CITATIONS))
    score += _about(paper, sought)
    score += _ASKED_KIND if kind in sought.kinds else 0.0
    return score - (_PREPRINT if paper.preprint else 0.0) - (0.0 if paper.sections else _NO_ABSTRACT)


def _about(paper: Paper, sought: Sought) -> float:
    """How much of what is sought stands in the title, and as a phrase in the abstract."""
    if not sought.concepts:
        return 0.0
    title = words_of(paper.title)
    abstract = words_of(" ".join(text for _, text in paper.sections))
    in_title = sum(has(title, concept) or 0.7 * has_words(title, concept) for concept in sought.concepts)
    in_abstract = sum(has(abstract, concept) for concept in sought.concepts)
    return (_TITLE * in_title + _ABSTRACT * in_abstract) / len(sought.concepts)


def _once(papers: Sequence[Paper]) -> list[Paper]:
    """Each article at its first place. Of a preprint and its printed form, which share a title, the printed one."""
    found: dict[str, Paper] = {}
    names: dict[str, str] = {}
    for place, paper in enumerate(papers):
        title = _NO_LETTER.sub("", paper.title.casefold())
        ids = [f"pmid {paper.pmid}"] if paper.pmid else []
        ids += [f"doi {paper.doi.lower()}"] if paper.doi else []
        ids += [f"title {title}"] if len(title) > 20 else []
        known = next((names[each] for each in ids if each in names), None)
        if known is None:
            known = str(place)
            found[known] = paper
        elif found[known].preprint and not paper.preprint:
            found[known] = paper
        names.update(dict.fromkeys(ids, known))
    return list(found.values())
