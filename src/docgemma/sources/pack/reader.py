"""The packs on this machine, to be asked. Nothing is read yet, and nothing raised: what cannot be read says so then.

Only the newest of a kind is asked, also when it is damaged: an older one in its place would pass for the newest.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NoReturn, TypeVar

from docgemma.errors import Unavailable
from docgemma.sources.contract import SourceError
from docgemma.sources.pack.documents.articles import EuropePmcPack
from docgemma.sources.pack.documents.trials import CtgovPack
from docgemma.sources.pack.labels.database import LabelPack
from docgemma.sources.pack.manifest import CALLED, Kind, Place, places

P = TypeVar("P")


def open_packs(folder: Path) -> tuple[LabelPack | ClosedPacks, ...]:
    """Packs of drug labels."""
    return _newest(folder, "openfda", LabelPack)


def open_literature_packs(folder: Path) -> tuple[EuropePmcPack | ClosedPacks, ...]:
    """Packs of articles."""
    return _newest(folder, "europepmc", EuropePmcPack)


def open_trial_packs(folder: Path) -> tuple[CtgovPack | ClosedPacks, ...]:
    """Packs of trials."""
    return _newest(folder, "ctgov", CtgovPack)


def _newest(folder: Path, kind: Kind, opened: Callable[[Place], P]) -> tuple[P | ClosedPacks, ...]:
    try:
        return tuple(opened(place) for place in places(folder, kind)[:1])
    except Unavailable as error:
        return (ClosedPacks(kind, str(error)),)


class ClosedPacks:
    """A folder of packs that this user may not look into: there may be some in it."""

    def __init__(self, kind: Kind, problem: str) -> None:
        self.name = f"{CALLED[kind].source} pack"
        self._problem = problem

    async def close(self) -> None:
        """Nothing was opened."""

    async def labels(self, drug: str, *, ends_at: float) -> NoReturn:
        raise SourceError("not_configured", self._problem)

    async def search(self, sought: object, *, ends_at: float) -> NoReturn:
        raise SourceError("not_configured", self._problem)
