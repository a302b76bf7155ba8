"""How far a batch has come: one line that renews itself on a terminal, a line now and then in a log."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TextIO

TERMINAL_S = 0.2
LOG_S = 30.0


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

    def done(self, *, record: bool) -> None:
        self._asked += 1
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
        parts = [f"{done}{of_all} {self._unit}", f"{rate:.1f} a second"]
        if self._total is not None and rate and done < self._total:
            parts.append(f"{span((self._total - done) / rate)} left")
        if self.broken:
            parts.append(f"{self.broken} without a record")
        return ", ".join(parts)

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
