"""`docgemma kb`: the curated entries that consultations are answered from, in and out, searched and asked."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from docgemma.cli.kb_ask import ask
from docgemma.cli.kb_base import as_json_option, language_option, library_of, on_base, printed
from docgemma.cli.kb_curate import role, roles, show, withdraw
from docgemma.cli.kb_export import export
from docgemma.cli.kb_ingest import ingest
from docgemma.cli.reading import proper_text
from docgemma.errors import BadInput

if TYPE_CHECKING:
    from docgemma.cli.kb_output import Branches
    from docgemma.knowledge.base import Info, KnowledgeBase
    from docgemma.knowledge.entry import Language
    from docgemma.knowledge.search.found import Findings

LONGEST = 1_000
"""Characters of a question to search with; no entry has a longer one."""


@click.group()
def kb() -> None:
    """The knowledge base: questions with curated answers, for each role of its own, in English and Vietnamese.

    Until own entries are brought in, demonstration entries answer: not reviewed by a clinician.
    """


for command in (ingest, ask, export, show, withdraw, roles, role):
    kb.add_command(command)


@kb.command()
@click.argument("question", nargs=-1, required=True)
@click.option("--role", metavar="ROLE", help="Whose entries; without it, those of all professional roles.")
@click.option("--language", type=click.Choice(["en", "vi"]), help="The default is the question's own.")
@click.option("--topic", default="", metavar="TOPIC", help="Only this topic.")
@click.option("--limit", type=click.IntRange(1, 100), default=10, show_default=True, metavar="N")
@as_json_option
def search(
    question: tuple[str, ...], role: str | None, language: Language | None, topic: str, limit: int, as_json: bool
) -> int:
    """Find entries, with how well each fits the question from 0 to 1.

    \b
    Examples:
      docgemma kb search "sick day rules" --role nurse
      docgemma kb search "đau răng sau khi nhổ" --role patient_dental --json
    """
    text = " ".join(proper_text(" ".join(question)).split())
    if not text or len(text) > LONGEST:
        raise BadInput(f"A question has 1 to {LONGEST:,} characters.")

    from docgemma.cli.kb_output import finding_facts, finding_lines
    from docgemma.knowledge.index.contract import Scope
    from docgemma.knowledge.safety.language import detect

    spoken: Language = language or detect(text) or "en"

    async def found(base: KnowledgeBase) -> tuple[tuple[str, ...], Findings]:
        whose = await _readers(base, role)
        return whose, await base.search(text, Scope(whose, spoken, proper_text(topic)), limit=limit)

    whose, findings = on_base(found)
    printed(finding_facts(findings, whose, spoken), finding_lines(findings), as_json=as_json)
    return 0


async def _readers(base: KnowledgeBase, role: str | None) -> tuple[str, ...]:
    """Without a role, professionals: what was written for patients is not for everybody at once."""
    if role is not None:
        return ((await base.role(role)).id,)
    return tuple(each.id for each in await base.roles() if each.audience == "professional")


@kb.command()
@click.option("--role", metavar="ROLE", help="Only this role.")
@language_option
@as_json_option
def topics(role: str | None, language: Language | None, as_json: bool) -> int:
    """The topics and subtopics of every role, with how many entries each has."""
    from docgemma.cli.kb_output import LANGUAGES, topic_facts, topic_lines

    spoken = (language,) if language else tuple(LANGUAGES)

    async def found(base: KnowledgeBase) -> Branches:
        library = await library_of(base)
        whose = await library.roles() if role is None else (await library.role(role),)
        places = [(each.id, one) for each in whose for one in spoken]
        return [(who, one, tree) for who, one in places if (tree := await library.topics(who, one))]

    branches = on_base(found)
    printed(topic_facts(branches), topic_lines(branches), as_json=as_json)
    return 0


@kb.command()
@as_json_option
def index(as_json: bool) -> int:
    """Build the index again, from the entries. The one before answers until the new one is whole."""
    from docgemma.cli.kb_report import PhaseProgress, info_facts, info_lines

    progress = PhaseProgress(sys.stderr)

    async def built(base: KnowledgeBase) -> Info:
        await base.reindex(progress)
        return await base.info()

    try:
        now = on_base(built)
    finally:
        progress.finish()
    printed(info_facts(now), info_lines(now), as_json=as_json)
    return 0


@kb.command()
@as_json_option
def info(as_json: bool) -> int:
    """What is in the knowledge base, and how it is searched."""
    from docgemma.cli.kb_report import info_facts, info_lines

    now = on_base(lambda base: base.info())
    printed(info_facts(now), info_lines(now), as_json=as_json)
    return 0
