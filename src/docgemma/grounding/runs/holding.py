"""Lines on their way to the output, and when a run should stop because nothing can be grounded any more.

A criterion that failed is written as such, and tried again by the next run. But when all of them fail, one after the
other, the model or the terminology is gone: a file full of errors helps nobody. So failures are held back until
something succeeds behind them; when too many follow each other the run ends, and of them nothing is written.
"""

from __future__ import annotations

from docgemma.errors import Unavailable
from docgemma.grounding.runs.output import Output

_MOST_HELD = 5_000
"""Lines from earlier runs say nothing about today, and may be a million: then what is held is written all the same."""


class Outage(Unavailable):
    """The run was stopped early. `reason` is what the first of the criteria in a row failed by."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class Held:
    """Writes in order. `most` failures in a row are an outage."""

    def __init__(self, output: Output, *, most: int) -> None:
        self._output = output
        self._most = most
        self._held: list[bytes] = []
        self._row = 0
        self._reason = ""

    def grounded(self, data: bytes) -> None:
        """A line that was made just now: what failed before it failed for reasons of its own."""
        self._row = 0
        self.flush()
        self._output.write(data)

    def failed(self, data: bytes, reason: str) -> None:
        self._held.append(data)
        self._row += 1
        if self._row == 1:
            self._reason = reason  # later ones only say that nobody asks any more
        if self._row >= self._most:
            raise Outage(self._reason)

    def other(self, data: bytes) -> None:
        """A line from an earlier run, or of a broken line of the input."""
        if not self._held:
            self._output.write(data)
            return
        self._held.append(data)
        if len(self._held) >= _MOST_HELD:
            self.flush()

    def finish(self, *, any_grounded: bool) -> None:
        """At the end of the input: where not one criterion has a result, it was an outage too."""
        if self._row and not any_grounded:
            raise Outage(self._reason)
        self.flush()

    def flush(self) -> None:
        for data in self._held:
            self._output.write(data)
        self._held.clear()
