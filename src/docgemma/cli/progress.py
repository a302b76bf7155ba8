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

    `text` makes it of the seconds that the work took and of what the work reports.
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
        self._started = self._last = clock()

    def __call__(self, *report: object) -> None:
        self._renew(self._clock(), *report)

    def _renew(self, now: float, *report: object) -> None:
        if now - self._last >= self._every:
            self._last, self._shown = now, self._terminal
            text = self._text(max(now - self._started, 1e-9), *report)
            self._write(text if self._terminal else f"{text}\n")

    def _write(self, text: str) -> None:
        self._out.write(f"\r\x1b[K{text}" if self._terminal else text)
        self._out.flush()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.finish()

    def finish(self) -> None:
        if self._shown:
            self._shown = False
            self._write("")


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
            self._renew(now, phase, self._began, done, total)


def _phase_text(spent: float, phase: str, began: int, done: int, total: int | None) -> str:
    rate = (done - began) / spent
    of_all = f" of {total:,}" if total else ""
    return f"{phase.capitalize()}: {done:,}{of_all}, {rate:,.0f} a second{left(rate, done, total)}"


class Progress(Renewed):
    """Counts lines and says so, also how many in the end. Lines of an earlier run count, but not for the rate."""

    def __init__(
        self,
        out: TextIO,
        total: int | None,
        *,
        quiet: bool = False,
        unit: str = "lines",
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__(out, self._speed, logs=True, clock=clock)
        self._total, self._quiet, self._unit = total, quiet, unit
        self._asked = self._skipped = 0
        self.broken = 0

    def done(self, count: int = 1, *, record: bool = True) -> None:
        self._asked += count
        self.broken += not record
        if not self._quiet:
            self()

    def skip(self, *, record: bool) -> None:
        self._skipped += 1
        self.broken += not record

    def text(self, now: float) -> str:
        """For example: 120/400 lines, 8.3 a second, 34 s left, 2 without a record."""
        return self._speed(max(now - self._started, 1e-9))

    def _speed(self, spent: float) -> str:
        done, rate = self._asked + self._skipped, self._asked / spent
        of_all = f"/{self._total}" if self._total is not None else ""
        broken = f", {self.broken} without a record" if self.broken else ""
        return f"{done}{of_all} {self._unit}, {rate:.1f} a second{left(rate, done, self._total)}{broken}"

    def finish(self) -> None:
        already = f", {self._skipped} of them from before" if self._skipped else ""
        self._end(f"{self.text(self._clock())}{already}.")

    def stopped(self, *, resumable: bool) -> None:
        hint = " The same command with --resume goes on." if resumable else ""
        self._end(f"Stopped after {self._asked + self._skipped} {self._unit}.{hint}")

    def _end(self, text: str) -> None:
        if not self._quiet:
            self._write(f"{text}\n")


def left(rate: float, done: int, total: int | None) -> str:
    """For example: ", 8 s left". Nothing where it is not known, or nothing is left."""
    if not (total and rate and done < total):
        return ""
    seconds = (total - done) / rate
    if seconds < 90:
        return f", {seconds:.0f} s left"
    return f", {seconds / 60:.0f} min left" if seconds < 5400 else f", {seconds / 3600:.1f} h left"
