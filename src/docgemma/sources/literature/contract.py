"""What a source of published articles is asked and gives, whichever one it is."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Literal, Protocol, get_args

from docgemma.clinical import Origin
from docgemma.entities.tables import rows

Kind = Literal[
    "guideline",
    "meta_analysis",
    "systematic_review",
    "randomised_trial",
    "trial",
    "review",
    "observational",
    "case_report",
    "other",
]
"""What sort of evidence an article is, the strongest first."""

KINDS: tuple[Kind, ...] = get_args(Kind)


@dataclass(frozen=True, slots=True)
class Evidence:
    """A kind of evidence: `types` are the publication types that name it, `title` finds it in a title, and `europepmc`
    and `pubmed` are clauses of their queries, any of which will do.
    """

    plural: str
    weight: float
    types: frozenset[str]
    title: re.Pattern[str] | None
    europepmc: tuple[str, ...]
    pubmed: tuple[str, ...]


@cache
def evidence() -> Mapping[Kind, Evidence]:
    """The table of the kinds, the strongest first."""
    found: dict[Kind, Evidence] = {}
    table = {row[0]: row[1:] for row in rows("docgemma.sources.literature", "evidence.tsv")}
    for kind in KINDS:
        plural, weight, types, title, *clauses = table[kind]
        pattern = re.compile(title, re.IGNORECASE) if title else None
        europepmc, pubmed = (tuple(filter(None, each.split(";"))) for each in clauses)
        found[kind] = Evidence(
            plural, float(weight), frozenset(filter(None, types.split(";"))), pattern, europepmc, pubmed
        )
    return found


@dataclass(frozen=True, slots=True)
class Sought:
    """What is searched for, in nobody's query language.

    Every concept has to be there, in one of its phrasings: (("atrial fibrillation", "AF"), ("apixaban", "eliquis")).
    `kinds`, `since` and `until` (years) only where the user asked for them. `words` are the user's, to be shown.
    `newest` bears on the order alone. With a `pmid` or a `doi` one article is asked for by its number: that is all
    that counts, and then a retracted one is given too, marked as such, for "there is none" would be wrong.
    """

    concepts: tuple[tuple[str, ...], ...]
    kinds: tuple[Kind, ...] = ()
    since: int | None = None
    until: int | None = None
    words: str = ""
    newest: bool = False
    pmid: str = ""
    doi: str = ""

    @property
    def by_number(self) -> bool:
        return bool(self.pmid or self.doi)


@dataclass(frozen=True, slots=True)
class Paper:
    """One article. Texts are plain: no markup is left in them. What a source does not tell is empty, never guessed.

    `sections` is the abstract as (heading, text) in its order, with an empty heading where it has none.
    """

    title: str
    sections: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    pmid: str = ""
    pmcid: str = ""
    doi: str = ""
    journal: str = ""
    published: str = ""
    """YYYY, YYYY-MM or YYYY-MM-DD, as far as it is known."""
    types: tuple[str, ...] = ()
    """Publication types as the source spells them, in lower case."""
    terms: tuple[str, ...] = field(default=(), repr=False)
    """MeSH headings and the authors' keywords."""
    preprint: bool = False
    retracted: bool = False
    cited: int | None = None
    url: str | None = None


@dataclass(frozen=True, slots=True)
class Papers:
    """What a source has, never empty, in its own order. `total`: how many it has in all."""

    papers: tuple[Paper, ...]
    source: str
    origin: Origin
    data_date: str | None = None
    total: int = 0


class LiteratureSource(Protocol):
    """One place that has articles. `ends_at` is a time of the running loop: whatever it does, it is done by then."""

    @property
    def name(self) -> str: ...

    async def search(self, sought: Sought, *, ends_at: float) -> Papers | None:
        """Articles with all the concepts, retracted ones left out unless asked for by number; None when it has none.

        Raises SourceError.
        """
        ...
