from __future__ import annotations

import io
import os
import pty
import select
from collections.abc import Callable
from pathlib import Path

import pytest

from docgemma.agent.record import TimelineStep
from docgemma.cli.render import Line
from docgemma.cli.screen import LiveScreen, PlainScreen, SilentScreen, screen
from tests.cli.records import record

ANSWER = record(response="One. Two.")
STEP = TimelineStep(step="tool_execute", label="Drug Safety Report")


def shown_on_terminal(show: Callable[[LiveScreen], None]) -> str:
    """What a terminal of 80 columns is sent."""
    master, slave = pty.openpty()
    with os.fdopen(slave, "w", encoding="utf-8") as out:
        view = screen(out=out)
        assert isinstance(view, LiveScreen)
        show(view)
        out.flush()
        sent = b""
        while select.select([master], [], [], 0.2)[0]:
            sent += os.read(master, 65536)
    os.close(master)
    return sent.decode()


def whole_turn(view: PlainScreen) -> None:
    with view:
        view.step(STEP)
        view.text("One. ")
        view.text("Two.")
        view.finish(ANSWER, [Line(), Line("! Danger", "warning")])


def test_a_pipe_gets_plain_words() -> None:
    out = io.StringIO()
    whole_turn(screen(out=out))
    assert out.getvalue() == "One. Two.\n\n! Danger\n"


def test_json_is_one_line_and_nothing_else() -> None:
    out = io.StringIO()
    view = screen(json=True, out=out)
    assert isinstance(view, SilentScreen)
    whole_turn(view)
    assert out.getvalue() == ANSWER.model_dump_json() + "\n"


def test_a_terminal_shows_the_step_until_the_answer_begins() -> None:
    sent = shown_on_terminal(whole_turn)
    assert sent.index("Drug Safety Report") < sent.index("One. Two.")
    assert "\x1b" in sent
    assert "Drug Safety Report" not in sent[sent.index("One. ") :]
    assert "! Danger" in sent


def test_a_response_that_was_not_streamed_is_shown_once() -> None:
    out = io.StringIO()
    with screen(out=out) as view:
        view.finish(ANSWER, [])
    assert out.getvalue() == "One. Two.\n"


def test_an_answer_that_broke_off_ends_its_line() -> None:
    out = io.StringIO()
    with pytest.raises(KeyboardInterrupt), screen(out=out) as view:
        view.text("One. ")
        raise KeyboardInterrupt
    assert out.getvalue() == "One. \n"


def test_a_terminal_does_not_obey_the_answer(tmp_path: Path) -> None:
    def hostile(view: LiveScreen) -> None:
        with view:
            view.text("\x1b[31mred")
            view.finish(record(response="\x1b[31mred"), [Line("[bold]as it is[/bold] :warning:")])

    sent = shown_on_terminal(hostile)
    assert "\x1b[31mred" not in sent
    assert "[bold]as it is[/bold] :warning:" in sent
