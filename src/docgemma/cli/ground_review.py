"""`docgemma ground review`: what waits for an expert, and what experts decided."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, TypeVar

import click

from docgemma.cli.kb_base import as_json_option, printed
from docgemma.cli.options import person
from docgemma.cli.reading import proper_text
from docgemma.errors import BadInput

if TYPE_CHECKING:
    from docgemma.config import Settings
    from docgemma.grounding.review.decision import Decision
    from docgemma.grounding.review.desk import Desk

T = TypeVar("T")

TYPES = ("Condition", "Medication", "Procedure", "Lab_Value", "Demographic", "Biomarker")

item_argument = click.argument("item", metavar="ITEM")
reason_option = click.option("--reason", default="", metavar="TEXT", help="Why; kept with the decision.")


@click.group()
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


def on_desk(work: Callable[[Desk, Settings], Awaitable[T]]) -> T:
    """The desk of this installation, open for as long as the work takes."""
    from docgemma.config import load_settings

    settings = load_settings()

    async def run() -> T:
        from docgemma.grounding.review.desk import Desk
        from docgemma.grounding.runs.store import open_store

        async with open_store(settings.grounding_address) as store:
            return await work(Desk(store.database, who=person()), settings)

    return asyncio.run(run())


@review.command(name="list")
@click.option("--type", "entity_type", type=click.Choice(TYPES), help="Only this type.")
@click.option("--all", "everything", is_flag=True, help="Also what is grounded or decided.")
@click.option("--limit", type=click.IntRange(1, 10_000), default=50, show_default=True, metavar="N")
@as_json_option
def list_items(entity_type: str | None, everything: bool, limit: int, as_json: bool) -> int:
    """What waits for an expert, most frequent first."""
    from docgemma.cli.ground_output import item_rows

    items = on_desk(lambda desk, _: desk.items(everything=everything, entity_type=entity_type, most=limit))
    printed([each.model_dump(mode="json") for each in items], item_rows(items), as_json=as_json)
    return 0


@review.command()
@item_argument
@as_json_option
def show(item: str, as_json: bool) -> int:
    """One item: its candidates, criteria that it stands in, and what was decided."""
    from docgemma.cli.ground_output import item_lines

    found, examples = on_desk(lambda desk, _: desk.item(item))
    facts = {**found.model_dump(mode="json"), "examples": [each.model_dump() for each in examples]}
    printed(facts, item_lines(found, examples), as_json=as_json)
    return 0


@review.command()
@item_argument
@click.option(
    "--candidate", type=click.IntRange(1), default=1, show_default=True, metavar="N", help="As `show` counts."
)
@reason_option
@as_json_option
def accept(item: str, candidate: int, reason: str, as_json: bool) -> int:
    """Ground it to one of its candidates."""
    return _decided(lambda desk, _: desk.accept(item, candidate=candidate, reason=proper_text(reason)), as_json)


@review.command()
@item_argument
@click.option("--cui", metavar="CUI", help="The UMLS concept, such as C0004096.")
@click.option("--snomed", metavar="CODE", help="The SNOMED CT concept; else the one that the terminology has for it.")
@click.option("--term", metavar="NAME", help="Its name; else the one that the terminology has for it.")
@click.option("--reason", required=True, metavar="TEXT", help="Why; kept with the decision.")
@as_json_option
def change(item: str, cui: str | None, snomed: str | None, term: str | None, reason: str, as_json: bool) -> int:
    """Ground it to a concept that is not among its candidates: by --cui, by --snomed, or both.

    The concept is looked for under the item's text and under --term. One that is not found there is taken all the same,
    and marked.
    """
    if cui is None and snomed is None:
        raise BadInput("Say which concept it is: --cui, --snomed, or both.")
    from docgemma.grounding.review.concepts import check_codes, named
    from docgemma.wiring.terminology import open_terminology

    check_codes(cui, snomed)
    name = None if term is None else proper_text(term).strip()

    async def work(desk: Desk, settings: Settings) -> Decision:
        found, _ = await desk.item(item)
        async with open_terminology(settings) as terminology:
            choice, known = await named(terminology, found, cui=cui, snomed=snomed, name=name)
        return await desk.change(item, choice, reason=proper_text(reason), known=known)

    return _decided(work, as_json)


@review.command()
@item_argument
@reason_option
@as_json_option
def reject(item: str, reason: str, as_json: bool) -> int:
    """It is not an entity, or no terminology has it: it is never grounded."""
    return _decided(lambda desk, _: desk.reject(item, reason=proper_text(reason)), as_json)


@review.command()
@item_argument
@reason_option
@as_json_option
def undo(item: str, reason: str, as_json: bool) -> int:
    """Take the last decision back: the item waits again. The decision stays in the history."""
    return _decided(lambda desk, _: desk.undo(item, reason=proper_text(reason)), as_json)


@review.command()
@click.argument("item", metavar="[ITEM]", default="")
@as_json_option
def history(item: str, as_json: bool) -> int:
    """Who decided what, and when: on ITEM, or the last decisions on all."""
    from docgemma.cli.ground_output import decision_line

    found = on_desk(lambda desk, _: desk.history(item or None))
    lines = [f"{each.item} {decision_line(each)}" for each in found] or ["Nothing was decided yet."]
    printed([each.model_dump(mode="json") for each in found], lines, as_json=as_json)
    return 0


def _decided(work: Callable[[Desk, Settings], Awaitable[Decision]], as_json: bool) -> int:
    from docgemma.cli.ground_output import decision_line

    made = on_desk(work)
    printed(made.model_dump(mode="json"), [decision_line(made)], as_json=as_json)
    return 0
