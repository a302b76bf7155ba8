"""How far work has come: one line that renews itself on a terminal, a line now and then in a log."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import Self, TextIO

TERMINAL_S = 0.2
LOG_S = 30.0


class Renewed:
    """One line that renews itself on a terminal and goes away; in a log a line now and then, if `logs`.

    `text` makes it of the seconds that the work took and of what the work tells.
    """

    def __init__(
        self,
        out: TextIO,
        text: Callable[..., str],
        *,
        logs: bool = False,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._out, self._text, self._clock = out, text, clock
        self._terminal = out.isatty()
        self._every = TERMINAL_S if self._terminal else LOG_S if logs else math.inf
        self._shown = False
        self._started = self._told = clock()

    def __call__(self, *told: object) -> None:
        self._tell(self._clock(), *told)

    def _tell(self, now: float, *told: object) -> None:
        if now - self._told >= self._every:
            self._told, self._shown = now, self._terminal
            text = self._text(max(now - self._started, 1e-9), *told)
            self._out.write(f"\r\x1b[K{text}" if self._terminal else f"{text}\n")
            self._out.flush()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.finish()

    def finish(self) -> None:
        if self._shown:
            self._shown = False
            self._out.write("\r\x1b[K")
            self._out.flush()


class PhaseProgress(Renewed):
    """For work in phases, each with a speed of its own: Embedding: 3,200 of 15,426, 410 a second, 30 s left."""

    def __init__(self, out: TextIO, *, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__(out, _phase_text, clock=clock)
        self._phase, self._began = "", 0

    def __call__(self, phase: str, done: int, total: int | None) -> None:  # type: ignore[override]
        now = self._clock()
        if phase != self._phase:
            self._phase, self._began, self._started = phase, done, now
        else:
            self._tell(now, phase, self._began, done, total)


def _phase_text(spent: float, phase: str, began: int, done: int, total: int | None) -> str:
    rate = (done - began) / spent
    of_all = f" of {total:,}" if total else ""
    return f"{phase.capitalize()}: {done:,}{of_all}, {rate:,.0f} a second{left(rate, done, total)}"


def left(rate: float, done: int, total: int | None) -> str:
    """For example: ", 8 s left". Nothing where it is not known, or nothing is left."""
    return f", {span((total - done) / rate)} left" if total and rate and done < total else ""


class Progress:
    """Counts lines and says so. Lines that an earlier run had done count as done, but not for the rate."""

    def __init__(
        self,
        out: TextIO,
        total: int | None,
        *,
        quiet: bool = False,
        unit: str = "lines",
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._out, self._total, self._quiet, self._unit, self._clock = out, total, quiet, unit, clock
        self._terminal = out.isatty()
        self._started = self._told = clock()
        self._asked = self._skipped = 0
        self.broken = 0

    def done(self, count: int = 1, *, record: bool = True) -> None:
        self._asked += count
        self.broken += not record
        now = self._clock()
        if now - self._told >= (TERMINAL_S if self._terminal else LOG_S):
            self._told = now
            self._say(self.text(now), passing=True)

    def skip(self, *, record: bool) -> None:
        self._skipped += 1
        self.broken += not record

    def text(self, now: float) -> str:
        """For example: 120/400 lines, 8.3 a second, 34 s left, 2 without a record."""
        done = self._asked + self._skipped
        rate = self._asked / max(now - self._started, 1e-9)
        of_all = f"/{self._total}" if self._total is not None else ""
        broken = f", {self.broken} without a record" if self.broken else ""
        return f"{done}{of_all} {self._unit}, {rate:.1f} a second{left(rate, done, self._total)}{broken}"

    def finish(self) -> None:
        already = f", {self._skipped} of them from before" if self._skipped else ""
        self._say(f"{self.text(self._clock())}{already}.")

    def stopped(self, *, resumable: bool) -> None:
        hint = " The same command with --resume goes on." if resumable else ""
        self._say(f"Stopped after {self._asked + self._skipped} {self._unit}.{hint}")

    def _say(self, text: str, *, passing: bool = False) -> None:
        if self._quiet:
            return
        start, end = ("\r\x1b[K", "" if passing else "\n") if self._terminal else ("", "\n")
        self._out.write(f"{start}{text}{end}")
        self._out.flush()


def span(seconds: float) -> str:
    """As a person would say it: 40 s, 12 min, 1.5 h."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
