"""What every `docgemma kb` command does: opens the knowledge base for one piece of work, and prints what came of it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from docgemma.errors import Unavailable

if TYPE_CHECKING:
    from docgemma.knowledge.base import KnowledgeBase
    from docgemma.knowledge.library.library import Library

T = TypeVar("T")

as_json_option = click.option("--json", "as_json", is_flag=True, help="Print the result as one line of JSON.")
language_option = click.option("--language", type=click.Choice(["en", "vi"]), help="Only this language.")


def on_base(work: Callable[[KnowledgeBase], Awaitable[T]]) -> T:
    """The knowledge base of this installation, open for as long as the work takes."""
    from docgemma.config import load_settings

    settings = load_settings()

    async def run() -> T:
        from docgemma.wiring.knowledge import open_knowledge

        async with open_knowledge(settings) as base:
            return await work(base)

    return asyncio.run(run())


async def library_of(base: KnowledgeBase) -> Library:
    """The entries and roles, filled for the first time if need be. An index that is out of order keeps none of them
    from being looked at, written out or withdrawn."""
    try:
        await base.ready()
    except Unavailable:
        await base.library.open()
    return base.library


def printed(facts: Any, lines: Iterable[str], *, as_json: bool) -> None:
    """The facts for a program, or the lines for a person."""
    if as_json:
        click.echo(json.dumps(facts, ensure_ascii=False))
    else:
        for line in lines:
            click.echo(line)
