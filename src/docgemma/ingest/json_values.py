"""JSON taken apart value by value, however large the file is: a list by its elements, a page by its records.

ijson finds the values. What it does not tell is looked after here: the line on which a value begins, a name that stands
twice in an object, depth and size. Two things must never reach its parser: half a character written as an escape, in
whose place it puts another sign, and a number of more digits than Python converts, which ends the process. NaN,
Infinity and such numbers are no JSON: the reading ends there.
"""

from __future__ import annotations

import io
import json
import re
from collections import deque
from collections.abc import Generator, Iterator
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, BinaryIO, Literal

import ijson

from docgemma.ingest.text import decoded, is_text, lines_before_wrong, with_bytes_escaped

LONGEST = 64_000_000
"""Bytes of one value, as it is written."""
DEEPEST = 500
_PIECE = 1 << 16
_ESCAPE = re.compile(
    rb"\\(?:u(?P<high>[dD][89abAB]..)(?P<low>\\u[dD][c-fC-F]..)?|u(?P<lone>[dD][c-fC-F]..)|u.{4}|[^u])", re.S
)
"""Escapes one after the other, so that a backslash that is itself escaped begins none."""
_LONGEST_ESCAPE = 12
_OF_A_PAIR = re.compile(rb"\\u[dD][89a-fA-F]")
_STAND_IN = rb"\ufffd"
_MOST_DIGITS = 4000
_DIGITS = b"0123456789"
_LONG_NUMBER = re.compile(rb"[0-9]{%d}" % _MOST_DIGITS)
_FAILS = (ijson.JSONError, ValueError, ArithmeticError)
"""What the parser raises: for bytes that are no text too, and for exponents that no number has."""

Kind = Literal["alone", "element", "record", "page"]
"""`alone`: no list around it. `element`: of the file's own list. `record`: of the list in a page. `page`: what a page
holds besides, its list left empty."""

Reason = Literal["empty", "cut", "invalid", "deep", "large", "not_text"]


class BadJson(Exception):
    """From `line` on the text is no JSON that is read. What was given out before stands."""

    def __init__(self, reason: Reason, line: int) -> None:
        super().__init__(f"{reason}, line {line}")
        self.reason: Reason = reason
        self.line = line


@dataclass(frozen=True, slots=True)
class JsonValue:
    """`line` is where it begins; of a page, where its last record does.

    `twice`: a name stands twice in an object. `half`: it holds half a character.
    """

    line: int
    value: Any
    kind: Kind
    twice: bool = False
    half: bool = False


def line_value(number: int, text: str) -> JsonValue:
    """One value on one line. Raises BadJson. NaN and Infinity pass: files of lines hold them beside the text."""
    twice = False

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        nonlocal twice
        found = dict(pairs)
        twice = twice or len(found) < len(pairs)
        return found

    try:
        return JsonValue(number, json.loads(text, object_pairs_hook=once), "alone", twice)
    except (ValueError, RecursionError):
        raise BadJson("invalid", number) from None


def json_values(
    stream: BinaryIO,
    page: tuple[str, ...] = (),
    *,
    several: bool = False,
    decimals: bool = False,
    longest: int | None = None,
    utf16: bool = False,
    lenient: bool = False,
) -> Iterator[JsonValue]:
    """The values of a JSON text, one at a time. Raises BadJson.

    `page`: the names that lead from an object to its list of records, which are given out one by one.
    `several`: one text may follow the other. `decimals`: numbers keep their digits.
    `longest`: bytes of one value, give or take what is read at once; else LONGEST.
    `utf16`: also text in UTF-16 with its mark. `lenient`: bytes that are no text count as half a character.
    """
    state = _State()
    values = _assembled(state, page, decimals=decimals)
    next(values)
    parser = ijson.basic_parse_coro(values, multiple_values=several)
    most = LONGEST if longest is None else longest
    start = stream.peek(4)[:4] if utf16 and isinstance(stream, io.BufferedReader) else b""
    for piece in _pieces(decoded(stream, start), state, lenient=lenient):
        state.since += len(piece) if state.open else 0
        long_number = _long_number_at(piece, state)
        valid = _feed(parser, piece[:long_number], state) and long_number is None
        yield from state.taken()
        if not valid:
            raise BadJson("invalid", state.at)
        if state.deep:
            raise BadJson("deep", state.at)
        if state.since > most:
            raise BadJson("large", state.at)
    try:
        parser.close()
    except _FAILS:
        raise BadJson("cut" if state.begun else "empty", state.at) from None
    yield from state.taken()


@dataclass(slots=True)
class _State:
    """How far the reading is. `begun`: the line of the last value; `open`: how many are begun and not given out.

    `since`: bytes of the open value; `digits`: those that the last piece ended with.
    """

    line: int = 1
    ended: bool = False
    begun: int = 0
    open: int = 0
    since: int = 0
    digits: int = 0
    twice: bool = False
    half: bool = False
    deep: bool = False
    found: deque[JsonValue] = field(default_factory=deque)

    @property
    def at(self) -> int:
        """The line that an error is told with: where the broken value begins, or where something else stands."""
        return self.begun if self.open else self.line

    def begin(self) -> None:
        self.begun, self.since = self.line, 0
        self.open += 1

    def give(self, value: Any, kind: Kind) -> None:
        self.found.append(JsonValue(self.begun, value, kind, self.twice, self.half))
        self.twice = self.half = False
        self.since = 0
        self.open -= 1

    def taken(self) -> Iterator[JsonValue]:
        while self.found:
            yield self.found.popleft()


