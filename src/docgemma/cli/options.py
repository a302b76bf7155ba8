"""What several commands share: options of model and agent, who is asking, and one turn shown on a screen."""

from __future__ import annotations

import getpass
import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from docgemma.errors import BadInput

if TYPE_CHECKING:
    from docgemma.accounts.model import Identity
    from docgemma.agent.events import OnEvent, TurnEvent
    from docgemma.cli.screen import PlainScreen
    from docgemma.clinical import GraphName
    from docgemma.config import Settings
    from docgemma.store.sessions import Store

F = TypeVar("F", bound=Callable[..., object])

INTENDED_USE = "Decision support for professionals; not a medical device."
MODELS = ("auto", "openai", "llamacpp", "rules")
GRAPHS: tuple[GraphName, ...] = ("routed", "triage", "decompose")
"""As `docgemma.clinical` names them, which is slow to import."""
SETTINGS = {"model", "model_url", "model_name", "gguf", "graph", "shortcuts", "batch_concurrency"}
SETTINGS |= {"ground_batch", "ground_concurrency", "ground_threshold"}
"""Options that are settings of the same name."""


def model_options(command: F) -> F:
    """--model, --model-url, --model-name, --gguf: the settings a person changes from one question to the next."""
    for option in (
        click.option("--gguf", metavar="FILE", help="A model in GGUF format, run in this process."),
        click.option("--model-name", metavar="NAME", help="The model's name on that server."),
        click.option("--model-url", metavar="URL", help="An OpenAI-compatible server, e.g. http://127.0.0.1:8000/v1."),
        click.option("--model", type=click.Choice(MODELS), help="Which kind of model answers. `rules` is none."),
    ):
        command = option(command)
    return command


shortcuts_option = click.option(
    "--shortcuts/--no-shortcuts",
    default=None,
    help="Whether rules decide what they can without a model call. They do unless the setting says otherwise.",
)


graph_option = click.option(
    "--graph",
    type=click.Choice(GRAPHS),
    help="How a question is worked through. The older graphs are there to be measured against `routed`.",
)


def serving_options(port: int) -> Callable[[F], F]:
    """--host and --port of a server for other programs."""

    def decorate(command: F) -> F:
        command = click.option("--port", default=port, show_default=True, type=click.IntRange(1, 65535))(command)
        told = "Any other address needs DOCGEMMA_TOKEN."
        return click.option("--host", default="127.0.0.1", show_default=True, help=told)(command)

    return decorate


def saying_where(what: str) -> Callable[[str], None]:
    """Tells the address of a server once it answers."""
    return lambda address: click.echo(f"{what} at {address}. Ctrl-C ends it.", err=True)


def token_of(settings: Settings) -> str | None:
    return settings.token.get_secret_value() if settings.token else None


def person() -> str:
    """Who is at the terminal: the operating-system user, recorded as the owner of the session."""
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):  # a container's user may have no name
        return f"uid-{os.getuid()}"


NOBODY_KNOWN = (
    "There are accounts here, so a decision needs its person: set DOCGEMMA_TOKEN to your own token. "
    "`docgemma users token NAME` makes one."
)
NOT_ALLOWED = "The account {name} may not decide about chart entries: its role is {role}."


async def operator(settings: Settings, store: Store) -> Identity:
    """Who decides at the terminal: the operating-system user, or the user of DOCGEMMA_TOKEN once there are accounts."""
    from docgemma.accounts.model import Identity
    from docgemma.accounts.users import Accounts

    local = Identity.at_this_machine(person(), prescriber=settings.prescriber)
    found = await Accounts(store.database).at_terminal(token_of(settings), local)
    if found is None:
        raise BadInput(NOBODY_KNOWN)
    if not found.can("decide"):
        raise BadInput(NOT_ALLOWED.format(name=found.name, role=found.role))
    return found


def settings_of(given: dict[str, Any]) -> Settings:
    """The settings, with those that are among these options, which are taken out of them."""
    from docgemma.config import load_settings

    return load_settings(**{name: given.pop(name) for name in SETTINGS & given.keys()})


def unwrapped(error: BaseException) -> BaseException:
    """What was really raised: task groups wrap it, once for each that it passed."""
    while isinstance(error, BaseExceptionGroup) and len(error.exceptions) == 1:
        error = error.exceptions[0]
    return error


def shown_on(screen: PlainScreen) -> OnEvent:
    """Events of a turn, as the screen takes them."""
    from docgemma.agent.events import StepEvent, TextEvent

    def show(event: TurnEvent) -> None:
        if isinstance(event, TextEvent):
            screen.text(event.text)
        elif isinstance(event, StepEvent):
            screen.step(event.step)

    return show
