"""The terminology on this machine: an index file behind the same contract as a service."""

from __future__ import annotations

from pathlib import Path

from docgemma.errors import BadInput
from docgemma.terminology.contract import (
    LONGEST_TERM,
    LONGEST_TEXT,
    MOST_RESULTS,
    About,
    Candidate,
    EntityType,
    Linked,
)
from docgemma.terminology.index.opening import open_index
from docgemma.terminology.linking.lexicon import IndexLexicon
from docgemma.terminology.linking.linking import link
from docgemma.terminology.search.searching import Searcher


class EmbeddedTerminology:
    """A search takes about a millisecond, so it runs where it is asked for: no thread, and one search at a time."""

    def __init__(self, path: Path) -> None:
        self._index = open_index(path)
        self._searcher = Searcher(self._index)
        self._lexicon = IndexLexicon(self._index)

    async def search(
        self, term: str, *, max_results: int = 5, type: EntityType | None = None, context: str = ""
    ) -> list[Candidate]:
        if not term.strip():
            raise BadInput("There is nothing to search for: give a term.")
        if len(term) > LONGEST_TERM:
            raise BadInput(f"The term is longer than {LONGEST_TERM} characters. Search for the name alone.")
        return self._searcher.search(term, min(max_results, MOST_RESULTS), type, context)

    async def link(self, text: str, *, max_results: int = 5) -> list[Linked]:
        if len(text) > LONGEST_TEXT:
            raise BadInput(f"The text is longer than {LONGEST_TEXT} characters. Give it in parts.")
        return link(text, self._lexicon, self._searcher, max_results=min(max_results, MOST_RESULTS))

    async def about(self) -> About:
        return self._index.about()

    def close(self) -> None:
        self._index.close()
