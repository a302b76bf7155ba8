"""The kinds of packs there are, and how each is called."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

Kind = Literal["openfda", "europepmc", "ctgov"]
KINDS: tuple[Kind, ...] = get_args(Kind)


@dataclass(frozen=True, slots=True)
class Called:
    """The words for a kind: where its data come from, what a record of it is, and which files it is made from."""

    source: str
    one: str
    many: str
    files: str
    endings: tuple[str, ...]
    several_in_a_zip: bool = True
    may_be_empty: bool = True
    """The last page of a search may have nothing on it."""


CALLED: dict[Kind, Called] = {
    "openfda": Called(
        "openFDA",
        "drug label",
        "drug labels",
        "the parts of drug/label",
        (".json", ".zip", ".gz"),
        several_in_a_zip=False,
        may_be_empty=False,
    ),
    "europepmc": Called(
        "Europe PMC",
        "article",
        "articles",
        "search pages of Europe PMC (resultType=core) or PubMed's XML files",
        (".json", ".jsonl", ".ndjson", ".xml", ".zip", ".gz"),
    ),
    "ctgov": Called(
        "ClinicalTrials.gov",
        "trial",
        "trials",
        "the register's JSON download",
        (".json", ".jsonl", ".ndjson", ".zip", ".gz"),
    ),
}


def source_of(kind: Kind, date: str) -> str:
    """What an answer from a pack names as its source."""
    return f"{CALLED[kind].source} pack of {date}"


def build_command(kind: Kind) -> str:
    return f"docgemma pack build {kind}"
