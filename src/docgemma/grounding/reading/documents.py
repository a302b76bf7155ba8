"""JSON: one object a line, one array, or one object. Arrays are taken apart element by element, never held whole."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator, Mapping
from typing import Any, BinaryIO

from docgemma.errors import BadInput
from docgemma.grounding.reading.contract import LONGEST_LINE, Piece, Problem, Refused, wrong_line
from docgemma.grounding.reading.records import pieces
from docgemma.grounding.reading.studies import studies, study_pieces
from docgemma.ingest.json_values import BadJson, json_values, line_value
from docgemma.ingest.text import Line, decoded, first_sign, lines

LARGEST_OBJECT = 100_000_000
"""Characters of a file that is one object: a page of studies. Held in memory."""

_LARGEST_ELEMENT = 20_000_000
_NO_OBJECT = "The line is not one JSON object. Write {…} with all quotation marks and brackets closed."
_HALF = "The record holds half a character. Save the file as UTF-8."


def of_record(record: Any, line: int) -> Iterator[Piece | Problem]:
    """What one object says: a record, a study, or a page of studies. What is wrong with one is its problem alone."""
    if not isinstance(record, Mapping):
        yield Problem("", line, 'This is not a JSON object such as {"id": "1", "text": "…", "type": "inclusion"}.')
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
        yield Problem("", line, str(reason))


def read_lines(text: io.TextIOWrapper) -> Iterator[Piece | Problem]:
    for line in lines(text, LONGEST_LINE):
        yield from _of_line(line)


def _of_line(line: Line) -> Iterator[Piece | Problem]:
    if line.wrong:
        yield wrong_line(line)
    elif line.text.strip():
        try:
            found = line_value(line.number, line.text)
        except BadJson:
            yield Problem("", line.number, _NO_OBJECT)
        else:
            yield from of_record(found.value, line.number)


def read_document(stream: BinaryIO, start: bytes, name: str) -> Iterator[Piece | Problem]:
    """`start`: the first bytes, seen but not taken from the stream."""
    if first_sign(start) == "[":
        yield from _elements(stream, name)
    else:
        yield from _object(decoded(stream, start), name)


def _elements(stream: BinaryIO, name: str) -> Iterator[Piece | Problem]:
    """Behind a broken element nothing can be told apart: the reading ends there, with the line."""
    try:
        for found in json_values(stream, longest=_LARGEST_ELEMENT, utf16=True, lenient=True):
            if found.half:
                yield Problem("", found.line, _HALF)
            else:
                yield from of_record(found.value, found.line)
    except BadJson as error:
        text = f"From here on {name} is no valid JSON, or one element is too large; nothing more was read."
        yield Problem("", error.line, text)


def _object(text: io.TextIOWrapper, name: str) -> Iterator[Piece | Problem]:
    try:
        held = text.read(LARGEST_OBJECT + 1)
    except UnicodeError:
        raise BadInput(f"{name} is no valid JSON (line 1). Mend it there.") from None
    if len(held) > LARGEST_OBJECT:
        raise BadInput(
            f"{name} is one JSON object of more than {LARGEST_OBJECT:,} characters. Split it, or use .jsonl."
        )
    try:
        record = json.loads(held)
    except json.JSONDecodeError as error:
        if not error.msg.startswith("Extra data"):
            raise BadInput(f"{name} is no valid JSON (line {error.lineno}). Mend it there.") from None
        for line in lines(io.StringIO(held, newline=""), LONGEST_LINE):
            yield from _of_line(line)
    except (ValueError, RecursionError):
        raise BadInput(f"{name} is nested too deeply to be criteria.") from None
    else:
        yield from of_record(record, held.count("\n", 0, len(held) - len(held.lstrip())) + 1)
