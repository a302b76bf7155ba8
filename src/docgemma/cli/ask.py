"""`docgemma ask`: one question, one answer."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from docgemma.cli.options import graph_option, model_options, person, shortcuts_option, shown_on
from docgemma.cli.reading import checked_question, piped_question, read_image
from docgemma.errors import BadInput, Unavailable

if TYPE_CHECKING:
    from docgemma.agent.record import TurnRecord
    from docgemma.agent.session import Question
    from docgemma.cli.screen import PlainScreen
    from docgemma.config import Settings


@click.command()
@click.argument("question", nargs=-1)
@click.option("--json", "as_json", is_flag=True, help="Print the turn record as one line of JSON, and nothing else.")
@click.option(
    "--image",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="A PNG, JPEG or DICOM image to ask about.",
)
@click.option(
    "--prior",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="With --image: an earlier image of the same patient, to compare it with.",
)
@click.option("--patient", metavar="ID", help="The patient this is about, by id.")
@click.option("--session", metavar="ID", help="Go on with an earlier conversation.")
@click.option("--retry", is_flag=True, help="With --session: run the turn again that was interrupted.")
@click.option("--timeline", is_flag=True, help="Also show what was done, by whom and how long it took.")
@graph_option
@shortcuts_option
@model_options
def ask(
    question: tuple[str, ...],
    as_json: bool,
    image: Path | None,
    prior: Path | None,
    patient: str | None,
    session: str | None,
    retry: bool,
    timeline: bool,
    **flags: Any,
) -> int:
    """Ask one question. Without QUESTION, or with `-`, it is read from standard input.

    \b
    Examples:
      docgemma ask "Boxed warning of dofetilide?"
      docgemma ask --patient abc-123 Summarise the record
      docgemma ask --image chest.png "Is there an effusion?"
      docgemma ask --image new.png --prior old.png "What has changed?"
      docgemma ask --session k3v9 "And with renal failure?"
      docgemma ask --json - < question.txt

    Exit codes: 0 answered, asked back or waiting for approval; 2 bad input; 3 unknown id; 4 could not run; 5 busy.
    """
    if retry and (question or image or prior or patient or not session):
        raise BadInput("--retry runs the interrupted turn as it was: give it --session ID and no question.")
    text = "" if retry else _question(question)
    if prior and not image:
        raise BadInput("--prior is an image to compare with: give the current one with --image.")
    pixels, before = read_image(image) if image else None, read_image(prior) if prior else None

    from docgemma.config import load_settings

    settings = load_settings(**flags)

    from docgemma.agent.session import Question  # slow to import: mistakes are told before
    from docgemma.cli.screen import screen

    asked = Question(text, session_id=session, patient_id=patient, image=pixels, prior=before, owner=person())
    record = asyncio.run(_turn(settings, asked, screen(json=as_json), retry=retry, timeline=timeline))
    return Unavailable.exit_code if record.outcome == "unavailable" else 0


def _question(words: tuple[str, ...]) -> str:
    """The words given, or standard input when it is piped or asked for with `-`."""
    if words == ("-",) or (not words and not sys.stdin.isatty()):
        return piped_question(sys.stdin.buffer)
    return checked_question(" ".join(words))


async def _turn(settings: Settings, asked: Question, view: PlainScreen, *, retry: bool, timeline: bool) -> TurnRecord:
    from docgemma.cli import render
    from docgemma.wiring.app import open_app

    async with open_app(settings) as app:
        with view:
            show = shown_on(view)
            if retry and asked.session_id:
                record = await app.sessions.retry(asked.session_id, show)
            else:
                record = await app.sessions.ask(asked, show)
            steps = [render.Line(), *render.timeline(record.timeline)] if timeline else []
            view.finish(record, [*render.details(record), *steps, *render.how_to_continue(record)])
    return record
