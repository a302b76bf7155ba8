"""Every source of labels in one row: the first with whole labels of the drug that is asked for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from docgemma.sources.contract import Label, Labels, LabelSource, SourceError
from docgemma.sources.row import Mode, Row

Fits = Callable[[Label], bool]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What was found, and what went wrong on the way. No labels and no failures: every source has none.

    `asked` are the names of the sources, in the order they were asked.
    """

    labels: Labels | None = None
    failures: tuple[SourceError, ...] = ()
    asked: tuple[str, ...] = ()


class Chain:
    """`live` and `packs` in the order of asking; the starter pack comes last."""

    def __init__(self, live: Sequence[LabelSource], packs: Sequence[LabelSource], *, mode: Mode = "auto") -> None:
        self._row: Row[LabelSource] = Row(live, packs, mode=mode)

    async def labels(self, drug: str, *, ends_at: float, fits: Fits = lambda label: True) -> Outcome:
        """The first answer with whole labels; else the first one without; else none. Raises nothing of a source's.

        Labels that do not fit are not counted as an answer: the next source is asked.
        """

        async def ask(source: LabelSource, until: float) -> Labels | None:
            return _fitting(await source.labels(drug, ends_at=until), fits)

        heard = await self._row.first(ask, ends_at=ends_at, whole=_has_whole_labels)
        return Outcome(heard.answer, heard.failures, heard.asked)


def _has_whole_labels(found: Labels) -> bool:
    return any(label.full for label in found.labels)


def _fitting(found: Labels | None, fits: Fits) -> Labels | None:
    kept = tuple(label for label in found.labels if fits(label)) if found else ()
    return replace(found, labels=kept) if found and kept else None
