"""What a curator does to single entries and roles: `docgemma kb show`, `withdraw`, `roles`, `role`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from docgemma.cli.kb_base import as_json_option, library_of, on_base, printed
from docgemma.cli.options import person
from docgemma.cli.reading import proper_text
from docgemma.errors import BadInput

if TYPE_CHECKING:
    from docgemma.knowledge.base import KnowledgeBase
    from docgemma.knowledge.entry import Entry
    from docgemma.knowledge.library.library import VersionRow
    from docgemma.knowledge.roles import Role


@click.command()
@click.argument("ident", metavar="ID")
@as_json_option
def show(ident: str, as_json: bool) -> int:
    """One entry word for word, with its versions."""
    from docgemma.cli.kb_output import entry_lines, version_facts

    name = proper_text(ident)

    async def found(base: KnowledgeBase) -> tuple[Entry | None, tuple[VersionRow, ...]]:
        library = await library_of(base)
        versions = await library.history(name)
        return (await library.entries([name])).get(name), versions

    entry, versions = on_base(found)
    facts = {"entry": entry.model_dump() if entry else None, "versions": [version_facts(each) for each in versions]}
    printed(facts, entry_lines(entry, versions), as_json=as_json)
    return 0


@click.command()
@click.argument("ident", metavar="ID")
@click.option("--reason", required=True, metavar="TEXT", help="Why; it is kept with the entry.")
def withdraw(ident: str, reason: str) -> int:
    """Take an entry out of use. Its versions stay, and ingesting it again brings it back.

    \b
    Example:
      docgemma kb withdraw dm-001-vi --reason "replaced by the guideline of 2026"
    """
    name, why = proper_text(ident), " ".join(proper_text(reason).split())
    if not why:
        raise BadInput("Say why with --reason: it is kept with the entry.")

    async def gone(base: KnowledgeBase) -> None:
        await (await library_of(base)).withdraw(name, by=person(), reason=why)

    on_base(gone)
    click.echo(f"{name} is withdrawn: nothing is answered from it any more.")
    return 0


@click.command()
@as_json_option
def roles(as_json: bool) -> int:
    """For whom there are entries, and how many."""
    from docgemma.cli.kb_output import role_facts, role_lines

    async def found(base: KnowledgeBase) -> tuple[tuple[Role, ...], dict[tuple[str, str], int]]:
        library = await library_of(base)
        return await library.roles(), await library.counts()

    known, counts = on_base(found)
    printed([role_facts(each, counts) for each in known], role_lines(known, counts), as_json=as_json)
    return 0


@click.command()
@click.argument("ident", metavar="ID")
@click.option("--audience", type=click.Choice(["patient", "professional"]), help="Who reads its entries.")
@click.option("--name-en", metavar="TEXT", help="What it is called in English.")
@click.option("--name-vi", metavar="TEXT", help="What it is called in Vietnamese.")
@click.option("--persona", metavar="TEXT", help="In which tone a model explains to it: “a senior nurse who …”.")
@as_json_option
def role(ident: str, as_json: bool, **given: str | None) -> int:
    """Add a role, or change one: what is not given stays as it is. With ID alone, show it.

    What patients ask is looked through for signs of an emergency first, and their answers carry a note.

    \b
    Example:
      docgemma kb role midwife --audience professional --name-en Midwife --name-vi "Nữ hộ sinh" \\
        --persona "a senior midwife who briefs a colleague: precise and practical"
    """
    from docgemma.cli.kb_output import one_role_lines

    name = proper_text(ident)
    changes = {field: proper_text(text) for field, text in given.items() if text is not None}

    async def saved(base: KnowledgeBase) -> Role:
        library = await library_of(base)
        if not changes:
            return await library.role(name)
        before = {each.id: each.model_dump() for each in await library.roles()}
        made = _made({**before.get(name, {}), "id": name, **changes})
        await library.set_role(made)
        return made

    now = on_base(saved)
    printed(now.model_dump(), one_role_lines(now), as_json=as_json)
    return 0


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
