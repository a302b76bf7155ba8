"""`docgemma ask` and `docgemma kb ask`: one question, one answer."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from docgemma.cli import services
from docgemma.cli.options import FILE, LANGUAGES, agent_options, model_options, person, settings_of, shortcuts_option
from docgemma.cli.reading import question_of, read_image
from docgemma.cli.render import Line, json_option
from docgemma.errors import BadInput, Unavailable

if TYPE_CHECKING:
    from docgemma.agent.events import OnEvent
    from docgemma.agent.record import TurnRecord
    from docgemma.wiring.app import App

question_argument = click.argument("question", nargs=-1)
record_option = json_option("Print the turn record as one line of JSON, and nothing else.")
session_option = click.option("--session", metavar="ID", help="Go on with an earlier conversation.")
timeline_option = click.option(
    "--timeline", is_flag=True, help="Also show what was done, by whom and how long it took."
)


@click.command()
@question_argument
@record_option
@click.option("--image", type=FILE, help="A PNG, JPEG or DICOM image to ask about.")
@click.option("--prior", type=FILE, help="With --image: an earlier image of the same patient, to compare it with.")
@click.option("--patient", metavar="ID", help="The patient this is about, by id.")
@session_option
@click.option("--retry", is_flag=True, help="With --session: run the turn again that was interrupted.")
@timeline_option
@agent_options
def ask(
    question: tuple[str, ...],
    image: Path | None,
    prior: Path | None,
    patient: str | None,
    session: str | None,
    retry: bool,
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
    if retry:
        if question or image or prior or patient or not session:
            raise BadInput("--retry runs the interrupted turn as it was: give it --session ID and no question.")
        return _answered(lambda app, on_event: app.sessions.retry(session, on_event), **flags)
    text = question_of(question)
    if prior and not image:
        raise BadInput("--prior is an image to compare with: give the current one with --image.")
    pixels, before = read_image(image) if image else None, read_image(prior) if prior else None
    return _answered(
        _asking(text, session_id=session, patient_id=patient, image=pixels, prior=before, owner=person()), **flags
    )


@click.command("ask")
@question_argument
@click.option("--role", required=True, metavar="ROLE", help="Who asks; `docgemma kb roles` lists them.")
@click.option("--language", type=LANGUAGES, help="The default is the question's own.")
@session_option
@timeline_option
@record_option
@shortcuts_option
@model_options
def kb_ask(question: tuple[str, ...], role: str, language: str | None, session: str | None, **flags: Any) -> int:
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
    asking = _asking(question_of(question), session_id=session, role=role, language=language, owner=person())
    return _answered(asking, consult=True, **flags)


def _asking(text: str, **fields: Any) -> Callable[[App, OnEvent], Awaitable[TurnRecord]]:
    def ask(app: App, on_event: OnEvent) -> Awaitable[TurnRecord]:
        from docgemma.agent.session import Question

        return app.sessions.ask(Question(text, **fields), on_event)

    return ask


def _answered(
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

        if as_json:
            record = await turn(app, lambda _: None)
            click.echo(record.model_dump_json())
            return record
        with screen() as view:
            record = await turn(app, view.event)
            ending = turn_output.how_to_continue(record, consult=consult)
            steps = [Line(), *turn_output.timeline(record.timeline)] if timeline else []
            view.finish(record, [*turn_output.details(record), *steps, *ending])
        return record

    record = services.within(services.app, work, settings_of(flags))
    return Unavailable.exit_code if record.outcome == "unavailable" else 0
