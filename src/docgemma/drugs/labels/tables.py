"""Tables of a label: each row becomes one line that keeps its column headings.

The running text of a section has the same words in one heap, where nobody can tell which advice is about which drug.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import unescape

from docgemma.drugs.labels.markup import Line, Table, tables
from docgemma.drugs.labels.references import marked, unmarked

_REPEATED = 160
"""Letters of a heading or of a spanning cell that every row repeats."""
_TOGETHER = 1500
"""Letters up to which the lines of one group are one statement."""
_HEADING_LETTERS = 80

_HEADING_WORDS = re.compile(
    r"\b(?:agents?|drugs?|class(?:es)?|recommendations?|comments?|effects?|ages?|dos(?:e|es|age|ing)|examples?|names?"
    r"|clinical|impact|interventions?|management|parameters?|populations?|weight|concentrations?|interact\w{0,8}"
    r"|medications?|products?|adjustments?|regimen|indications?|monitoring|advice|actions?|creatinine|renal|hepatic"
    r"|patients?)\b",
    re.IGNORECASE,
)
_ADVICE = re.compile(r"\b(?:avoid|not|contraindicated|monitor|reduce|increase[sd]?|decrease[sd]?)\b", re.IGNORECASE)
_LABELLED = re.compile(
    r"(?:clinical (?:impact|effects?|implications?)|interventions?|examples?|management|mechanism\b.{0,40}"
    r"|prevention\b.{0,30}|comments?|recommendations?|effects?) ?:?$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Row:
    """One row in one line, and the caption it stands under."""

    text: str
    caption: str = ""


@dataclass(frozen=True, slots=True)
class _GridLine:
    heading: bool
    cells: tuple[str, ...]


def rows(markup: str) -> tuple[Row, ...]:
    """Every row of the tables in a piece of markup; text outside of any row is a row of its own."""
    return tuple(row for table in tables(markup) for row in _rows(table))


def _rows(table: Table) -> list[Row]:
    caption = _one_line(table.caption)
    grid = [line for line in _grid(table.lines) if any(line.cells)]
    headings, body = _headings(grid)
    texts = [" — ".join(filter(None, headings))] if any(len(heading) > _REPEATED for heading in headings) else []
    texts += [*_texts(headings, body), _one_line(table.loose)]
    made = [Row(text, caption) for text in texts if _has_words(text)]
    return made or ([Row(caption)] if _has_words(caption) else [])


def _has_words(text: str) -> bool:
    return any(char.isalnum() for char in text)


def _one_line(pieces: Sequence[str]) -> str:
    """Entities resolved, references out, blanks folded, and no semicolon that separates nothing."""
    line = unmarked(marked(unescape("".join(pieces))))
    line = re.sub(r"(?:; ){2,}", "; ", re.sub(r" ;", ";", f"{line} "))
    return re.sub(r"([:,(;.]); ", r"\1 ", line).replace("[ ", "[").replace(" ]", "]").strip(" ;")


def _grid(lines: Sequence[Line]) -> Iterator[_GridLine]:
    """Cells in their columns: what spans rows is repeated, what spans columns is repeated in headings only."""
    pending: dict[int, tuple[int, str]] = {}
    for line in lines:
        heading = line.head or (bool(line.cells) and all(cell.heading for cell in line.cells))
        cells: list[str] = []
        carried = pending
        pending = {column: (left - 1, text) for column, (left, text) in carried.items() if left > 1}
        for cell in line.cells:
            _carry(cells, carried)
            text = _one_line(cell.pieces)
            if cell.rows > 1:
                pending[len(cells)] = (cell.rows - 1, _cut(text))
            cells += [text, *([text if heading else ""] * (cell.columns - 1))]
        _carry(cells, carried)
        yield _GridLine(heading, tuple(cells))


def _carry(cells: list[str], carried: dict[int, tuple[int, str]]) -> None:
    while len(cells) in carried:
        cells.append(carried[len(cells)][1])


def _headings(grid: list[_GridLine]) -> tuple[list[str], list[_GridLine]]:
    """The heading of every column, and the rows below."""
    count = 0
    while count < len(grid) and grid[count].heading:
        count += 1
    if not count and len(grid) > 1 and _looks_like_heading(grid[0].cells):
        count = 1
    if not count or count == len(grid):
        return [], grid
    width = max(len(line.cells) for line in grid[:count])
    columns = [[line.cells[at] for line in grid[:count] if at < len(line.cells)] for at in range(width)]
    return [" ".join(dict.fromkeys(filter(None, column))) for column in columns], grid[count:]


def _looks_like_heading(cells: Sequence[str]) -> bool:
    """A first row that is not marked as one: short cells that all name a kind of thing and none that advises."""
    named = [cell for cell in cells if cell]
    return len(named) > 1 and all(
        len(cell) <= _HEADING_LETTERS and _HEADING_WORDS.search(cell) and not _ADVICE.search(cell) for cell in named
    )


def _texts(headings: Sequence[str], body: Sequence[_GridLine]) -> Iterator[str]:
    """Each row in one line. Rows below a line that spans the table say what they are about."""
    width = max((len(line.cells) for line in body), default=0)
    group, members = "", list[str]()
    for line in body:
        filled = [cell for cell in line.cells if cell]
        if width > 1 and len(filled) == 1 and line.cells[0]:
            yield from _grouped(group, members)
            group, members = filled[0], []
        elif group and _LABELLED.match(filled[0]):
            members.append(_row_text((), line.cells))
        else:
            yield from _grouped(group, members) if members else ()
            members = []
            text = _row_text(headings, line.cells)
            yield f"{_cut(group)} — {text}" if group else text
            group = group and _Said(group)
    yield from _grouped(group, members)


class _Said(str):
    """The line over a group, once a row has repeated it."""

    __slots__ = ()


def _grouped(group: str, members: Sequence[str]) -> Iterator[str]:
    """ "Strong CYP3A4 inhibitors — Clinical Impact: … — Intervention: … — Examples: …" is one thing to say."""
    if not members:
        if group and not isinstance(group, _Said):
            yield group
        return
    together = " — ".join((group, *members))
    if len(together) <= _TOGETHER:
        yield together
    else:
        yield from (f"{_cut(group)} — {member}" for member in members)


def _row_text(headings: Sequence[str], cells: Sequence[str]) -> str:
    said: list[str] = []
    for at, cell in enumerate(cells):
        heading = _cut(headings[at]) if at < len(headings) else ""
        if not cell:
            continue
        text = f"{heading.rstrip(' :')}: {cell}" if heading and heading != cell else cell
        if said and said[-1].endswith(":"):
            said[-1] = f"{said[-1]} {text}"
        else:
            said.append(text)
    return " — ".join(said)


def _cut(text: str) -> str:
    """As much of it as every row repeats. The whole stands in the row that it comes from."""
    if len(text) <= _REPEATED:
        return text
    return f"{text[:_REPEATED].rsplit(' ', 1)[0]}…"
