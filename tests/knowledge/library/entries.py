"""Entries to import, and the import of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from docgemma.knowledge.entry import Entry
from docgemma.knowledge.library.library import Imported, Library


def entry(id_: str = "e1", answer: str = "Drink water.", **fields: Any) -> Entry:
    usual = {
        "question": f"What about {id_}?",
        "role": "nurse",
        "topic": "Fluids",
        "subtopic": "At home",
        "language": "en",
        "source": "Ward handbook",
    }
    return Entry(id=id_, answer=answer, **(usual | fields))


def many(count: int, answer: str = "Drink water.", *, start: int = 0) -> list[Entry]:
    return [entry(f"e{number:05d}", answer) for number in range(start, start + count)]


async def bring(library: Library, entries: Sequence[Entry], *, batch: int = 3, **ending: bool) -> Imported:
    import_id = await library.begin_import(by="lan", origin="handbook.csv")
    for start in range(0, len(entries), batch):
        await library.stage(import_id, entries[start : start + batch])
    return await library.finish_import(import_id, **ending)


async def current(library: Library, **narrow: Any) -> dict[str, str]:
    """Id and answer of all that is current, as reading them one after the other shows it."""
    return {each.id: each.answer async for some in library.each_current(batch=2, **narrow) for each in some}
