"""`docgemma kb ask`: one question to the knowledge base, answered in the words of its entries."""

from __future__ import annotations

import asyncio
import sys
from typing import TYPE_CHECKING, Any

import click

from docgemma.cli.options import model_options, person, shortcuts_option, shown_on
from docgemma.cli.reading import checked_question, piped_question
from docgemma.errors import Unavailable

if TYPE_CHECKING:
    from docgemma.agent.record import TurnRecord
    from docgemma.agent.session import Question
    from docgemma.cli.render import Line
    from docgemma.cli.screen import PlainScreen
    from docgemma.config import Settings
    from docgemma.knowledge.entry import Language


@click.command()
@click.argument("question", nargs=-1)
@click.option("--role", required=True, metavar="ROLE", help="Who asks; `docgemma kb roles` lists them.")
@click.option("--language", type=click.Choice(["en", "vi"]), help="The default is the question's own.")
@click.option("--session", metavar="ID", help="Go on with an earlier conversation.")
@click.option("--timeline", is_flag=True, help="Also show what was done, by whom and how long it took.")
@click.option("--json", "as_json", is_flag=True, help="Print the turn record as one line of JSON, and nothing else.")
@shortcuts_option
@model_options
def ask(
    question: tuple[str, ...],
    role: str,
    language: Language | None,
    session: str | None,
    timeline: bool,
    as_json: bool,
    **flags: Any,
) -> int:
    """Ask the knowledge base one question. Without QUESTION, or with `-`, it is read from standard input.

    Only entries for this role are looked through. Without a model, or when it fails, the best entries answer word
    for word.

    \b
    Examples:
      docgemma kb ask "What is HbA1c?" --role patient_diabetes
      docgemma kb ask "Đường huyết bao nhiêu là thấp?" --role nurse
      docgemma kb ask "And how often?" --role nurse --session k3v9

    Exit codes: 0 answered; 2 bad input; 3 unknown role or session; 4 could not run; 5 busy.
    """
    text = _question(question)

    from docgemma.config import load_settings

    settings = load_settings(**flags)

    from docgemma.agent.session import Question  # slow to import: mistakes are told before
    from docgemma.cli.screen import screen

    asked = Question(text, session_id=session, role=role, language=language, owner=person())
    record = asyncio.run(_turn(settings, asked, screen(json=as_json), timeline=timeline))
    return Unavailable.exit_code if record.outcome == "unavailable" else 0


def _question(words: tuple[str, ...]) -> str:
    if words == ("-",) or (not words and not sys.stdin.isatty()):
        return piped_question(sys.stdin.buffer)
    return checked_question(" ".join(words))


async def _turn(settings: Settings, asked: Question, view: PlainScreen, *, timeline: bool) -> TurnRecord:
    from docgemma.cli import render
    from docgemma.wiring.app import open_app

    async with open_app(settings) as app:
        with view:
            record = await app.sessions.ask(asked, shown_on(view))
            steps = [render.Line(), *render.timeline(record.timeline)] if timeline else []
            view.finish(record, [*render.details(record), *steps, *_how_to_continue(record)])
    return record


def _how_to_continue(record: TurnRecord) -> list[Line]:
    from docgemma.cli.render import Line, one_line

    role = one_line(record.consult.role) if record.consult else "ROLE"
    return [Line(), Line(f'Continue: docgemma kb ask --role {role} --session {one_line(record.session_id)} "…"', "dim")]
