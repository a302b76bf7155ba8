"""`docgemma kb export`: entries as files that a person edits and `docgemma kb ingest` takes back."""

from __future__ import annotations

import csv
import io
import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Literal

import click

from docgemma.cli.kb_base import language_option, library_of, on_base
from docgemma.errors import BadInput, Unavailable

if TYPE_CHECKING:
    from docgemma.knowledge.base import KnowledgeBase
    from docgemma.knowledge.entry import Entry, Language

Format = Literal["jsonl", "csv"]
COLUMNS = ("id", "question", "answer", "role", "topic", "subtopic", "language", "source", "url", "reviewed")
_RUN = ("=", "+", "-", "@", "\t", "\r", "＝", "＋", "－", "＠")
_MARK = b"\xef\xbb\xbf"
"""Without it a spreadsheet takes Vietnamese letters for another alphabet."""


@click.command()
@click.option("--role", metavar="ROLE", help="Only entries for this role.")
@language_option
@click.option(
    "--format", "kind", type=click.Choice(["jsonl", "csv"]), help="The default is jsonl, or what FILE ends in."
)
@click.option("--out", type=click.Path(path_type=Path), metavar="FILE", help="Instead of standard output.")
@click.option("--overwrite", is_flag=True, help="Write FILE although it exists.")
def export(role: str | None, language: Language | None, kind: Format | None, out: Path | None, overwrite: bool) -> int:
    """Write the current entries, to standard output or to a file.

    A file appears when it is whole; one of the same name is replaced. In CSV, a cell that a spreadsheet would run as a
    formula gets an apostrophe in front, which `docgemma kb ingest` takes away again.

    \b
    Examples:
      docgemma kb export > entries.jsonl
      docgemma kb export --role nurse --language vi --out nurse.vi.csv
    """
    kind = kind or ("csv" if out is not None and out.suffix.lower() == ".csv" else "jsonl")
    if out is not None and out.exists() and not overwrite:
        raise BadInput("The file given with --out exists. Give another name, or --overwrite to replace it.")
    with opened(out, mark=kind == "csv") as stream:

        async def export_to(base: KnowledgeBase) -> int:
            library = await library_of(base)
            if role is not None:
                await library.role(role)
            write, written = WRITERS[kind](stream), 0
            async for some in library.each_current(role=role, language=language):
                write(some)
                written += len(some)
            return written

        written = on_base(export_to)
    click.echo(f"{written:,} {'entry' if written == 1 else 'entries'} written.", err=True)
    return 0


def harmless(cell: str) -> str:
    """An apostrophe before what a spreadsheet would run. Reading takes it away again."""
    return f"'{cell}" if cell.startswith(_RUN) else cell


def _json_lines(out: BinaryIO) -> Callable[[Iterable[Entry]], None]:
    def write(entries: Iterable[Entry]) -> None:
        for entry in entries:
            filled = {name: value for name in COLUMNS if (value := getattr(entry, name))}
            out.write(json.dumps(filled, ensure_ascii=False).encode() + b"\n")

    return write


def _table(out: BinaryIO) -> Callable[[Iterable[Entry]], None]:
    text = io.StringIO()
    rows = csv.writer(text)
    rows.writerow(COLUMNS)

    def write(entries: Iterable[Entry]) -> None:
        rows.writerows([harmless(getattr(entry, name)) for name in COLUMNS] for entry in entries)
        out.write(text.getvalue().encode())
        text.seek(0)
        text.truncate()

    write(())
    return write


WRITERS: dict[Format, Callable[[BinaryIO], Callable[[Iterable[Entry]], None]]] = {"jsonl": _json_lines, "csv": _table}


@contextmanager
def opened(out: Path | None, *, mark: bool) -> Iterator[BinaryIO]:
    """A place to write to. A file is written beside its place and put there when it is whole."""
    if out is None:
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    place = Path(os.path.realpath(out))
    if place.exists() and not place.is_file():
        raise BadInput("--out is no file. Give the name of a file, or leave it away for standard output.")
    beside = place.with_name(f".{place.name}.{os.getpid()}.part")
    try:
        with beside.open("xb") as stream:
            stream.write(_MARK if mark else b"")
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        beside.replace(place)
    except OSError as error:
        raise Unavailable(f"The export cannot be written: {error.strerror}. Nothing of it was kept.") from error
    finally:
        with suppress(OSError):
            beside.unlink(missing_ok=True)
