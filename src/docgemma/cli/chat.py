"""`docgemma chat`: a conversation at the terminal, or over a pipe."""

from __future__ import annotations

import contextlib
import sys
from typing import TYPE_CHECKING, Any

import click

from docgemma import __version__
from docgemma.cli.options import INTENDED_USE, agent_options, settings_of
from docgemma.cli.reading import MAX_BYTES, NOT_TEXT, decoded, proper_text
from docgemma.cli.render import Line, one_line, show
from docgemma.errors import BadInput, DocGemmaError

if TYPE_CHECKING:
    from docgemma.cli.conversation import Conversation
    from docgemma.config import Settings
    from docgemma.wiring.app import App

PROMPT = "\n> "


@click.command()
@click.option("--session", metavar="ID", help="Go on with an earlier conversation.")
@agent_options
def chat(session: str | None, **flags: Any) -> None:
    """Have a conversation. /help lists its commands; Ctrl-D leaves.

    What you type is kept in the session alone, never in a history file. Ctrl-C stops an answer half-way.

    \b
    Examples:
      docgemma chat
      docgemma chat --session k3v9
      docgemma chat --model-url http://127.0.0.1:8000/v1 --model-name medgemma
    """
    converse(settings_of(flags), session)


def converse(settings: Settings, session_id: str | None) -> None:
    """Until the person leaves."""
    from docgemma.cli.conversation import Conversation, open_bridge  # slow: mistakes in the settings are told before

    with open_bridge(settings) as bridge:
        show([_opening(bridge.app)])
        bridge.wait(bridge.app.prepare)
        conversation = Conversation(bridge, piped=not sys.stdin.isatty())
        conversation.begin(session_id)
        with contextlib.suppress(KeyboardInterrupt):  # at the prompt it means: leave
            while _one_line(conversation):
                pass
        if sys.stdin.isatty():
            click.echo()


SOURCES = {
    "auto": "labels, articles and trials live, else from packs",
    "live": "labels, articles and trials live only",
    "pack": "labels, articles and trials from packs only",
}


def _opening(app: App) -> Line:
    """What answers and what it can reach."""
    model = "no language model, rules answer" if app.model_name == "rules" else f"model {one_line(app.model_name)}"
    graph = [] if app.settings.graph == "routed" else [f"graph {app.settings.graph}"]
    others = ", ".join(app.settings.tool_servers)
    charts = f"charts of {one_line(app.settings.fhir_url)}" if app.settings.fhir_url else "embedded charts"
    reach = [SOURCES[app.settings.sources], *([f"other servers for {others}"] if others else [])]
    return Line(f"DocGemma {__version__}: {'; '.join([model, *graph, charts, *reach])}. {INTENDED_USE}", "dim")


def _one_line(conversation: Conversation) -> bool:
    """Read and act on one line; a mistake costs a sentence, not the conversation. False at the end."""
    try:
        line = _typed() if sys.stdin.isatty() else _piped()
        return line is not None and (not line or conversation.take(line))
    except DocGemmaError as error:
        click.echo(f"docgemma: {error}", err=True)
        return True


def _typed() -> str | None:
    import readline  # noqa: F401 - line editing; its history stays in memory

    try:
        return proper_text(input(PROMPT)).strip()
    except EOFError:
        return None
    except UnicodeDecodeError:
        raise BadInput(NOT_TEXT) from None


def _piped() -> str | None:
    """One line of standard input, of any length, never more than could be used in memory."""
    data = sys.stdin.buffer.readline(MAX_BYTES + 1)
    if not data:
        return None
    rest = data
    while len(rest) > MAX_BYTES and not rest.endswith(b"\n"):
        rest = sys.stdin.buffer.readline(MAX_BYTES + 1)
    return decoded(data).strip()
