"""JSON: one object a line, one array, or one object. Arrays are taken apart element by element, never held whole."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator, Mapping
from typing import Any

from docgemma.errors import BadInput
from docgemma.grounding.reading.contract import Piece, Problem, Refused
from docgemma.grounding.reading.lines import Line, lines
from docgemma.grounding.reading.records import pieces
from docgemma.grounding.reading.studies import studies, study_pieces

LARGEST_OBJECT = 100_000_000
"""Characters of a file that is one object: a page of studies. Held in memory."""

_CHUNK = 1 << 16
_LARGEST_ELEMENT = 20_000_000
_BLANK = " \t\r\n"
_NO_OBJECT = "The line is not one JSON object. Write {…} with all quotation marks and brackets closed."
_DECODER = json.JSONDecoder()


def of_record(record: Any, line: int) -> Iterator[Piece | Problem]:
    """What one object says: a record, a study, or a page of studies. What is wrong with one is its problem alone."""
    if not isinstance(record, Mapping):
        yield Problem(line, 'This is not a JSON object such as {"id": "1", "text": "…", "type": "inclusion"}.')
        return
    found = studies(record)
    if found is None:
        yield from _told(pieces(record, line), line)
        return
    for study in found:
        yield from _told(study_pieces(study, line), line)


def _told(made: Iterator[Piece], line: int) -> Iterator[Piece | Problem]:
    try:
        yield from made
    except Refused as reason:
        yield Problem(line, str(reason))


def read_lines(text: io.TextIOWrapper) -> Iterator[Piece | Problem]:
    for line in lines(text):
        yield from _of_line(line)


def _of_line(line: Line) -> Iterator[Piece | Problem]:
    if line.wrong:
        yield Problem(line.number, line.wrong)
    elif line.text.strip():
        try:
            record = json.loads(line.text)
        except (ValueError, RecursionError):
            yield Problem(line.number, _NO_OBJECT)
        else:
            yield from of_record(record, line.number)


def read_document(text: io.TextIOWrapper, name: str) -> Iterator[Piece | Problem]:
    buffer = _Buffer(text)
    first = buffer.skip_blank()
    if first == "[":
        yield from _elements(buffer, name)
    else:
        yield from _object(buffer, name)


class _Buffer:
    """A window on the text that grows while an element is incomplete, and knows its line."""

    def __init__(self, text: io.TextIOWrapper) -> None:
        self._text = text
        self.held = ""
        self.line = 1

    def more(self, size: int = _CHUNK) -> bool:
        read = self._text.read(size)
        self.held += read
        return bool(read)

    def skip_blank(self, also: str = "") -> str:
        """The next character that is not blank, or "" at the end."""
        while True:
            rest = self.held.lstrip(_BLANK + also)
            self.take(len(self.held) - len(rest))
            if rest or not self.more():
                return rest[:1]

    def take(self, count: int) -> None:
        self.line += self.held.count("\n", 0, count)
        self.held = self.held[count:]


def _elements(buffer: _Buffer, name: str) -> Iterator[Piece | Problem]:
    """Behind a broken element nothing can be told apart: the reading ends there, with the line."""
    buffer.take(1)
    separated = ""
    while (first := buffer.skip_blank(separated)) != "]":
        separated = ","
        line = buffer.line
        found = _element(buffer) if first else None
        if found is None:
            yield Problem(
                line, f"From here on {name} is no valid JSON, or one element is too large; nothing more was read."
            )
            return
        yield from of_record(found[0], line)


def _element(buffer: _Buffer) -> tuple[Any] | None:
    while True:
        try:
            value, end = _DECODER.raw_decode(buffer.held)
        except RecursionError:
            return None
        except ValueError:
            end, value = len(buffer.held), None
        if end < len(buffer.held):
            buffer.take(end)
            return (value,)
        if len(buffer.held) > _LARGEST_ELEMENT or not buffer.more(max(_CHUNK, len(buffer.held))):
            return None


def _object(buffer: _Buffer, name: str) -> Iterator[Piece | Problem]:
    while len(buffer.held) <= LARGEST_OBJECT and buffer.more(1 << 20):
        pass
    if len(buffer.held) > LARGEST_OBJECT:
        raise BadInput(
            f"{name} is one JSON object of more than {LARGEST_OBJECT:,} characters. Split it, or use .jsonl."
        )
    try:
        record = json.loads(buffer.held)
    except json.JSONDecodeError as error:
        if not error.msg.startswith("Extra data"):
            raise BadInput(f"{name} is no valid JSON (line {error.lineno + buffer.line - 1}). Mend it there.") from None
        for number, line in enumerate(buffer.held.splitlines(), buffer.line):
            yield from _of_line(Line(number, line))
        return
    except RecursionError:
        raise BadInput(f"{name} is nested too deeply to be criteria.") from None
    yield from of_record(record, buffer.line)
