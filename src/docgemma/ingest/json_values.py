"""JSON taken apart value by value, however large the file is: a list by its elements, a page by its records.

ijson finds the values. What it does not tell is looked after here: the line on which a value begins, a name that stands
twice in an object, depth and size. Three things must never reach its parser, and are told with the value that they
stand in: NaN and Infinity, behind which it reads nothing more; half a character written as an escape, in whose place it
puts another sign; and a number of more digits than Python converts, which ends the process.
"""

from __future__ import annotations

import io
import json
import math
import re
from collections import deque
from collections.abc import Generator, Iterator
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, BinaryIO, Literal

from docgemma.ingest.text import decoded, is_text, lines_before_wrong, with_bytes_marked

LONGEST = 64_000_000
"""Characters of one value, as it is written."""
DEEPEST = 500
_PIECE = 1 << 16
_OF_A_NUMBER = "0123456789.eE+-NaIfinty"
"""What numbers are written with, NaN and Infinity too."""
_ODD_NUMBER = re.compile(r"NaN|Infinity|[0-9.eE+-]{4000}")
_TOKEN = re.compile(r'"(?:[^"\\]++|\\.)*+"?|NaN|-?Infinity|[0-9.eE+-]{4000,}+', re.DOTALL)
_REST_OF_STRING = re.compile(r'(?:[^"\\]++|\\.)*+"?', re.DOTALL)
_ESCAPE = re.compile(r"\\(?:u[dD][89abAB]..(\\u[dD][c-fC-F]..)?|u.{4}|[^u])", re.DOTALL)
"""Escapes one after the other, so that a backslash that is itself escaped begins none."""
_OF_A_PAIR = re.compile(r"\\u[dD][89a-fA-F]")
_UNFINISHED = re.compile(r"(?<!\\)(?:\\\\)*\\(?:u[dD][89abAB]..(?:\\(?:u.{0,3})?)?|u.{0,3})?\Z", re.DOTALL)
"""An escape, or a pair of them, that may go on behind the end."""
_TAIL = 64
_HALF, _ODD = "\uffff", "\ufffe"
"""On the way through the parser they stand for half a character and for a number. They are no characters themselves."""
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

    `twice`: a name stands twice in an object. `half`: it holds half a character. `odd`: it holds NaN, Infinity or a
    number without end, each of which reads as NaN.
    """

    line: int
    value: Any
    kind: Kind
    twice: bool = False
    half: bool = False
    odd: bool = False


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
    `longest`: characters of one value, give or take what is read at once; else LONGEST.
    `utf16`: also text in UTF-16 with its mark. `lenient`: bytes that are no text count as half a character.
    """
    import ijson  # a question is answered without it

    fails = (ijson.JSONError, ValueError, ArithmeticError)  # the latter two for bytes and exponents that are none
    state = _State()
    values = _assembled(state, page, decimals=decimals)
    next(values)
    parser = ijson.basic_parse_coro(values, multiple_values=several)
    most = LONGEST if longest is None else longest
    start = stream.peek(4)[:4] if utf16 and isinstance(stream, io.BufferedReader) else b""
    for piece in _pieces(decoded(stream, start), state, lenient=lenient):
        state.since += len(piece)
        try:
            _feed(parser, piece, state)
        except fails:
            yield from state.taken()
            raise BadJson("invalid", state.at) from None
        yield from state.taken()
        if state.deep:
            raise BadJson("deep", state.at)
        if state.since > most:
            raise BadJson("large", state.at)
    try:
        parser.close()
    except fails:
        raise BadJson("cut" if state.begun else "empty", state.at) from None
    yield from state.taken()


@dataclass(slots=True)
class _State:
    """How far the reading is. `begun`: the line of the last value; `open`: how many are begun and not given out;
    `since`: characters since one was begun or given out."""

    line: int = 1
    ended: bool = False
    begun: int = 0
    open: int = 0
    since: int = 0
    twice: bool = False
    half: bool = False
    odd: bool = False
    in_string: bool = False
    deep: bool = False
    found: deque[JsonValue] = field(default_factory=deque)

    @property
    def at(self) -> int:
        """The line that an error is told with: where the broken value begins, or where something else stands."""
        return self.begun if self.open else self.line + self.ended

    def begin(self) -> None:
        self.begun, self.since = self.line, 0
        self.open += 1

    def give(self, value: Any, kind: Kind) -> None:
        self.found.append(JsonValue(self.begun, value, kind, self.twice, self.half, self.odd))
        self.twice = self.half = self.odd = False
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
        if value == _ODD:
            value, state.odd = math.nan, True
        elif isinstance(value, str) and _HALF in value:
            state.half = True
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


def _pieces(text: io.TextIOWrapper, state: _State, *, lenient: bool) -> Iterator[str]:
    """The text, as whole lines where they are not too long for that. No number and no escape is cut at the end."""
    held = ""
    try:
        while read := text.read(_PIECE):
            piece = held + read + text.readline(_PIECE)
            if not lenient and not is_text(piece):
                raise BadJson("not_text", state.line + state.ended + lines_before_wrong(piece))
            end = len(piece.rstrip(_OF_A_NUMBER))
            end = len(piece) if len(piece) - end > _PIECE else end
            if found := _UNFINISHED.search(piece, max(end - _TAIL, 0), end):
                end = found.start()
            yield with_bytes_marked(piece[:end], _HALF)
            held = piece[end:]
    except UnicodeError:
        raise BadJson("not_text", state.line) from None
    finally:
        text.detach()
    yield with_bytes_marked(held, _HALF)


def _feed(parser: Any, piece: str, state: _State) -> None:
    """Line by line, so that the line of whatever begins is known. Raises what the parser does."""
    quotes = piece.replace("\\\\", "").replace('\\"', "").count('"')
    if _ODD_NUMBER.search(piece):
        begun = _REST_OF_STRING.match(piece) if state.in_string else None
        start = begun.end() if begun else 0
        piece = piece[:start] + _TOKEN.sub(_proper_token, piece[start:])
    state.in_string ^= quotes % 2 == 1
    if _OF_A_PAIR.search(piece):
        piece = _ESCAPE.sub(_whole_escape, piece)
    for line in piece.encode().splitlines(keepends=True):
        state.line, state.ended = state.line + state.ended, False
        parser.send(line)
        state.ended = line.endswith((b"\n", b"\r"))


def _proper_token(found: re.Match[str]) -> str:
    """A string as it is; a number that JSON does not have as a string that stands for it."""
    return found[0] if found[0].startswith('"') else f'"{_ODD}"'


def _whole_escape(found: re.Match[str]) -> str:
    """The escape itself, or the sign for half a character."""
    return _HALF if found[1] is None and _OF_A_PAIR.match(found[0]) else found[0]
