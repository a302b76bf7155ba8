"""`docgemma`: the commands, and the border where every error becomes one line and an exit code.

A command's module is imported when the command is run: `docgemma --help` stays quick on a small machine.
"""

from __future__ import annotations

import gc
import importlib
import logging
import os
import sys
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple, NoReturn, cast

import click

from docgemma import __version__
from docgemma.errors import DocGemmaError
from docgemma.log import Level, set_up_logging, switch_off_tracing

INTERRUPTED = 130
BROKEN_PIPE = 141


class Entry(NamedTuple):
    """Where a command lives, and its one line in the list."""

    target: str
    summary: str


COMMANDS: dict[str, Entry] = {
    "demo": Entry("docgemma.cli.serve:demo", "Try it out: no model, no internet, nothing to set up."),
    "ask": Entry("docgemma.cli.ask:ask", "Ask one question."),
    "chat": Entry("docgemma.cli.chat:chat", "Have a conversation."),
    "batch": Entry("docgemma.cli.batch:batch", "JSON lines in, one turn record a line out."),
    "approve": Entry("docgemma.cli.orders:approve", "Approve a chart entry that waits for a person."),
    "reject": Entry("docgemma.cli.orders:reject", "Reject one."),
    "serve": Entry("docgemma.cli.serve:serve", "The web page and its API."),
    "orders": Entry("docgemma.cli.orders:orders", "Chart entries that wait or were decided: listed, shown, undone."),
    "mcp": Entry("docgemma.cli.mcp:mcp", "Offer the clinical tools over MCP."),
    "eval": Entry("docgemma.cli.eval:evaluate", "How well requests are understood, on written cases."),
    "ehr": Entry("docgemma.cli.ehr:ehr", "Charts in and out of the embedded store, listed and served."),
    "pack": Entry("docgemma.cli.pack:pack", "Drug labels on this machine: built, listed, verified."),
    "kb": Entry("docgemma.cli.kb:kb", "The knowledge base: entries in and out, searched and asked."),
    "terms": Entry("docgemma.cli.terms:terms", "The terminology: built, searched, described."),
    "ground": Entry("docgemma.cli.ground:ground", "Trial criteria become coded entities; experts review the rest."),
    "users": Entry("docgemma.cli.users:users", "Accounts of the web page: added, changed, given tokens."),
    "audit": Entry("docgemma.cli.audit:audit", "Who read which chart, and whether the log of it is whole."),
    "doctor": Entry("docgemma.cli.doctor:doctor", "What is set up, what is missing, and how to mend it."),
}


class LazyGroup(click.Group):
    """Knows its commands by name and imports one only when it is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        entry = COMMANDS.get(cmd_name)
        if entry is None:
            return None
        module, _, name = entry.target.partition(":")
        return cast(click.Command, getattr(importlib.import_module(module), name))

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, entry.summary) for name, entry in COMMANDS.items()])

    def make_context(self, *args: Any, **options: Any) -> click.Context:
        with _reader_may_leave():
            return super().make_context(*args, **options)

    def invoke(self, ctx: click.Context) -> object:
        with _reader_may_leave():
            return super().invoke(ctx)


@contextmanager
def _reader_may_leave() -> Iterator[None]:
    """`docgemma … | head` is no error; click would call it one."""
    try:
        yield
    except BrokenPipeError:
        raise click.exceptions.Exit(BROKEN_PIPE) from None


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="docgemma")
@click.option("-v", "--verbose", count=True, help="Say more on stderr; twice for everything.")
@click.option(
    "--log-level",
    type=click.Choice(["debug", "info", "warning", "error"]),
    help="What to write to stderr. The default is warning.",
)
def cli(verbose: int, log_level: Level | None) -> None:
    """A clinical agent that a small open model can drive safely, online or off.

    Decision support for professionals; not a medical device.

    \b
    Examples:
      docgemma demo
      docgemma ask "Find patient Maria Garcia and check her chart"
      echo "Boxed warning of dofetilide?" | docgemma ask --json
      docgemma chat
      docgemma batch questions.jsonl --out answers.jsonl

    Without a model configured, answers are composed from what the look-ups found. `docgemma doctor` says what is
    set up; settings come from options, DOCGEMMA_* variables and config.toml, in this order.
    """
    levels: tuple[Level, ...] = ("warning", "info", "debug")
    set_up_logging(log_level or levels[min(verbose, 2)])
    switch_off_tracing()


def run(arguments: Sequence[str] | None = None) -> int:
    """Run one command and give its exit code. Expected errors are one line on stderr; a bug has no traceback."""
    try:
        code = cli.main(arguments, prog_name="docgemma", standalone_mode=False)
        sys.stdout.flush()
        return code if isinstance(code, int) else 0
    except (click.Abort, KeyboardInterrupt):
        return INTERRUPTED
    except BrokenPipeError:
        return BROKEN_PIPE
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except Exception as error:  # noqa: BLE001 - the border: nothing beyond this may reach a person raw
        return _report(unwrapped(error))


def unwrapped(error: BaseException) -> BaseException:
    """What was really raised: task groups wrap it, once for each that it passed."""
    while isinstance(error, BaseExceptionGroup) and len(error.exceptions) == 1:
        error = error.exceptions[0]
    return error


def _report(error: BaseException) -> int:
    """An expected error as its sentence, a bug as its kind without its text; gives the exit code."""
    if isinstance(error, DocGemmaError):
        click.echo(f"docgemma: {error}", err=True)
        return error.exit_code
    if logging.getLogger("docgemma").isEnabledFor(logging.DEBUG):
        traceback.print_exception(error)
    click.echo(
        f"docgemma: an unexpected error ({type(error).__name__}). This is a bug. "
        "Run again as `docgemma --log-level debug …` to see where.",
        err=True,
    )
    return 1


def main() -> NoReturn:
    """The console script.

    What is loaded stays until the end: looking it through for garbage while it grows, and once more on the way out,
    would cost a question half of its processor time.
    """
    gc.set_threshold(50_000, 20, 10)
    code = run()
    try:
        sys.stdout.flush()
    except BrokenPipeError:  # the reader left: keep the interpreter's own last flush quiet
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = BROKEN_PIPE
    gc.freeze()
    sys.exit(code)
