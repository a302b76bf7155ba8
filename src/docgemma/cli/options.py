"""What several commands share: options of model and agent, kinds of values, the settings, and who is asking."""

from __future__ import annotations

import getpass
import os
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from docgemma.cli.reading import proper_text
from docgemma.errors import BadInput

if TYPE_CHECKING:
    from docgemma.accounts.model import Identity
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

ANY_PATH = click.Path(path_type=Path)
FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
TYPES = ("Condition", "Medication", "Procedure", "Lab_Value", "Demographic", "Biomarker")
"""Of entities, as the terminology names them."""
LANGUAGES = click.Choice(["en", "vi"])


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


def agent_options(command: F) -> F:
    """How a question is worked through, and by what model."""
    return graph_option(shortcuts_option(model_options(command)))


def limit_option(most: int, default: int, help_text: str | None = None) -> Callable[[F], F]:
    number = click.IntRange(1, most)
    return click.option("--limit", type=number, default=default, show_default=True, metavar="N", help=help_text)


def _proper(_: click.Context, __: click.Parameter, given: str | None) -> str | None:
    return None if given is None else proper_text(given)


text_option = partial(click.option, callback=_proper)
"""An option whose value is printed, stored or searched for."""
text_argument = partial(click.argument, callback=_proper)


def words_argument(name: str, what: str, longest: int) -> Callable[[Any], Any]:
    """Words on the command line that are one text of at most so many characters."""

    def joined(_: click.Context, __: click.Parameter, words: tuple[str, ...]) -> str:
        text = " ".join(proper_text(" ".join(words)).split())
        if not text or len(text) > longest:
            raise BadInput(f"{what} has 1 to {longest:,} characters.")
        return text

    return click.argument(name, nargs=-1, required=True, callback=joined)


def serving_options(port: int) -> Callable[[F], F]:
    """--host and --port of a server for other programs."""

    def decorate(command: F) -> F:
        command = click.option("--port", default=port, show_default=True, type=click.IntRange(1, 65535))(command)
        needed = "Any other address needs DOCGEMMA_TOKEN."
        return click.option("--host", default="127.0.0.1", show_default=True, help=needed)(command)

    return decorate


def announces(what: str) -> Callable[[str], None]:
    """Says the address of a server once it answers."""
    return lambda address: click.echo(f"{what} at {address}. Ctrl-C ends it.", err=True)


def token_of(settings: Settings) -> str | None:
    return settings.token.get_secret_value() if settings.token else None


def settings_of(given: dict[str, Any]) -> Settings:
    """The settings, with those that are among these options, which are taken out of them."""
    from docgemma.config import load_settings

    return load_settings(**{name: given.pop(name) for name in SETTINGS & given.keys()})


def person() -> str:
    """Who is at the terminal: the operating-system user, recorded as the owner of the session."""
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):  # a container's user may have no name
        return f"uid-{os.getuid()}"


async def operator(settings: Settings, store: Store) -> Identity:
    """Who decides at the terminal: the operating-system user, or the user of DOCGEMMA_TOKEN once there are accounts."""
    from docgemma.accounts.model import Identity
    from docgemma.accounts.users import Accounts

    local = Identity.at_this_machine(person(), prescriber=settings.prescriber)
    found = await Accounts(store.database).at_terminal(token_of(settings), local)
    if found is None:
        raise BadInput(
            "There are accounts here, so a decision needs its person: set DOCGEMMA_TOKEN to your own token. "
            "`docgemma users token NAME` makes one."
        )
    if not found.can("decide"):
        raise BadInput(f"The account {found.name} may not decide about chart entries: its role is {found.role}.")
    return found
