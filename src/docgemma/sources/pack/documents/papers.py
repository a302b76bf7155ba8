"""How articles lie in a pack, for those who write it and those who read it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import get_args

from docgemma.sources.literature.contract import Kind as Evidence
from docgemma.sources.literature.contract import Paper

EVIDENCE: tuple[Evidence, ...] = get_args(Evidence)
COLUMNS: Mapping[str, float] = {"title": 8.0, "terms": 3.0, "abstract": 1.0}
FACTS = ("year INTEGER", "kind INTEGER NOT NULL")


def numbers_of(paper: Paper) -> tuple[str, ...]:
    """What an article is told apart and asked for by; the first one is its own for sure."""
    pmid = (pmid_name(paper.pmid),) if paper.pmid else ()
    doi = (doi_name(paper.doi),) if paper.doi else ()
    return (*pmid, *doi, *((f"pmcid {paper.pmcid}",) if paper.pmcid else ()))


def pmid_name(pmid: str) -> str:
    return f"pmid {pmid}"


def doi_name(doi: str) -> str:
    return f"doi {doi.lower()}"
