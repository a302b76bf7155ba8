"""The markup of a label's tables, read into rows of cells.

It is read with one bounded pattern and not with an HTML parser: what is no tag is text, whatever it looks like
("BP <90/50"), a missing end costs nothing, and a megabyte of "<" takes as long as any other megabyte.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from html import unescape

from docgemma.entities.words import word_set

_TAG = re.compile(r"<(/?)([A-Za-z][A-Za-z0-9:]{0,30})((?:\s[^<>]{0,2000})?/?)>")
_SPAN = re.compile(r"\b(colspan|rowspan)\s{0,3}=\s{0,3}[\"']?\s{0,3}(\d{1,4})", re.IGNORECASE)
_BLOCKS = word_set("p paragraph div list ul ol table tr caption tbody thead")
_POINTS = word_set("li item br td th")
_WIDEST, _TALLEST = 40, 200


@dataclass(slots=True)
class Cell:
    """One cell as written, and how many columns and rows it spans."""

    pieces: list[str] = field(default_factory=list)
    columns: int = 1
    rows: int = 1
    heading: bool = False


@dataclass(slots=True)
class Line:
    """One row of cells; `head` when it stands in the table's head."""

    head: bool
    cells: list[Cell] = field(default_factory=list)


@dataclass(slots=True)
class Table:
    """One table. `loose` is text that stands in no cell."""

    caption: list[str] = field(default_factory=list)
    lines: list[Line] = field(default_factory=list)
    loose: list[str] = field(default_factory=list)


def plain_text(markup: str) -> str:
    """All words in the order of the markup, as a label's running text repeats them."""
    return " ".join(unescape(_TAG.sub(" ", markup)).split())


def tables(markup: str) -> list[Table]:
    """The tables one after the other; one inside a cell is part of that cell's text."""
    reader = _Reader()
    at = 0
    for tag in _TAG.finditer(markup):
        reader.text(markup[at : tag.start()])
        reader.tag(tag[2].lower(), closing=bool(tag[1]), rest=tag[3] or "")
        at = tag.end()
    reader.text(markup[at:])
    return reader.tables


class _Reader:
    """Keeps the place in the markup: table, row, cell, caption. Missing ends are closed by what comes next."""

    def __init__(self) -> None:
        self.tables: list[Table] = [Table()]
        self._depth = 0
        self._cell: Cell | None = None
        self._head = False
        self._caption = False

    def text(self, text: str) -> None:
        if not text:
            return
        table = self.tables[-1]
        target = self._cell.pieces if self._cell else table.caption if self._caption else table.loose
        target.append(text)

    def tag(self, name: str, *, closing: bool, rest: str) -> None:
        if name == "table":
            self._table(closing=closing)
        elif self._depth > 1 or name in {"footnote", "br", "item", "li"}:
            self.text(self._inline(name, closing=closing))
        elif name in {"thead", "tbody", "tfoot"}:
            self._head = name == "thead" and not closing
            self._cell = None
        elif name == "caption":
            self._caption = not closing
            self._cell = None
        elif name == "tr":
            self._cell = None
            if not closing:
                self.tables[-1].lines.append(Line(self._head))
        elif name in {"td", "th"}:
            self._open_cell(name, closing=closing, rest=rest)
        elif name in _BLOCKS:
            self.text(" ")

    def _table(self, *, closing: bool) -> None:
        self._depth = max(0, self._depth + (-1 if closing else 1))
        if self._depth > 1 or (closing and self._depth == 1):
            self.text(" ")
            return
        self._cell, self._head, self._caption = None, False, False
        self.tables.append(Table())

    def _open_cell(self, name: str, *, closing: bool, rest: str) -> None:
        self._cell, self._caption = None, False
        if closing:
            return
        lines = self.tables[-1].lines
        if not lines:
            lines.append(Line(self._head))
        spans = {found[1].lower(): int(found[2]) for found in _SPAN.finditer(rest)}
        columns = min(max(spans.get("colspan", 1), 1), _WIDEST)
        made = Cell([], columns, min(max(spans.get("rowspan", 1), 1), _TALLEST), name == "th")
        lines[-1].cells.append(made)
        if not rest.endswith("/"):
            self._cell = made

    @staticmethod
    def _inline(name: str, *, closing: bool) -> str:
        if name == "footnote":
            return "] " if closing else " ["
        if name in _POINTS:
            return " " if closing else "; "
        return " " if name in _BLOCKS else ""
