"""`docgemma ground`: eligibility criteria become entities with codes; what is uncertain goes to an expert."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from docgemma.cli.ground_review import review
from docgemma.cli.kb_base import as_json_option, printed
from docgemma.cli.options import model_options
from docgemma.cli.reading import proper_text
from docgemma.errors import BadInput

if TYPE_CHECKING:
    from docgemma.cli.ground_run import Wishes
    from docgemma.grounding.contract import Grounded

_ENGINES = ("local", "ray")
_FORMATS = ("jsonl", "omop")
_READ_AS = ("text", "block", "jsonl", "json", "csv")


class FileGroup(click.Group):
    """`ground FILE` beside `ground show` and `ground review`: what is no command is the file to ground."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if args and args[0] not in self.commands and args[0] not in ctx.help_option_names:
            args = ["run", *args]
        return super().parse_args(ctx, args)


@click.group(cls=FileGroup)
def ground() -> None:
    """Find the medical entities in trial criteria, with UMLS CUI and SNOMED CT code; leave doubts to an expert.

    `docgemma ground FILE` is short for `docgemma ground run FILE`; `docgemma ground run --help` lists its options. A
    file with the name of a command is given as ./show.

    \b
    Examples:
      docgemma ground criteria.jsonl --out grounded.jsonl
      docgemma ground NCT01234567.json --out grounded.csv
      docgemma ground review list
    """


ground.add_command(review)


@ground.command()
@click.argument("source", metavar="FILE", type=click.Path(exists=True, allow_dash=True))
@click.option("--out", default="-", metavar="OUT", help="Where the lines go; `-` is standard output.")
@click.option("--format", "kind", type=click.Choice(_FORMATS), help="The default is jsonl, or omop where OUT is .csv.")
@click.option("--read-as", type=click.Choice(_READ_AS), help="What FILE is, where that is not seen from it.")
@click.option("--protocol", default="", metavar="ID", help="Whose criteria they are, where FILE does not say it.")
@click.option(
    "--engine", type=click.Choice(_ENGINES), default="local", show_default=True, help="Where the work is done."
)
@click.option("--address", metavar="ADDRESS", help="Of a Ray cluster that runs already.")
@click.option(
    "--workers", type=click.IntRange(1, 10_000), default=1, show_default=True, help="Processes or Ray actors."
)
@click.option("--batch-size", type=click.IntRange(1, 1000), metavar="N", help="Criteria in a batch.")
@click.option("--concurrency", type=click.IntRange(1, 256), metavar="N", help="Batches at once in one process.")
@click.option("--threshold", type=click.FloatRange(0, 1), metavar="X", help="Below this confidence an expert looks.")
@click.option("--limit", type=click.IntRange(1), metavar="N", help="Only the first N criteria.")
@click.option("--fresh", is_flag=True, help="Ground everything again, though results are there.")
@click.option("--force", is_flag=True, help="Write OUT anew, whatever it is; results are used again.")
@as_json_option
@model_options
def run(**given: Any) -> int:
    """Ground every criterion of FILE: text, CSV, JSON Lines, or studies of ClinicalTrials.gov as JSON; `-` is stdin.

    One line for a criterion comes out, in the order of FILE. Results are kept by content: run the same command again
    after it was stopped, killed or cut off, and it goes on where it was; a criterion that has a result is not grounded
    twice, one that failed is tried again, and what experts decided meanwhile is in the lines.

    With --format omop, a CSV in the words of the OMOP common data model with one row for an entity. Its concept_id is
    always 0, because no OMOP vocabulary is loaded; map the codes of the other columns with yours. Rows that wait for an
    expert have no codes. A cell that a spreadsheet would run as a formula gets an apostrophe in front; numbers such as
    -1 stay numbers.

    \b
    Examples:
      docgemma ground criteria.txt --protocol NCT01234567 --out grounded.jsonl
      docgemma ground criteria.jsonl --out grounded.csv --threshold 0.8
      docgemma ground trials/ --out grounded.jsonl --workers 8

    Exit codes: 0 when every criterion was grounded; 2 when lines of FILE were broken or criteria failed, which OUT says
    in their places; 4 when the model or the terminology is gone; 5 while another run writes OUT.
    """
    from docgemma.cli.ground_run import grounded_file

    return grounded_file(_wishes(**given))


def _wishes(
    source: str, out: str, kind: str | None, read_as: str | None, protocol: str, as_json: bool, **more: Any
) -> Wishes:
    from docgemma.cli.ground_run import Wishes

    if as_json and out == "-":
        raise BadInput("--json prints the summary and needs --out FILE for the lines.")
    if out != "-" and source != "-" and Path(out).exists() and Path(out).samefile(source):
        raise BadInput("--out is the input file itself; give another one.")
    chosen = kind or ("omop" if out.lower().endswith(".csv") else "jsonl")
    return Wishes(
        source=source,
        out=out,
        kind="omop" if chosen == "omop" else "jsonl",
        read_as=read_as,
        protocol=proper_text(protocol),
        as_json=as_json,
        **more,
    )


@ground.command()
@click.argument("protocol", metavar="[PROTOCOL]", default="")
@as_json_option
def show(protocol: str, as_json: bool) -> int:
    """The criteria of a protocol with their entities, as the last run and the experts have them.

    A file whose criteria name no protocol is shown by its name. Without PROTOCOL, the names of all that there are.
    """
    from docgemma.cli.ground_output import protocol_lines, protocols_lines
    from docgemma.config import load_settings

    settings = load_settings()

    async def read() -> tuple[list[Grounded], list[tuple[str, int]]]:
        from docgemma.grounding.runs.store import open_store

        async with open_store(settings.grounding_address) as store:
            return (await store.protocol(proper_text(protocol)), []) if protocol else ([], await store.protocols())

    lines, known = asyncio.run(read())
    if protocol:
        facts: Any = {"protocol": protocol, "criteria": [line.model_dump(mode="json") for line in lines]}
        printed(facts, protocol_lines(lines), as_json=as_json)
    else:
        printed(
            [{"protocol": name, "criteria": count} for name, count in known], protocols_lines(known), as_json=as_json
        )
    return 0
