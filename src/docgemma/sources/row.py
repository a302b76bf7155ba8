"""Sources of one kind in a row: what is live first, what lies on this machine after it, within the caller's time.

One source's failure never hides another's answer, and never gets lost beside it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from typing import Generic, Literal, Protocol, TypeVar

from docgemma.errors import Unavailable
from docgemma.sources.contract import Label, Labels, LabelSource, SourceError

Mode = Literal["auto", "live", "pack"]


class Named(Protocol):
    @property
    def name(self) -> str: ...


S = TypeVar("S", bound=Named)
A = TypeVar("A")

_LOCAL_SHARE = 0.25
_LOCAL_S = 1.0
"""What packs are left of the time at least: a share of it, and never less than this."""

_FIRST_SHARE = 0.6
"""Of the live time, while another live source can still be asked: one that hangs must not take it all."""

_GRACE_S = 0.1


@dataclass(frozen=True, slots=True)
class Heard(Generic[A]):
    """What was found, and what went wrong on the way. No answer and no failures: every source has none.

    `asked` are the names of the sources, in the order they were asked.
    """

    answer: A | None = None
    failures: tuple[SourceError, ...] = ()
    asked: tuple[str, ...] = ()


class Row(Generic[S]):
    """`live` and `packs` in the order of asking."""

    def __init__(self, live: Sequence[S], packs: Sequence[S], *, mode: Mode = "auto") -> None:
        self._live = () if mode == "pack" else tuple(live)
        self._packs = () if mode == "live" else tuple(packs)

    def __bool__(self) -> bool:
        """Whether there is anybody to ask."""
        return bool(self._live or self._packs)

    @property
    def has_pack(self) -> bool:
        """Whether something on this machine can stand in for what is live."""
        return bool(self._packs)

    async def first(
        self,
        ask: Callable[[S, float], Awaitable[A | None]],
        *,
        ends_at: float,
        whole: Callable[[A], bool] = lambda answer: True,
    ) -> Heard[A]:
        """The first whole answer; else the first that is not whole; else none. Raises nothing of a source's.

        `ask` puts the question to one source, which has until the time it is told.
        """
        partial: A | None = None
        failures: list[SourceError] = []
        asked: list[str] = []
        live_ends_at = self._live_ends_at(ends_at)
        for place, source in enumerate((*self._live, *self._packs)):
            until = ends_at if place >= len(self._live) else self._until(place, live_ends_at)
            if until <= _now():
                failures.append(_late(source))
                continue
            asked.append(source.name)
            try:
                found = await _asked(source, ask, until)
            except SourceError as error:
                failures.append(error)
                continue
            if found is not None and whole(found):
                return Heard(found, tuple(failures), tuple(asked))
            partial = partial if partial is not None else found
        return Heard(partial, tuple(failures), tuple(asked))

    def _live_ends_at(self, ends_at: float) -> float:
        if not self._packs:
            return ends_at
        left = ends_at - _now()
        return ends_at - max(left * _LOCAL_SHARE, _LOCAL_S)

    def _until(self, place: int, live_ends_at: float) -> float:
        if place == len(self._live) - 1:
            return live_ends_at
        now = _now()
        return now + (live_ends_at - now) * _FIRST_SHARE


async def _asked(source: S, ask: Callable[[S, float], Awaitable[A | None]], ends_at: float) -> A | None:
    """One source, held to its time. Whatever it lacks to answer is a SourceError."""
    try:
        async with asyncio.timeout_at(ends_at + _GRACE_S):
            return await ask(source, ends_at)
    except TimeoutError:
        raise _late(source) from None
    except SourceError:
        raise
    except Unavailable as error:
        raise SourceError("service_unavailable", str(error)) from error


def _late(source: Named) -> SourceError:
    return SourceError("timeout", f"{source.name} did not answer in time. Try again later.")


def _now() -> float:
    return asyncio.get_running_loop().time()


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
