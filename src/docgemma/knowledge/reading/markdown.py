"""Markdown: every `## Question` is an entry, the text below it the answer; the top says what holds for all."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from docgemma.ingest.markdown import Section, read_page
from docgemma.ingest.text import file_text
from docgemma.knowledge.reading.columns import columns, ignored
from docgemma.knowledge.reading.contract import Cell, Field, Note, Options, Problem, Raw, Tell
from docgemma.knowledge.reading.files import Source

_OF_A_FILE: frozenset[Field] = frozenset({"role", "topic", "subtopic", "language", "source", "reviewed", "url"})
_NO_ENTRY = "There is no question in the file. Begin each entry with a line '## Question'."


def read_markdown(source: Source, options: Options, tell: Tell) -> Iterator[Raw | Problem]:
    with source.open() as stream:
        page = read_page(file_text(stream, source.name))
    if page.wrong:
        yield Problem(source.name, page.line, page.wrong)
        return
    top = _named(source, page.top, options, tell) if page.top else {}
    for section in page.sections:
        yield _raw(source, section, top)
    if not page.sections:
        yield Problem(source.name, 1, _NO_ENTRY)
    elif page.stray:
        tell(Note(source.name, "Text that stands under no '## Question' was not read."))


def _raw(source: Source, section: Section, top: Mapping[Field, Cell]) -> Raw | Problem:
    """The title is the topic where the file names none. A folder's name says less than both."""
    if section.wrong:
        return Problem(source.name, section.line, section.wrong)
    cells: dict[Field, Cell] = {**top, "question": section.heading, "answer": "\n".join(section.lines)}
    titled = not cells.get("topic") and bool(section.title)
    if titled:
        cells["topic"] = section.title
    names = [name.replace("_", " ") for name in source.folders[:2]]
    hints: dict[Field, Cell] = {}
    if names:
        hints["topic"] = names[0]
    if len(names) > 1 and not titled:
        hints["subtopic"] = names[1]
    return Raw(section.line, cells, hints)


def _named(source: Source, said: Mapping[str, str], options: Options, tell: Tell) -> dict[Field, Cell]:
    """The fields of an entry that the top may give."""
    keys = tuple(said)
    found = columns(keys, options, source.name)
    used = {place: name for place, name in found.places.items() if name in _OF_A_FILE}
    unused = tuple(key for place, key in enumerate(keys) if place not in used)
    if unused:
        tell(Note(source.name, ignored(unused)))
    return {name: said[keys[place]] for place, name in used.items()}
