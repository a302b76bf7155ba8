"""`docgemma ask` and `docgemma kb ask`: one question, one answer."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from docgemma.cli import opening
from docgemma.cli.options import graph_option, model_options, person, settings_of, shortcuts_option, shown_on
from docgemma.cli.reading import question_of, read_image
from docgemma.cli.render import Line, json_option
from docgemma.errors import BadInput, Unavailable

if TYPE_CHECKING:
    from docgemma.agent.events import OnEvent
    from docgemma.agent.record import TurnRecord
    from docgemma.knowledge.entry import Language
    from docgemma.wiring.app import App

record_option = json_option("Print the turn record as one line of JSON, and nothing else.")
session_option = click.option("--session", metavar="ID", help="Go on with an earlier conversation.")
timeline_option = click.option(
    "--timeline", is_flag=True, help="Also show what was done, by whom and how long it took."
)


@click.command()
@click.argument("question", nargs=-1)
@record_option
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
@session_option
@click.option("--retry", is_flag=True, help="With --session: run the turn again that was interrupted.")
@timeline_option
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
    text = "" if retry else question_of(question)
    if prior and not image:
        raise BadInput("--prior is an image to compare with: give the current one with --image.")
    pixels, before = read_image(image) if image else None, read_image(prior) if prior else None

    async def turn(app: App, show: OnEvent) -> TurnRecord:
        from docgemma.agent.session import Question

        if retry and session:
            return await app.sessions.retry(session, show)
        asked = Question(text, session_id=session, patient_id=patient, image=pixels, prior=before, owner=person())
        return await app.sessions.ask(asked, show)

    return _shown(turn, as_json=as_json, timeline=timeline, **flags)


@click.command("ask")
@click.argument("question", nargs=-1)
@click.option("--role", required=True, metavar="ROLE", help="Who asks; `docgemma kb roles` lists them.")
@click.option("--language", type=click.Choice(["en", "vi"]), help="The default is the question's own.")
@session_option
@timeline_option
@record_option
@shortcuts_option
@model_options
def kb_ask(
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
    text = question_of(question)

    async def turn(app: App, show: OnEvent) -> TurnRecord:
        from docgemma.agent.session import Question

        asked = Question(text, session_id=session, role=role, language=language, owner=person())
        return await app.sessions.ask(asked, show)

    return _shown(turn, as_json=as_json, timeline=timeline, consult=True, **flags)


def _shown(
    turn: Callable[[App, OnEvent], Awaitable[TurnRecord]],
    *,
    as_json: bool,
    timeline: bool,
    consult: bool = False,
    **flags: Any,
) -> int:
    """One turn on the screen while it happens, and the exit code."""

    async def work(app: App) -> TurnRecord:
        from docgemma.cli import turn_output
        from docgemma.cli.screen import screen

        view = screen(json=as_json)
        with view:
            record = await turn(app, shown_on(view))
            ending = turn_output.how_to_continue(record, consult=consult)
            steps = [Line(), *turn_output.timeline(record.timeline)] if timeline else []
            view.finish(record, [*turn_output.details(record), *steps, *ending])
        return record

    record = opening.within(opening.app, work, settings_of(flags))
    return Unavailable.exit_code if record.outcome == "unavailable" else 0
