"""`docgemma kb ingest` and `docgemma kb export`: entries in, all of them or none, and out as they can come in again."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from docgemma.cli import services
from docgemma.cli.files import open_export
from docgemma.cli.options import ANY_PATH, LANGUAGES, text_option
from docgemma.cli.reading import proper_text
from docgemma.cli.render import counted, json_option
from docgemma.errors import BadInput

if TYPE_CHECKING:
    from docgemma.knowledge.entry import Entry, Language
    from docgemma.knowledge.library.library import Library
    from docgemma.knowledge.reading.contract import Ids

Format = Literal["jsonl", "csv"]
COLUMNS = ("id", "question", "answer", "role", "topic", "subtopic", "language", "source", "url", "reviewed")
_RUN = ("=", "+", "-", "@", "\t", "\r", "＝", "＋", "－", "＠")
_MARK = b"\xef\xbb\xbf"
"""Without it a spreadsheet takes Vietnamese letters for another alphabet."""

language_option = click.option("--language", type=LANGUAGES, help="Only this language.")


@click.command()
@click.argument("paths", metavar="PATH…", nargs=-1, type=ANY_PATH)
@text_option("--role", metavar="ROLE", help="For whom, where a row does not say it.")
@click.option("--language", type=LANGUAGES, help="In which language, where a row does not say it; else its words tell.")
@text_option("--source", metavar="TEXT", help="Where the answers come from, where a row does not say it.")
@text_option("--topic", metavar="TEXT", help="About what, where a row does not say it.")
@text_option("--subtopic", metavar="TEXT", help="About what part of it, where a row does not say it.")
@text_option("--reviewed", metavar="DATE", help="When a clinician last read them, where a row does not say it.")
@click.option("--map", "maps", multiple=True, metavar="FIELD=COLUMN", help="What a column is called; may be repeated.")
@click.option(
    "--ids",
    type=click.Choice(["file", "content"]),
    default="file",
    show_default=True,
    help="Take the rows' own ids, or make them of question and answer.",
)
@text_option("--sheet", metavar="NAME", help="Which sheet of a workbook; else its first.")
@click.option("--allow-orders", is_flag=True, help="Take texts, once read, that sound like orders to a program.")
@click.option("--skip-bad", is_flag=True, help="Leave out rows that cannot be taken; else nothing is taken.")
@click.option("--withdraw-missing", is_flag=True, help="Withdraw what these files lack, of their roles and languages.")
@click.option("--dry-run", is_flag=True, help="Only say what would be done.")
@click.option("--demo", is_flag=True, help="Load the demonstration entries again; takes no PATH.")
@json_option()
def ingest(
    paths: tuple[Path, ...],
    maps: tuple[str, ...],
    ids: Ids,
    skip_bad: bool,
    withdraw_missing: bool,
    dry_run: bool,
    demo: bool,
    as_json: bool,
    allow_orders: bool,
    **given: str | None,
) -> int:
    """Take in questions with answers: JSON Lines, CSV, Excel (.xlsx) and Markdown, files or folders of them.

    Every row is checked before anything is stored, and answers come from all of them at once or from none. A row whose
    text changed becomes a new version of its entry. Own knowledge takes the place of the demonstration entries.

    \b
    Examples:
      docgemma kb ingest answers.xlsx --role nurse --language vi --source "Ward handbook"
      docgemma kb ingest handbook/ --dry-run
      docgemma kb ingest medquad.jsonl --role general_practitioner --ids content \\
        --map topic=focus --map subtopic=qtype

    Exit codes: 0 when it was taken in; 2 when a row cannot be taken, and nothing was; 5 while another ingest runs.
    """
    others = (*paths, *maps, *given.values(), skip_bad, withdraw_missing, dry_run, allow_orders, ids == "content")
    if demo and any(others):
        raise BadInput("--demo loads the demonstration entries and nothing else. Give it alone.")
    if not (demo or paths):
        raise BadInput("Name the files or folders to take in, or give --demo for the demonstration entries.")

    from docgemma.cli.kb_intake import Intake, run
    from docgemma.knowledge.reading.contract import Options

    filled = {name: text or "" for name, text in given.items()}
    options = Options(**filled, columns=_columns(maps), ids=ids, allow_orders=allow_orders)
    intake = Intake(paths, options, skip_bad=skip_bad, withdraw_missing=withdraw_missing)
    return run(intake, demonstration=demo, dry=dry_run, as_json=as_json)


def _columns(maps: tuple[str, ...]) -> dict[str, str]:
    """Field → column. Whether there is such a field, reading says."""
    found: dict[str, str] = {}
    for each in maps:
        field, equals, column = (part.strip() for part in proper_text(each).partition("="))
        if not (field and equals and column) or field in found:
            raise BadInput("--map takes FIELD=COLUMN, such as topic=focus, and each field once.")
        found[field] = column
    return found


@click.command()
@click.option("--role", metavar="ROLE", help="Only entries for this role.")
@language_option
@click.option(
    "--format", "kind", type=click.Choice(["jsonl", "csv"]), help="The default is jsonl, or what FILE ends in."
)
@click.option("--out", type=ANY_PATH, metavar="FILE", help="Instead of standard output.")
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
    heading = (b"" if out is None else _MARK) + _table([COLUMNS]) if kind == "csv" else b""
    with open_export(out) as stream:

        async def export_to(library: Library) -> int:
            if role is not None:
                await library.role(role)
            stream.write(heading)
            written = 0
            async for some in library.each_current(role=role, language=language):
                stream.write(_written(some, kind))
                written += len(some)
            return written

        written = services.within(services.library, export_to)
    click.echo(f"{counted(written, 'entry', 'entries')} written.", err=True)
    return 0


def harmless(cell: str) -> str:
    """An apostrophe before what a spreadsheet would run. Reading takes it away again."""
    return f"'{cell}" if cell.startswith(_RUN) else cell


def _written(entries: Iterable[Entry], kind: Format) -> bytes:
    if kind == "csv":
        return _table([harmless(getattr(entry, name)) for name in COLUMNS] for entry in entries)
    filled = ({name: value for name in COLUMNS if (value := getattr(entry, name))} for entry in entries)
    return "".join(f"{json.dumps(each, ensure_ascii=False)}\n" for each in filled).encode()


def _table(rows: Iterable[Iterable[str]]) -> bytes:
    text = io.StringIO()
    csv.writer(text).writerows(rows)
    return text.getvalue().encode()
