"""`docgemma kb ingest`: files of questions and answers into the knowledge base, all of them or none."""

from __future__ import annotations

import sys
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from docgemma.cli.kb_base import as_json_option, on_base, printed
from docgemma.cli.reading import proper_text
from docgemma.errors import BadInput

if TYPE_CHECKING:
    from docgemma.cli.kb_intake import Intake
    from docgemma.knowledge.base import KnowledgeBase
    from docgemma.knowledge.ingesting import Ingested, Told
    from docgemma.knowledge.reading.contract import Ids

GO_ON = "Stopped. The same command goes on where it was; until it ends, answers come from what was there before."


@click.command()
@click.argument("paths", metavar="PATH…", nargs=-1, type=click.Path(path_type=Path))
@click.option("--role", metavar="ROLE", help="For whom, where a row does not say it.")
@click.option(
    "--language",
    type=click.Choice(["en", "vi"]),
    help="In which language, where a row does not say it; else its words tell.",
)
@click.option("--source", metavar="TEXT", help="Where the answers come from, where a row does not say it.")
@click.option("--topic", metavar="TEXT", help="About what, where a row does not say it.")
@click.option("--subtopic", metavar="TEXT", help="About what part of it, where a row does not say it.")
@click.option("--reviewed", metavar="DATE", help="When a clinician last read them, where a row does not say it.")
@click.option("--map", "maps", multiple=True, metavar="FIELD=COLUMN", help="What a column is called; may be repeated.")
@click.option(
    "--ids",
    type=click.Choice(["file", "content"]),
    default="file",
    show_default=True,
    help="Take the rows' own ids, or make them of question and answer.",
)
@click.option("--sheet", metavar="NAME", help="Which sheet of a workbook; else its first.")
@click.option("--allow-orders", is_flag=True, help="Take texts, once read, that sound like orders to a program.")
@click.option("--skip-bad", is_flag=True, help="Leave out rows that cannot be taken; else nothing is taken.")
@click.option("--withdraw-missing", is_flag=True, help="Withdraw what these files lack, of their roles and languages.")
@click.option("--dry-run", is_flag=True, help="Only say what would be done.")
@click.option("--demo", is_flag=True, help="Load the demonstration entries again; takes no PATH.")
@as_json_option
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

    from docgemma.cli.kb_intake import Intake, load_demonstration, take_in
    from docgemma.knowledge.reading.contract import Options

    filled = {name: proper_text(text or "") for name, text in given.items()}
    options = Options(**filled, columns=_columns(maps), ids=ids, allow_orders=allow_orders)
    intake = Intake(paths, options, skip_bad=skip_bad, withdraw_missing=withdraw_missing)
    work = load_demonstration if demo else partial(take_in, dry=dry_run)
    return _run(work, intake, dry=dry_run, as_json=as_json)


def _run(
    work: Callable[[KnowledgeBase, Intake, Told], Awaitable[Ingested]], intake: Intake, *, dry: bool, as_json: bool
) -> int:
    from docgemma.cli.kb_report import PhaseProgress, ingested_facts, ingested_lines, refused_facts, refused_lines
    from docgemma.knowledge.ingesting import BadRows

    progress = PhaseProgress(sys.stderr)
    try:
        done = on_base(lambda base: work(base, intake, progress))
    except BadRows as error:
        progress.finish()
        if as_json:
            printed(refused_facts(error), (), as_json=True)
        for line in refused_lines(error):
            click.echo(line, err=True)
        return error.exit_code
    except KeyboardInterrupt:
        progress.finish()
        click.echo(GO_ON, err=True)
        raise
    finally:
        progress.finish()
    printed(ingested_facts(done, intake, dry=dry), ingested_lines(done, intake, dry=dry), as_json=as_json)
    return 0


def _columns(maps: tuple[str, ...]) -> dict[str, str]:
    """Field → column. Whether there is such a field, reading says."""
    found: dict[str, str] = {}
    for each in maps:
        field, equals, column = (part.strip() for part in proper_text(each).partition("="))
        if not (field and equals and column) or field in found:
            raise BadInput("--map takes FIELD=COLUMN, such as topic=focus, and each field once.")
        found[field] = column
    return found
