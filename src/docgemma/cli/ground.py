"""`docgemma ground`: eligibility criteria become entities with codes; what is uncertain goes to an expert."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import click

from docgemma.cli import ground_output, opening
from docgemma.cli.options import model_options, person, settings_of
from docgemma.cli.reading import text_argument, text_option
from docgemma.cli.render import Output, json_option, reports
from docgemma.errors import BadInput

if TYPE_CHECKING:
    from docgemma.config import Settings
    from docgemma.grounding.review.decision import Decision
    from docgemma.grounding.review.desk import Desk
    from docgemma.grounding.runs.store import GroundingStore

_ENGINES = ("local", "ray")
_FORMATS = ("jsonl", "omop")
_READ_AS = ("text", "block", "jsonl", "json", "csv")

item_argument = click.argument("item", metavar="ITEM")
reason_option = text_option("--reason", default="", metavar="TEXT", help="Why; kept with the decision.")


@asynccontextmanager
async def grounding_store(settings: Settings) -> AsyncIterator[GroundingStore]:
    from docgemma.grounding.runs.store import open_store

    async with open_store(settings.grounding_address) as store:
        yield store


@asynccontextmanager
async def review_desk(settings: Settings) -> AsyncIterator[Desk]:
    from docgemma.grounding.review.desk import Desk

    async with grounding_store(settings) as store:
        yield Desk(store.database, who=person())


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


@ground.command()
@click.argument("source", metavar="FILE", type=click.Path(exists=True, allow_dash=True))
@click.option("--out", default="-", metavar="OUT", help="Where the lines go; `-` is standard output.")
@click.option("--format", "kind", type=click.Choice(_FORMATS), help="The default is jsonl, or omop where OUT is .csv.")
@click.option("--read-as", type=click.Choice(_READ_AS), help="What FILE is, where that is not seen from it.")
@text_option("--protocol", default="", metavar="ID", help="Whose criteria they are, where FILE does not say it.")
@click.option(
    "--engine", type=click.Choice(_ENGINES), default="local", show_default=True, help="Where the work is done."
)
@click.option("--address", metavar="ADDRESS", help="Of a Ray cluster that runs already.")
@click.option(
    "--workers", type=click.IntRange(1, 10_000), default=1, show_default=True, help="Processes or Ray actors."
)
@click.option("--batch-size", "ground_batch", type=click.IntRange(1, 1000), metavar="N", help="Criteria in a batch.")
@click.option(
    "--concurrency",
    "ground_concurrency",
    type=click.IntRange(1, 256),
    metavar="N",
    help="Batches at once in one process.",
)
@click.option(
    "--threshold",
    "ground_threshold",
    type=click.FloatRange(0, 1),
    metavar="X",
    help="Below this confidence an expert looks.",
)
@click.option("--limit", type=click.IntRange(1), metavar="N", help="Only the first N criteria.")
@click.option("--fresh", is_flag=True, help="Ground everything again, though results are there.")
@click.option("--force", is_flag=True, help="Write OUT anew, whatever it is; results are used again.")
@json_option()
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
    settings = settings_of(given)

    from docgemma.cli.ground_run import Wishes, grounded_file

    return grounded_file(Wishes(**given), settings)


@ground.command()
@text_argument("protocol", metavar="[PROTOCOL]", default="")
@reports()
@opening.needs(grounding_store)
async def show(store: GroundingStore, protocol: str) -> Output:
    """The criteria of a protocol with their entities, as the last run and the experts have them.

    A file whose criteria name no protocol is shown by its name. Without PROTOCOL, the names of all that there are.
    """
    if not protocol:
        known = await store.protocols()
        facts = [{"protocol": name, "criteria": count} for name, count in known]
        return Output(facts, ground_output.protocols_lines(known))
    lines = await store.protocol(protocol)
    criteria = [line.model_dump(mode="json") for line in lines]
    return Output({"protocol": protocol, "criteria": criteria}, ground_output.protocol_lines(lines))


@ground.group()
def review() -> None:
    """What waits for an expert, and what experts decided. A decision holds for the same text and type everywhere.

    It is in the lines of every later run, with the method `person`; nothing is grounded again for it. Decisions are
    never changed or removed: a later one takes the place of an earlier one.

    \b
    Examples:
      docgemma ground review list
      docgemma ground review show 1a2b3c4d5e6f
      docgemma ground review accept 1a2b3c4d5e6f --candidate 2
    """


@review.command(name="list")
@click.option("--type", "entity_type", type=click.Choice(ground_output.TYPES), help="Only this type.")
@click.option("--all", "everything", is_flag=True, help="Also what is grounded or decided.")
@click.option("--limit", type=click.IntRange(1, 10_000), default=50, show_default=True, metavar="N")
@reports()
@opening.needs(review_desk)
async def list_items(desk: Desk, entity_type: str | None, everything: bool, limit: int) -> Output:
    """What waits for an expert, most frequent first."""
    items = await desk.items(everything=everything, entity_type=entity_type, most=limit)
    return Output([each.model_dump(mode="json") for each in items], ground_output.item_rows(items))


@review.command("show")
@item_argument
@reports()
@opening.needs(review_desk)
async def show_item(desk: Desk, item: str) -> Output:
    """One item: its candidates, criteria that it stands in, and what was decided."""
    found, examples = await desk.item(item)
    facts = {**found.model_dump(mode="json"), "examples": [each.model_dump() for each in examples]}
    return Output(facts, ground_output.item_lines(found, examples))


@review.command()
@item_argument
@click.option(
    "--candidate", type=click.IntRange(1), default=1, show_default=True, metavar="N", help="As `show` counts."
)
@reason_option
@reports()
@opening.needs(review_desk)
async def accept(desk: Desk, item: str, candidate: int, reason: str) -> Output:
    """Ground it to one of its candidates."""
    return _decided(await desk.accept(item, candidate=candidate, reason=reason))


@review.command()
@item_argument
@click.option("--cui", metavar="CUI", help="The UMLS concept, such as C0004096.")
@click.option("--snomed", metavar="CODE", help="The SNOMED CT concept; else the one that the terminology has for it.")
@text_option("--term", metavar="NAME", help="Its name; else the one that the terminology has for it.")
@text_option("--reason", required=True, metavar="TEXT", help="Why; kept with the decision.")
@reports()
def change(item: str, cui: str | None, snomed: str | None, term: str | None, reason: str) -> Output:
    """Ground it to a concept that is not among its candidates: by --cui, by --snomed, or both.

    The concept is looked for under the item's text and under --term. One that is not found there is taken all the same,
    and marked.
    """
    if cui is None and snomed is None:
        raise BadInput("Say which concept it is: --cui, --snomed, or both.")
    from docgemma.grounding.review.concepts import check_codes, named

    check_codes(cui, snomed)
    settings = settings_of({})
    name = None if term is None else term.strip()

    async def work(desk: Desk) -> Decision:
        found, _ = await desk.item(item)
        async with opening.terminology(settings) as terminology:
            choice, known = await named(terminology, found, cui=cui, snomed=snomed, name=name)
        return await desk.change(item, choice, reason=reason, known=known)

    return _decided(opening.within(review_desk, work, settings))


@review.command()
@item_argument
@reason_option
@reports()
@opening.needs(review_desk)
async def reject(desk: Desk, item: str, reason: str) -> Output:
    """It is not an entity, or no terminology has it: it is never grounded."""
    return _decided(await desk.reject(item, reason=reason))


@review.command()
@item_argument
@reason_option
@reports()
@opening.needs(review_desk)
async def undo(desk: Desk, item: str, reason: str) -> Output:
    """Take the last decision back: the item waits again. The decision stays in the history."""
    return _decided(await desk.undo(item, reason=reason))


@review.command()
@click.argument("item", metavar="[ITEM]", default="")
@reports()
@opening.needs(review_desk)
async def history(desk: Desk, item: str) -> Output:
    """Who decided what, and when: on ITEM, or the last decisions on all."""
    found = await desk.history(item or None)
    lines = [f"{each.item} {ground_output.decision_line(each)}" for each in found] or ["Nothing was decided yet."]
    return Output([each.model_dump(mode="json") for each in found], lines)


def _decided(made: Decision) -> Output:
    return Output(made.model_dump(mode="json"), [ground_output.decision_line(made)])
