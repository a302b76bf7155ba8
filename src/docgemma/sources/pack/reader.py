"""The packs on this machine, to be asked. Nothing is read yet, and nothing raised: what cannot be read says so then.

Only the newest of a kind is asked, also when it is damaged: an older one in its place would pass for the newest.
"""

from __future__ import annotations

from pathlib import Path
from typing import NoReturn

from docgemma.errors import Unavailable
from docgemma.sources.contract import Labels, SourceError
from docgemma.sources.literature import contract as literature
from docgemma.sources.pack.documents.articles import EuropePmcPack
from docgemma.sources.pack.documents.trials import CtgovPack
from docgemma.sources.pack.kinds import CALLED, Kind
from docgemma.sources.pack.labels.reader import LabelPack
from docgemma.sources.pack.manifest import places
from docgemma.sources.trials import contract as trials


def open_packs(folder: Path) -> tuple[LabelPack | ClosedLabels, ...]:
    """Packs of drug labels."""
    try:
        return tuple(LabelPack(place) for place in places(folder, "openfda")[:1])
    except Unavailable as error:
        return (ClosedLabels("openfda", str(error)),)


def open_literature_packs(folder: Path) -> tuple[EuropePmcPack | ClosedLiterature, ...]:
    """Packs of articles."""
    try:
        return tuple(EuropePmcPack(place) for place in places(folder, "europepmc")[:1])
    except Unavailable as error:
        return (ClosedLiterature("europepmc", str(error)),)


def open_trial_packs(folder: Path) -> tuple[CtgovPack | ClosedRegister, ...]:
    """Packs of trials."""
    try:
        return tuple(CtgovPack(place) for place in places(folder, "ctgov")[:1])
    except Unavailable as error:
        return (ClosedRegister("ctgov", str(error)),)


class _ClosedFolder:
    """A folder of packs that this user may not look into: there may be some in it."""

    def __init__(self, kind: Kind, problem: str) -> None:
        self._kind: Kind = kind
        self._problem = problem

    @property
    def name(self) -> str:
        return f"{CALLED[self._kind].source} pack"

    async def close(self) -> None:
        """Nothing was opened."""

    def _refuse(self) -> NoReturn:
        raise SourceError("not_configured", self._problem)


class ClosedLabels(_ClosedFolder):
    async def labels(self, drug: str, *, ends_at: float) -> Labels | None:
        self._refuse()


class ClosedLiterature(_ClosedFolder):
    async def search(self, sought: literature.Sought, *, ends_at: float) -> literature.Papers | None:
        self._refuse()


class ClosedRegister(_ClosedFolder):
    async def search(self, sought: trials.Sought, *, ends_at: float) -> trials.Studies | None:
        self._refuse()
