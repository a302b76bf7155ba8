"""JSON: one object a line, or an array of objects in a file of moderate size."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from docgemma.errors import BadInput
from docgemma.knowledge.reading.columns import Columns, check_mapped, checked_columns, columns, ignored
from docgemma.knowledge.reading.contract import Cell, Field, Note, Options, Problem, Raw, Tell
from docgemma.knowledge.reading.fields import called
from docgemma.knowledge.reading.files import Source
from docgemma.knowledge.reading.text import TooLong, lines, whole

LONGEST_LINE = 1_000_000
_KEPT = 200
_BLANK = " \t\n\r"
_NO_JSON = "The line is not one JSON object. Write {…} with all quotation marks and brackets closed."
_ARRAY = "Write one array of objects, [{…}, {…}], or one object a line in a .jsonl file."


class _Twice(ValueError):
    """A key that stands twice in an object: which value holds, nobody can say."""


class _Keys:
    """Which keys fill which field. Rows mostly have the same keys, so what was found is kept."""

    def __init__(self, source: Source, options: Options) -> None:
        self._source = source
        self._options = options
        self._known: dict[tuple[str, ...], Columns | BadInput] = {}

    def __getitem__(self, keys: tuple[str, ...]) -> Columns | BadInput:
        """The first object stands for the file; what is wrong with the keys of a later one is its own problem."""
        found = self._known.get(keys)
        if found is None:
            found = self._look(keys) if self._known else checked_columns(keys, self._options, self._source.name)
            if len(self._known) < _KEPT:
                self._known[keys] = found
        return found

    def _look(self, keys: tuple[str, ...]) -> Columns | BadInput:
        try:
            return columns(keys, self._options, self._source.name)
        except BadInput as error:
            return error

    def end(self, tell: Tell) -> None:
        """When all objects were seen: what was never used, and what was never there."""
        if not self._known:
            raise BadInput(f"{self._source.name} holds no entries. Write one JSON object for each.")
        known = [found for found in self._known.values() if isinstance(found, Columns)]
        unknown = tuple(dict.fromkeys(name for found in known for name in found.unknown))
        if len(self._known) < _KEPT:
            filled = frozenset[Field]().union(*(found.filled for found in known))
            check_mapped(filled, unknown, self._options, self._source.name)
        if unknown:
            tell(Note(self._source.name, ignored(unknown)))


def read_lines(source: Source, options: Options, tell: Tell) -> Iterator[Raw | Problem]:
    keys = _Keys(source, options)
    with source.open() as stream:
        for number, line in enumerate(lines(stream, source.name, LONGEST_LINE), 1):
            if isinstance(line, TooLong):
                yield Problem(source.name, number, f"The line has more than {LONGEST_LINE:,} characters. Shorten it.")
            elif line.strip():
                yield _parsed(source, number, line, keys)
    keys.end(tell)


def read_document(source: Source, options: Options, tell: Tell) -> Iterator[Raw | Problem]:
    """Object by object; behind one that is broken nothing can be told apart, so the file is refused there."""
    with source.open() as stream:
        text = whole(stream, source.name)
    keys = _Keys(source, options)
    for line, value in _elements(source, text):
        yield value if isinstance(value, Problem) else _raw(source, line, value, keys)
    keys.end(tell)


def _parsed(source: Source, number: int, line: str, keys: _Keys) -> Raw | Problem:
    try:
        value = json.loads(line, object_pairs_hook=_once)
    except _Twice as twice:
        return Problem(source.name, number, str(twice))
    except (ValueError, RecursionError):
        return Problem(source.name, number, _NO_JSON)
    return _raw(source, number, value, keys)


def _raw(source: Source, number: int, value: Any, keys: _Keys) -> Raw | Problem:
    if not isinstance(value, dict):
        return Problem(source.name, number, _NO_JSON)
    names = tuple(value)
    cells: dict[Field, Cell] = {}
    found = keys[names]
    if isinstance(found, BadInput):
        return Problem(source.name, number, str(found))
    for place, field in found.places.items():
        written = value[names[place]]
        if field == "id" and isinstance(written, int) and not isinstance(written, bool) and abs(written) < 10**18:
            written = str(written)
        if written is not None and not isinstance(written, str):
            return Problem(source.name, number, f"The {called(field)} is not text. Put it in quotation marks.")
        cells[field] = written
    return Raw(number, cells)


def _elements(source: Source, text: str) -> Iterator[tuple[int, Any]]:
    """Each object of the array with the line on which it begins."""
    decoder = json.JSONDecoder(object_pairs_hook=_marked)
    at = _past(text, 0)
    if text[at : at + 1] != "[":
        raise BadInput(f"{source.name} is no array of entries. {_ARRAY}")
    at, line, counted = _past(text, at + 1), 1, 0
    if text[at : at + 1] == "]":
        raise BadInput(f"{source.name} holds no entries. {_ARRAY}")
    while True:
        line, counted = line + text.count("\n", counted, at), at
        try:
            value, at = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            raise BadInput(f"{source.name} cannot be read from line {line} on. {_ARRAY}") from None
        yield line, _told(source, line, value)
        at = _past(text, at)
        if text[at : at + 1] == "]" and not text[at + 1 :].strip():
            return
        if text[at : at + 1] != ",":
            line += text.count("\n", counted, at)
            raise BadInput(f"{source.name} cannot be read from line {line} on. {_ARRAY}")
        at = _past(text, at + 1)


def _past(text: str, at: int) -> int:
    while text[at : at + 1] and text[at] in _BLANK:
        at += 1
    return at


class _Marked(dict[str, Any]):
    """An object in which a key stands twice. Raising would lose the rest of the array."""

    twice: str = ""


def _told(source: Source, line: int, value: Any) -> Any:
    return Problem(source.name, line, value.twice) if isinstance(value, _Marked) else value


def _marked(pairs: list[tuple[str, Any]]) -> Mapping[str, Any]:
    try:
        return _once(pairs)
    except _Twice as twice:
        marked = _Marked(pairs)
        marked.twice = str(twice)
        return marked


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise _Twice("A name stands twice in the object. Keep one of the two values.")
    return found
