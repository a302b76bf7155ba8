"""`docgemma ground`: eligibility criteria become entities with codes; what is uncertain goes to an expert."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import click

from docgemma.cli import services
from docgemma.cli.options import (
    TYPES,
    limit_option,
    model_options,
    settings_of,
    text_argument,
    text_option,
)
from docgemma.cli.render import Output, counted, json_option, moment, one_line, reports, table
from docgemma.errors import BadInput

if TYPE_CHECKING:
    from docgemma.grounding.contract import Entity, Grounded
    from docgemma.grounding.review.decision import Choice, Decision, Example, Item
    from docgemma.grounding.review.desk import Desk
    from docgemma.grounding.runs.store import GroundingStore
    from docgemma.terminology.contract import Candidate

_ENGINES = ("local", "ray")
_FORMATS = ("jsonl", "omop")
_READ_AS = ("text", "block", "jsonl", "json", "csv")
_EXAMPLE_LENGTH = 160

item_argument = click.argument("item", metavar="ITEM")
reason_option = text_option("--reason", default="", metavar="TEXT", help="Why; kept with the decision.")


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
@reports(services.grounding_store)
async def show(store: GroundingStore, protocol: str) -> Output:
    """The criteria of a protocol with their entities, as the last run and the experts have them.

    A file whose criteria name no protocol is shown by its name. Without PROTOCOL, the names of all that there are.
    """
    if not protocol:
        known = await store.protocols()
        facts = [{"protocol": name, "criteria": count} for name, count in known]
        nothing = "Nothing was grounded yet. `docgemma ground FILE --out OUT` does."
        rows = ((name, f"{count:,}") for name, count in known)
        return Output(facts, table(("protocol", "criteria"), rows, empty=nothing))
    lines = await store.protocol(protocol)
    return Output({"protocol": protocol, "criteria": lines}, _protocol_lines(lines))


def _protocol_lines(lines: Sequence[Grounded]) -> Iterator[str]:
    for number, line in enumerate(lines):
        yield from [""] if number else []
        yield f"{one_line(line.criterion_id)} ({line.type}): {one_line(line.text)}"
        if line.error is not None:
            yield f"  ! {one_line(line.error)}"
        elif not line.entities:
            yield "  no entities"
        yield from (f"  {_entity(entity)}" for entity in line.entities)


def _entity(entity: Entity) -> str:
    """For example: HbA1c, Lab_Value: C0019018, 43396009 Hemoglobin A1c; >= 7.5 %; grounded 0.95 by rules."""
    codes = _codes(entity.umls_cui, entity.snomed_code, entity.preferred_term)
    compared = " ".join(part for part in (entity.comparator, entity.value, entity.unit) if part)
    if entity.comparator == "between":
        compared = f"{entity.value} to {entity.upper} {entity.unit or ''}".rstrip()
    name = f"not {entity.text}" if entity.negated else entity.text
    status = f"{entity.status} {entity.grounding_confidence:.2f} by {entity.grounding_method}"
    time = entity.time.text if entity.time else ""
    parts = (f"{name}, {entity.entity_type}: {codes}", compared, time, status, entity.reason)
    return one_line("; ".join(part for part in parts if part))


def _codes(cui: str | None, snomed: str | None, name: str | None) -> str:
    return " ".join(part for part in (cui, f"SNOMED {snomed}" if snomed else "", name) if part) or "no concept"


def _choice(choice: Choice) -> str:
    return _codes(choice.umls_cui, choice.snomed_code, choice.preferred_term)


def _candidate(candidate: Candidate) -> str:
    codes = _codes(candidate.cui, candidate.snomed_code, candidate.display)
    return f"{codes} ({candidate.ontology}, {candidate.confidence:.2f})"


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
@click.option("--type", "entity_type", type=click.Choice(TYPES), help="Only this type.")
@click.option("--all", "everything", is_flag=True, help="Also what is grounded or decided.")
@limit_option(10_000, 50)
@reports(services.review_desk)
async def list_items(desk: Desk, entity_type: str | None, everything: bool, limit: int) -> Output:
    """What waits for an expert, most frequent first."""
    items = await desk.items(everything=everything, entity_type=entity_type, most=limit)
    heading = ("item", "criteria", "type", "text", "first candidate")
    return Output(items, table(heading, map(_item_row, items), empty="Nothing waits for an expert."))


def _item_row(item: Item) -> tuple[str, ...]:
    chosen = _candidate(item.candidates[0]) if item.candidates else "none"
    if item.decision:
        chosen = f"{item.decision.action}: {_choice(item.decision.after)}"
    return (item.item, f"{item.waiting:,}", item.entity_type, one_line(item.text, 40), one_line(chosen, 70))


@review.command("show")
@item_argument
@reports(services.review_desk)
async def show_item(desk: Desk, item: str) -> Output:
    """One item: its candidates, criteria that it stands in, and what was decided."""
    found, examples = await desk.item(item)
    facts = {**found.model_dump(mode="json"), "examples": examples}
    return Output(facts, _item_lines(found, examples))


def _item_lines(item: Item, examples: Sequence[Example]) -> Iterator[str]:
    seen = counted(item.waiting, "criterion", "criteria")
    yield f"{one_line(item.text)} ({item.entity_type}), item {item.item}: {seen} wait for it"
    if item.reason:
        yield one_line(item.reason)
    yield f"Found: {one_line(_choice(item.found))}"
    yield "Candidates" if item.candidates else "No candidates: give the concept with `change --cui`."
    yield from (f"  {number}. {one_line(_candidate(each))}" for number, each in enumerate(item.candidates, 1))
    if examples:
        yield "Stands in"
    for example in examples:
        where = f"{one_line(example.protocol_id)} {one_line(example.criterion_id)}"
        yield f"  {where}: {one_line(example.text, _EXAMPLE_LENGTH)}"
    if item.decision:
        yield f"Decided: {_decision(item.decision)}"


def _decision(decision: Decision) -> str:
    """For example: 2026-03-01 10:20 UTC ann change C1 → C2 (reason)."""
    text = f"{moment(decision.at)} {decision.who} {decision.action}: {_choice(decision.before)}"
    text += f" → {'undecided' if decision.action == 'undo' else _choice(decision.after)}"
    text += f" ({decision.reason})" if decision.reason else ""
    text += "" if decision.known else "; the terminology in use does not know this concept"
    return one_line(text)


@review.command()
@item_argument
@click.option(
    "--candidate", type=click.IntRange(1), default=1, show_default=True, metavar="N", help="As `show` counts."
)
@reason_option
@reports(services.review_desk)
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
        async with services.terminology(settings) as terminology:
            choice, known = await named(terminology, found, cui=cui, snomed=snomed, name=name)
        return await desk.change(item, choice, reason=reason, known=known)

    return _decided(services.within(services.review_desk, work, settings))


@review.command()
@item_argument
@reason_option
@reports(services.review_desk)
async def reject(desk: Desk, item: str, reason: str) -> Output:
    """It is not an entity, or no terminology has it: it is never grounded."""
    return _decided(await desk.reject(item, reason=reason))


@review.command()
@item_argument
@reason_option
@reports(services.review_desk)
async def undo(desk: Desk, item: str, reason: str) -> Output:
    """Take the last decision back: the item waits again. The decision stays in the history."""
    return _decided(await desk.undo(item, reason=reason))


@review.command()
@click.argument("item", metavar="[ITEM]", default="")
@reports(services.review_desk)
async def history(desk: Desk, item: str) -> Output:
    """Who decided what, and when: on ITEM, or the last decisions on all."""
    found = await desk.history(item or None)
    return Output(found, [f"{each.item} {_decision(each)}" for each in found] or ["Nothing was decided yet."])


def _decided(made: Decision) -> Output:
    return Output(made, [_decision(made)])