def _assembled(state: _State, page: tuple[str, ...], *, decimals: bool) -> Generator[None, tuple[str, Any], None]:
    """Puts values together from the parser's events. A list whose elements are given out stands as None."""
    stack: list[Any] = []
    names: list[str] = []
    name, paged = "", False
    while True:
        event, value = yield
        if event == "map_key":
            state.twice = state.twice or value in stack[-1]
            name = value
            continue
        if event in ("end_map", "end_array"):
            value = stack.pop()
            names.pop()
            if value is not None and (not stack or stack[-1] is None):
                state.give(value, _kind(stack, paged=paged))
                paged = paged and len(stack) > 1
            continue
        opens = event in ("start_map", "start_array")
        if opens:
            value = {} if event == "start_map" else []
        elif not decimals and isinstance(value, Decimal):
            value = float(value)
        listed = not stack or stack[-1] is None
        if not stack and event == "start_array":
            state.begun = state.begun or state.line
            stack.append(None)
            names.append("")
            continue
        if listed:
            state.begin()
        elif isinstance(stack[-1], dict):
            stack[-1][name] = value
        else:
            stack[-1].append(value)
        if not opens:
            if listed:
                state.give(value, _kind(stack, paged=False))
            continue
        of_page = event == "start_array" and not listed and _leads_to(page, stack, names, name)
        paged = paged or of_page
        stack.append(None if of_page else value)
        names.append(name)
        state.deep = state.deep or len(stack) > DEEPEST


def _kind(stack: list[Any], *, paged: bool) -> Kind:
    """What a value is that stands behind these open ones."""
    if len(stack) > 1:
        return "record"
    if paged:
        return "page"
    return "element" if stack else "alone"


def _leads_to(page: tuple[str, ...], stack: list[Any], names: list[str], name: str) -> bool:
    """Whether the list of this name is the one with the records of a page."""
    first = 1 if stack[0] is None else 0
    if not page or len(stack) != first + len(page) or not isinstance(stack[-1], dict):
        return False
    return (*names[first + 1 :], name) == page


def _pieces(text: io.TextIOWrapper, state: _State, *, lenient: bool) -> Iterator[bytes]:
    """The text in UTF-8, as whole lines where they are not too long for that."""
    held = b""
    try:
        while piece := text.read(_PIECE):
            piece += text.readline(_PIECE)
            if not is_text(piece):
                if not lenient:
                    raise BadJson("not_text", state.line + state.ended + lines_before_wrong(piece))
                piece = with_bytes_escaped(piece)
            data = held + piece.encode()
            whole, held = (data, b"") if piece.endswith("\n") else _whole_escapes(data)
            yield whole
    except UnicodeError:
        raise BadJson("not_text", state.line) from None
    finally:
        text.detach()
    if held:
        yield held


def _whole_escapes(data: bytes) -> tuple[bytes, bytes]:
    """The bytes up to an escape, or a pair of them, that may go on behind them; and the rest."""
    if b"\\" not in data[-_LONGEST_ESCAPE:]:
        return data, b""
    end = 0
    for found in _ESCAPE.finditer(data):
        waits = found["high"] and not found["low"] and len(data) - found.end() < _LONGEST_ESCAPE // 2
        end = found.start() if waits else found.end()
    cut = data.find(b"\\", end)
    return (data, b"") if cut < 0 else (data[:cut], data[cut:])


def _long_number_at(piece: bytes, state: _State) -> int | None:
    """Where in the piece a number of too many digits stands, also one that goes over several pieces."""
    leading = len(piece) - len(piece.lstrip(_DIGITS))
    if state.digits + leading >= _MOST_DIGITS:
        return 0
    if found := _LONG_NUMBER.search(piece):
        return found.start()
    state.digits = state.digits + leading if leading == len(piece) else len(piece) - len(piece.rstrip(_DIGITS))
    return None


def _feed(parser: Any, piece: bytes, state: _State) -> bool:
    """Whether the parser took it. Half a character is kept from it, and noted for the value that it stands in."""
    try:
        at = 0
        for found in _ESCAPE.finditer(piece) if _OF_A_PAIR.search(piece) else ():
            if found["lone"] or (found["high"] and not found["low"]):
                _send(parser, piece[at : found.start()], state)
                parser.send(_STAND_IN)
                state.half, at = True, found.end()
        _send(parser, piece[at:], state)
    except _FAILS:
        return False
    return True


def _send(parser: Any, data: bytes, state: _State) -> None:
    """Line by line, so that the line of whatever begins is known."""
    for line in data.splitlines(keepends=True):
        state.line += state.ended
        state.ended = line.endswith((b"\n", b"\r"))
        parser.send(line)
