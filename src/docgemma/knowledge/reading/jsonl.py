"""JSON: one object a line, or an array of objects in a file of moderate size."""

from __future__ import annotations

from collections.abc import Iterator

from docgemma.errors import BadInput
from docgemma.ingest.json_values import BadJson, JsonValue, json_values, line_value
from docgemma.ingest.problem import not_utf8
from docgemma.ingest.text import Line, file_lines
from docgemma.knowledge.reading.columns import Columns, check_mapped, checked_columns, columns, ignored
from docgemma.knowledge.reading.contract import Cell, Field, Note, Options, Problem, Raw, Tell
from docgemma.knowledge.reading.fields import called
from docgemma.knowledge.reading.files import Source

LONGEST_LINE = 1_000_000
_KEPT = 200
_NO_JSON = "The line is not one JSON object. Write {…} with all quotation marks and brackets closed."
_TWICE = "A name stands twice in the object. Keep one of the two values."
_HALF = "The object holds half a character, which shows as nothing. Write it again, or remove it."
_ARRAY = "Write one array of objects, [{…}, {…}], or one object a line in a .jsonl file."


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
        for line in file_lines(stream, source.name, LONGEST_LINE):
            if line.wrong or line.text.strip():
                yield _of_line(source, line, keys)
    keys.end(tell)


def read_document(source: Source, options: Options, tell: Tell) -> Iterator[Raw | Problem]:
    """Object by object; behind one that is broken nothing can be told apart, so the file is refused there."""
    keys = _Keys(source, options)
    empty = True
    with source.open() as stream:
        try:
            for found in json_values(stream, utf16=True):
                if found.kind != "element":
                    raise BadInput(f"{source.name} is no array of entries. {_ARRAY}")
                empty = False
                yield _raw(source, found, keys)
        except BadJson as error:
            raise _refused(source, error) from None
    if empty:
        raise BadInput(f"{source.name} holds no entries. {_ARRAY}")
    keys.end(tell)


def _refused(source: Source, error: BadJson) -> BadInput:
    if error.reason == "not_text":
        return not_utf8(source.name, error.line)
    if error.reason == "empty":
        return BadInput(f"{source.name} is no array of entries. {_ARRAY}")
    return BadInput(f"{source.name} cannot be read from line {error.line} on. {_ARRAY}")


def _of_line(source: Source, line: Line, keys: _Keys) -> Raw | Problem:
    if line.wrong:
        text = f"The line has more than {LONGEST_LINE:,} characters. Shorten it."
        return Problem(source.name, line.number, text)
    try:
        return _raw(source, line_value(line.number, line.text), keys)
    except BadJson:
        return Problem(source.name, line.number, _NO_JSON)


def _raw(source: Source, found: JsonValue, keys: _Keys) -> Raw | Problem:
    number, value = found.line, found.value
    if found.twice or found.half:
        return Problem(source.name, number, _TWICE if found.twice else _HALF)
    if not isinstance(value, dict):
        return Problem(source.name, number, _NO_JSON)
    names = tuple(value)
    cells: dict[Field, Cell] = {}
    known = keys[names]
    if isinstance(known, BadInput):
        return Problem(source.name, number, str(known))
    for place, field in known.places.items():
        written = value[names[place]]
        if field == "id" and isinstance(written, int) and not isinstance(written, bool) and abs(written) < 10**18:
            written = str(written)
        if written is not None and not isinstance(written, str):
            return Problem(source.name, number, f"The {called(field)} is not text. Put it in quotation marks.")
        cells[field] = written
    return Raw(number, cells)
