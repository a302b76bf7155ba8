"""Where a turn is shown while it happens: text as it is released; on a terminal also the step that just ended."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING, Self, TextIO

from docgemma.cli.render import Line, Style, one_line
from docgemma.entities.printable import plain

if TYPE_CHECKING:
    from rich.console import Console
    from rich.status import Status

    from docgemma.agent.events import TurnEvent
    from docgemma.agent.record import TurnRecord
    from docgemma.clinical import TimelineStep

_STYLES: dict[Style, str] = {"plain": "", "strong": "bold", "warning": "yellow", "danger": "bold red", "dim": "dim"}
_LEAST_ROOM = 20  # narrower than this, words broken to pieces read worse than lines the terminal breaks


class PlainScreen:
    """For pipes and files: the words without escape codes, flushed as they come.

    Entered when a turn begins and left when it ended in any way, so that what follows starts on a line of its own.
    """

    def __init__(self, out: TextIO) -> None:
        self._out = out
        self._shown = ""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is not None and self._shown and not self._shown.endswith("\n"):
            self._write("\n")

    def event(self, event: TurnEvent) -> None:
        """What a turn reports while it runs."""
        from docgemma.agent.events import StepEvent, TextEvent

        if isinstance(event, TextEvent):
            self.text(event.text)
        elif isinstance(event, StepEvent):
            self.step(event.step)

    def step(self, step: TimelineStep) -> None:
        """Steps are for eyes only."""

    def text(self, text: str) -> None:
        self._shown += text
        self._write(plain(text))

    def finish(self, record: TurnRecord, lines: Iterable[Line]) -> None:
        self._write(rest_of(record.response, self._shown).rstrip() + "\n")
        self.lines(lines)

    def lines(self, lines: Iterable[Line]) -> None:
        self._write("".join(f"{line.text}\n" for line in lines))

    def _write(self, text: str) -> None:
        self._out.write(text)
        self._out.flush()


class LiveScreen(PlainScreen):
    """For a terminal: a dim status line until the first words of the answer, then the words as they are released."""

    def __init__(self, out: TextIO) -> None:
        super().__init__(out)
        from rich.console import Console  # only a terminal pays for it

        self._console: Console = Console(file=out, highlight=False, markup=False, emoji=False)
        self._status: Status | None = None

    def __enter__(self) -> Self:
        self._status = self._console.status("Working…", spinner="dots", spinner_style="dim")
        self._status.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self._settle()
        super().__exit__(kind)

    def step(self, step: TimelineStep) -> None:
        if self._status is not None:
            from rich.text import Text

            self._status.update(Text(one_line(f"{step.label} {step.detail}", self._console.width - 4), "dim"))

    def text(self, text: str) -> None:
        self._settle()
        super().text(text)

    def finish(self, record: TurnRecord, lines: Iterable[Line]) -> None:
        self._settle()
        super().finish(record, lines)

    def lines(self, lines: Iterable[Line]) -> None:
        for line in lines:
            for part in self._broken(line) if line.hang else [line.text]:
                self._console.print(part, style=_STYLES[line.style], soft_wrap=True)

    def _broken(self, line: Line) -> list[str]:
        """The line at the terminal's width, what follows the first part set under its text."""
        from rich.text import Text

        room = max(self._console.width - line.hang, _LEAST_ROOM)
        first, *others = (part.plain.rstrip() for part in Text(line.text[line.hang :]).wrap(self._console, room))
        return [line.text[: line.hang] + first, *(" " * line.hang + other for other in others)]

    def _settle(self) -> None:
        """The spinner and half a line of text cannot share the screen."""
        if self._status is not None:
            self._status.stop()
            self._status = None


def screen(*, out: TextIO | None = None) -> PlainScreen:
    """The view that fits the output: plain words for pipes, a live view for people."""
    out = out or sys.stdout
    return LiveScreen(out) if out.isatty() else PlainScreen(out)


def rest_of(response: str, shown: str) -> str:
    """What of the response was not streamed yet. Everything, should the two ever differ: better twice than never."""
    response, shown = plain(response), plain(shown)
    return response.rstrip()[len(shown.rstrip()) :] if response.startswith(shown.rstrip()) else f"\n{response}"
