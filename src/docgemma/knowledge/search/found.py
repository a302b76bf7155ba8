"""What a search gives: entries with how well they fit, best first."""

from __future__ import annotations

from dataclasses import dataclass

from docgemma.knowledge.entry import Entry


@dataclass(frozen=True, slots=True)
class Found:
    """`relevance` is 0 to 1 and means the same for every question; `fits`: enough to answer from.

    `near`: perhaps. Nobody is answered from it unless a second opinion says that it answers.
    """

    entry: Entry
    relevance: float
    fits: bool
    near: bool = False


@dataclass(frozen=True, slots=True)
class Findings:
    """`by` says how it was searched: "words and meaning", or "words" where no embedder is installed."""

    found: tuple[Found, ...] = ()
    by: str = "words"
    notices: tuple[str, ...] = ()

    @property
    def fitting(self) -> tuple[Found, ...]:
        return tuple(each for each in self.found if each.fits)
