"""`docgemma kb`: the curated entries that consultations are answered from, in and out, searched and asked."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from docgemma.cli import kb_output, opening
from docgemma.cli.ask import kb_ask
from docgemma.cli.kb_transfer import export, ingest, language_option, library_of
from docgemma.cli.options import person, settings_of
from docgemma.cli.progress import PhaseProgress
from docgemma.cli.reading import text_argument, text_option, words_argument
from docgemma.cli.render import Output, reports
from docgemma.errors import BadInput

if TYPE_CHECKING:
    from docgemma.knowledge.base import Info, KnowledgeBase
    from docgemma.knowledge.entry import Language
    from docgemma.knowledge.roles import Role

LONGEST = 1_000
"""Characters of a question to search with; no entry has a longer one."""


@click.group()
def kb() -> None:
    """The knowledge base: questions with curated answers, for each role of its own, in English and Vietnamese.

    Until own entries are brought in, demonstration entries answer: not reviewed by a clinician.
    """


for command in (ingest, kb_ask, export):
    kb.add_command(command)


@kb.command()
@text_argument("ident", metavar="ID")
@reports()
@opening.needs(opening.knowledge)
async def show(base: KnowledgeBase, ident: str) -> Output:
    """One entry word for word, with its versions."""
    library = await library_of(base)
    versions = await library.history(ident)
    entry = (await library.entries([ident])).get(ident)
    facts = [kb_output.version_facts(each) for each in versions]
    return Output(
        {"entry": entry.model_dump() if entry else None, "versions": facts}, kb_output.entry_lines(entry, versions)
    )


@kb.command()
@text_argument("ident", metavar="ID")
@text_option("--reason", required=True, metavar="TEXT", help="Why; it is kept with the entry.")
def withdraw(ident: str, reason: str) -> None:
    """Take an entry out of use. Its versions stay, and ingesting it again brings it back.

    \b
    Example:
      docgemma kb withdraw dm-001-vi --reason "replaced by the guideline of 2026"
    """
    why = " ".join(reason.split())
    if not why:
        raise BadInput("Say why with --reason: it is kept with the entry.")

    async def gone(base: KnowledgeBase) -> None:
        await (await library_of(base)).withdraw(ident, by=person(), reason=why)

    opening.within(opening.knowledge, gone, settings_of({}))
    click.echo(f"{ident} is withdrawn: nothing is answered from it any more.")


@kb.command()
@reports()
@opening.needs(opening.knowledge)
async def roles(base: KnowledgeBase) -> Output:
    """For whom there are entries, and how many."""
    library = await library_of(base)
    known, counts = await library.roles(), await library.counts()
    return Output([kb_output.role_facts(each, counts) for each in known], kb_output.role_lines(known, counts))


@kb.command()
@text_argument("ident", metavar="ID")
@click.option("--audience", type=click.Choice(["patient", "professional"]), help="Who reads its entries.")
@text_option("--name-en", metavar="TEXT", help="What it is called in English.")
@text_option("--name-vi", metavar="TEXT", help="What it is called in Vietnamese.")
@text_option("--persona", metavar="TEXT", help="In which tone a model explains to it: “a senior nurse who …”.")
@reports()
@opening.needs(opening.knowledge)
async def role(base: KnowledgeBase, ident: str, **given: str | None) -> Output:
    """Add a role, or change one: what is not given stays as it is. With ID alone, show it.

    What patients ask is looked through for signs of an emergency first, and their answers carry a note.

    \b
    Example:
      docgemma kb role midwife --audience professional --name-en Midwife --name-vi "Nữ hộ sinh" \\
        --persona "a senior midwife who briefs a colleague: precise and practical"
    """
    library = await library_of(base)
    changes = {field: text for field, text in given.items() if text is not None}
    if changes:
        before = {each.id: each.model_dump() for each in await library.roles()}
        now = _made({**before.get(ident, {}), "id": ident, **changes})
        await library.set_role(now)
    else:
        now = await library.role(ident)
    return Output(now.model_dump(), kb_output.one_role_lines(now))


def _made(fields: dict[str, str]) -> Role:
    """A role as it may be stored, or BadInput that says what is missing or too long."""
    from pydantic import ValidationError

    from docgemma.knowledge.roles import Role

    missing = [f"--{field.replace('_', '-')}" for field in Role.model_fields if field not in fields]
    if missing:
        raise BadInput(f"A new role also needs {', '.join(missing)}.")
    try:
        return Role.model_validate({field: " ".join(text.split()) for field, text in fields.items()})
    except ValidationError as error:
        if any(each["loc"][0] == "id" for each in error.errors()):
            raise BadInput(
                "The id of a role has 2 to 40 small letters, digits and underscores, and begins with a letter."
            ) from None
        raise BadInput("The names of a role have 1 to 80 characters, its persona 1 to 600.") from None


@kb.command()
@words_argument("question", "A question", LONGEST)
@click.option("--role", metavar="ROLE", help="Whose entries; without it, those of all professional roles.")
@click.option("--language", type=click.Choice(["en", "vi"]), help="The default is the question's own.")
@text_option("--topic", default="", metavar="TOPIC", help="Only this topic.")
@click.option("--limit", type=click.IntRange(1, 100), default=10, show_default=True, metavar="N")
@reports()
@opening.needs(opening.knowledge)
async def search(
    base: KnowledgeBase, question: str, role: str | None, language: Language | None, topic: str, limit: int
) -> Output:
    """Find entries, with how well each fits the question from 0 to 1.

    \b
    Examples:
      docgemma kb search "sick day rules" --role nurse
      docgemma kb search "đau răng sau khi nhổ" --role patient_dental --json
    """
    from docgemma.knowledge.index.contract import Scope
    from docgemma.knowledge.safety.language import detect

    spoken: Language = language or detect(question) or "en"
    whose = await _readers(base, role)
    found = await base.search(question, Scope(whose, spoken, topic), limit=limit)
    return Output(kb_output.finding_facts(found, whose, spoken), kb_output.finding_lines(found))


async def _readers(base: KnowledgeBase, role: str | None) -> tuple[str, ...]:
    """Without a role, professionals: what was written for patients is not for everybody at once."""
    if role is not None:
        return ((await base.role(role)).id,)
    return tuple(each.id for each in await base.roles() if each.audience == "professional")


@kb.command()
@click.option("--role", metavar="ROLE", help="Only this role.")
@language_option
@reports()
@opening.needs(opening.knowledge)
async def topics(base: KnowledgeBase, role: str | None, language: Language | None) -> Output:
    """The topics and subtopics of every role, with how many entries each has."""
    spoken = (language,) if language else tuple(kb_output.LANGUAGES)
    library = await library_of(base)
    whose = await library.roles() if role is None else (await library.role(role),)
    places = [(each.id, one) for each in whose for one in spoken]
    branches = [(who, one, tree) for who, one in places if (tree := await library.topics(who, one))]
    return Output(kb_output.topic_facts(branches), kb_output.topic_lines(branches))


@kb.command()
@reports()
@opening.needs(opening.knowledge)
async def index(base: KnowledgeBase) -> Output:
    """Build the index again, from the entries. The one before answers until the new one is whole."""
    with PhaseProgress(sys.stderr) as progress:
        await base.reindex(progress)
    return _described(await base.info())


@kb.command()
@reports()
@opening.needs(opening.knowledge)
async def info(base: KnowledgeBase) -> Output:
    """What is in the knowledge base, and how it is searched."""
    return _described(await base.info())


def _described(now: Info) -> Output:
    return Output(kb_output.info_facts(now), kb_output.info_lines(now))
