"""The door: files in, entries and problems out, one at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import date
from pathlib import Path

from docgemma.knowledge.reading.contract import Note, Options, Problem, Raw, Row, Tell, unheard
from docgemma.knowledge.reading.dates import latest
from docgemma.knowledge.reading.files import Kind, Source, sources
from docgemma.knowledge.reading.jsonl import read_document, read_lines
from docgemma.knowledge.reading.markdown import read_markdown
from docgemma.knowledge.reading.rows import Rows, checked
from docgemma.knowledge.reading.tables import read_table
from docgemma.knowledge.reading.xlsx import read_workbook

Reader = Callable[[Source, Options, Tell], Iterator[Raw | Problem]]

_READERS: dict[Kind, Reader] = {
    "lines": read_lines,
    "document": read_document,
    "table": read_table,
    "workbook": read_workbook,
    "markdown": read_markdown,
}


def read(
    paths: Sequence[Path], options: Options | None = None, *, tell: Tell = unheard, today: date | None = None
) -> Iterator[Row | Problem]:
    """Every row of these files, as an entry or as a problem; only a row that says what one before said is left out.

    Options and paths are checked now. BadInput may also come later, from a file that turns out to be unreadable as a
    whole: what was given out before is then part of a reading that failed. `tell` hears what was not used.
    """
    last = today or latest()
    given = checked(options or Options(), last)
    return _all(sources(paths, tell), given, last, tell)


def _all(files: Sequence[Source], options: Options, last: date, tell: Tell) -> Iterator[Row | Problem]:
    rows = Rows(options, last)
    for source in files:
        for item in _READERS[source.kind](source, options, tell):
            made = rows.take(source.name, item) if isinstance(item, Raw) else item
            if made is not None:
                yield made
    if rows.repeated:
        tell(Note("", f"Rows that say the same as an earlier one, and were taken once: {rows.repeated:,}."))
