from __future__ import annotations

import io

import pytest

from docgemma.cli.render import Line
from docgemma.cli.screen import LiveScreen, PlainScreen, screen
from docgemma.clinical import TimelineStep
from tests.cli.conftest import Display
from tests.cli.records import record

ANSWER = record(response="One. Two.")
STEP = TimelineStep(step="tool_execute", label="Drug Safety Report")


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


def test_a_terminal_shows_the_step_until_the_answer_begins(display: Display) -> None:
    view = screen(out=display.out)
    assert isinstance(view, LiveScreen)
    whole_turn(view)
    sent = display.text()
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


def test_a_terminal_does_not_obey_the_answer(display: Display) -> None:
    with screen(out=display.out) as view:
        view.text("\x1b[31mred")
        view.finish(record(response="\x1b[31mred"), [Line("[bold]as it is[/bold] :warning:")])
    sent = display.text()
    assert "\x1b[31mred" not in sent
    assert "[bold]as it is[/bold] :warning:" in sent


LONG = "Not checked: warnings and contraindications of dofetilide, because no drug label source is set up here"


def test_a_long_notice_is_broken_at_the_width_of_the_terminal_and_set_under_its_first_word(display: Display) -> None:
    screen(out=display.out).lines([Line(f"! {LONG}", hang=2), Line(LONG)])
    first, second, unbroken = display.text().splitlines()
    assert first.startswith("! Not checked")
    assert second.startswith("  ")
    assert max(len(first), len(second)) <= 60
    assert f"{first[2:].strip()} {second[2:].strip()}" == unbroken == LONG


def test_words_without_a_break_are_shown_in_full_on_a_terminal(display: Display) -> None:
    screen(out=display.out).lines([Line("! " + "x" * 200, hang=2), Line("! ", hang=2)])
    assert display.text().count("x") == 200


def test_a_pipe_gets_a_long_notice_as_one_line() -> None:
    out = io.StringIO()
    screen(out=out).lines([Line(f"! {LONG}", hang=2)])
    assert out.getvalue() == f"! {LONG}\n"
