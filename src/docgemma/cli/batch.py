"""`docgemma batch`: JSON lines in, turn records out, in the same order."""

from __future__ import annotations

import asyncio
import json
import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from docgemma.cli import services
from docgemma.cli.batch_lines import BatchLine, count_lines, read_lines
from docgemma.cli.files import TRY_AGAIN, Output, open_output, refuse_own_input
from docgemma.cli.options import agent_options, person, settings_of
from docgemma.cli.progress import Progress
from docgemma.cli.reading import read_image
from docgemma.errors import BadInput, DocGemmaError

if TYPE_CHECKING:
    from docgemma.agent.session import Sessions
    from docgemma.wiring.app import App

WINDOW = 4  # finished lines that may wait for a slow one before them, for each line at work

log = logging.getLogger(__name__)


@click.command()
@click.argument("source", metavar="IN.jsonl", type=click.Path(exists=True, dir_okay=False, allow_dash=True))
@click.option("--out", default="-", metavar="FILE", help="Where the records go; `-` is standard output.")
@click.option(
    "--concurrency", "batch_concurrency", type=click.IntRange(1, 256), metavar="N", help="How many lines at once."
)
@click.option("--resume", is_flag=True, help="Go on with FILE: lines whose record is there are not asked again.")
@click.option("--overwrite", is_flag=True, help="Start anew although FILE exists.")
@click.option("--quiet", is_flag=True, help="No progress on stderr.")
@agent_options
def batch(source: str, out: str, resume: bool, overwrite: bool, quiet: bool, **flags: Any) -> int:
    """Ask every line of IN.jsonl and write one turn record a line, in the same order.

    A line is {"id": "…", "query": "…"}, with "patient_id", "image" (a file, relative to IN.jsonl), "role", "graph" or
    "history" if they apply; a key that looks like one of these and is none is refused, others are named on stderr.
    "history" holds the user's earlier messages, as strings or {"role", "content"}: they are asked first, and only the
    last record is written.
    Each line is a session of its own. A line that cannot be asked gives {"id", "line", "error"} in its place and the
    rest goes on. Orders appear in the records but cannot be approved.

    \b
    Examples:
      docgemma batch questions.jsonl --out answers.jsonl
      docgemma batch questions.jsonl --out answers.jsonl --resume
      cat questions.jsonl | docgemma batch - | jq .response

    Exit codes: 0 when every line gave a record, else 2.
    """
    if resume and overwrite:
        raise BadInput("Give either --resume or --overwrite.")
    if resume and out == "-":
        raise BadInput("--resume needs --out FILE.")
    refuse_own_input(out, source)
    settings = settings_of(flags)
    total = count_lines(Path(source)) if source != "-" and Path(source).is_file() else None
    progress = Progress(sys.stderr, total, quiet=quiet)
    try:
        with _input(source) as lines, _output(out, resume=resume, overwrite=overwrite) as output:
            services.within(services.app, lambda app: _run(app, lines, output, progress), settings)
    except KeyboardInterrupt:
        progress.stopped(resumable=out != "-")
        raise
    progress.finish()
    return BadInput.exit_code if progress.broken else 0


@contextmanager
def _input(source: str) -> Iterator[Iterator[BatchLine]]:
    if source == "-":
        yield read_lines(sys.stdin.buffer, Path())
        return
    with Path(source).open("rb") as stream:
        yield read_lines(stream, Path(source).parent)


@contextmanager
def _output(out: str, *, resume: bool, overwrite: bool) -> Iterator[Output]:
    path = Path(out)
    if out == "-":
        yield Output(sys.stdout.buffer)
    elif path.exists() and not path.is_file():  # a device or a pipe has no past to resume
        with path.open("wb") as stream:
            yield Output(stream)
    else:
        with open_output(path, resume=resume, overwrite=overwrite) as output:
            yield output


async def _run(app: App, lines: Iterator[BatchLine], output: Output, progress: Progress) -> None:
    """Ask with a bounded window: some lines at work, some finished ones waiting for their turn, the rest unread."""
    at_once = app.settings.batch_concurrency
    room = asyncio.Semaphore(at_once)
    window: asyncio.Queue[asyncio.Task[tuple[str, bytes]] | None] = asyncio.Queue(WINDOW * at_once)

    async with asyncio.TaskGroup() as tasks:

        async def write() -> None:
            while (task := await window.get()) is not None:
                key, text = await task
                output.write(key, text)
                progress.done(record=not _is_error(key))

        tasks.create_task(write())
        named: set[str] = set()
        while (line := await asyncio.to_thread(next, lines, None)) is not None:  # a pipe may keep us waiting
            if fresh := [key for key in line.unknown if key not in named]:
                named.update(fresh)
                click.echo(f"Not read in line {line.number}: {', '.join(fresh)}.", err=True)
            if output.has(line.key):
                progress.skip(record=line.error is None)
            else:
                answer = _answer(app.sessions, line, output.kept(line.key), room)
                await window.put(tasks.create_task(answer))
        await window.put(None)


async def _answer(
    sessions: Sessions, line: BatchLine, kept: bytes | None, room: asyncio.Semaphore
) -> tuple[str, bytes]:
    """The key and the text of one output line. Nothing that one line does may end the batch."""
    if line.error is not None:
        return line.key, _error(line, line.error)
    if kept is not None:
        return line.key, kept
    from docgemma.agent.session import Question

    async with room:
        try:
            image = await asyncio.to_thread(read_image, line.image) if line.image else None
            owner, session_id = f"{person()} (batch)", None
            question = partial(Question, patient_id=line.patient_id, owner=owner, why="batch", graph=line.graph)
            for text in line.history:
                session_id = (await sessions.ask(question(text, session_id))).session_id
            asked = question(line.query, session_id, image=image, id=line.id, role=line.role)
            return line.key, (await sessions.ask(asked)).model_dump_json().encode()
        except DocGemmaError as error:
            return TRY_AGAIN, _error(line, str(error))
        except Exception as error:  # a border: a bug met by one line of thousands is told in its place
            log.exception("line %d met a bug", line.number)
            return TRY_AGAIN, _error(line, f"An unexpected error ({type(error).__name__}). This is a bug.")


def _is_error(key: str) -> bool:
    return key == TRY_AGAIN or key.startswith("!")


def _error(line: BatchLine, error: str) -> bytes:
    return json.dumps({"id": line.id, "line": line.number, "error": error}, ensure_ascii=False).encode()
