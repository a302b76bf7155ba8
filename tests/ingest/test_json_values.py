"""JSON from outside: what is read, what is refused and where, and how little of it is in memory."""

from __future__ import annotations

import io
import json
import tracemalloc
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from docgemma.ingest import json_values as module
from docgemma.ingest.files import stream_of
from docgemma.ingest.json_values import BadJson, JsonValue, json_values, line_value
from tests.support.tables import each_of

PAGE = ("list", "items")


def values(data: bytes, page: tuple[str, ...] = (), **more: Any) -> list[JsonValue]:
    return list(json_values(stream_of(io.BytesIO(data).read), page, **more))


def plain(data: bytes, page: tuple[str, ...] = (), **more: Any) -> list[tuple[int, Any, str]]:
    return [(found.line, found.value, found.kind) for found in values(data, page, **more)]


REST = (("list", 3), ("items", [4]))
FRIENDLY: list[tuple[bytes, list[tuple[int, Any, str]]]] = [
    (b"[]", []),
    (b"\xef\xbb\xbf[1]", [(1, 1, "element")]),
    (
        b'[{"a": 1.5},\n\n "b",\r\n[null, true]]\n',
        [(1, {"a": 1.5}, "element"), (3, "b", "element"), (4, [None, True], "element")],
    ),
    (b'{"a": {"b": []}}', [(1, {"a": {"b": []}}, "alone")]),
    (b" 12 ", [(1, 12, "alone")]),
    (b"[12345678901234567890]", [(1, 12345678901234567890, "element")]),
    (
        b'{"list": {"items": [{"n": 1},\n{"n": 2}], "total": 2}}',
        [(1, {"n": 1}, "record"), (2, {"n": 2}, "record"), (2, {"list": {"items": [], "total": 2}}, "page")],
    ),
    (
        b'[{"list": {"items": [1]}}, {"list": 3}, {"items": [4]}]',
        [(1, 1, "record"), (1, {"list": {"items": []}}, "page"), *((1, {n: v}, "element") for n, v in REST)],
    ),
    (b'{"x": {"list": {"items": [1]}}}', [(1, {"x": {"list": {"items": [1]}}}, "alone")]),
    ('[1,\n"\u00e4"]'.encode("utf-16"), [(1, 1, "element"), (2, "\u00e4", "element")]),
]


@each_of(("data", "wanted"), FRIENDLY)
def test_what_is_json_is_read(data: bytes, wanted: list[tuple[int, Any, str]]) -> None:
    assert plain(data, PAGE, utf16=True) == wanted


HOSTILE: list[tuple[bytes, str, int, int]] = [
    (b"", "empty", 1, 0),
    (b" \n \n", "empty", 3, 0),
    (b"[1,\n2", "cut", 2, 1),
    (b'[1,\n{"a": ', "cut", 2, 1),
    (b'[1,\n{"a":\n"x', "cut", 2, 1),
    (b"[1,\n,2]", "invalid", 2, 1),
    (b"[1] [2]", "invalid", 1, 1),
    (b"[1,\nnan]", "invalid", 2, 1),
    (b"[1,\n-NaN]", "invalid", 2, 1),
    (b"[1, 01]", "invalid", 1, 2),
    (b"['a']", "invalid", 1, 0),
    (b'["a\nb"]', "invalid", 1, 0),
    (b"[1, /* two */ 2]", "invalid", 1, 1),
    (b"[1,\n1e99999999999999999999]", "invalid", 2, 1),
    (b"[1,\n" + b"[" * 100_000, "deep", 2, 1),
    (b'[1,\n{"a":' + b'{"a":' * 1_000, "deep", 2, 1),
    (b'[1,\n\n"\xff"]', "not_text", 3, 0),
    (b'[1,\n"\xed\xa0\x80"]', "not_text", 2, 0),
    ("[1]".encode("utf-16"), "not_text", 1, 0),
    ("[1]".encode("utf-32"), "not_text", 1, 0),
    (b"<html>", "invalid", 1, 0),
]


@each_of(("data", "reason", "line", "before"), HOSTILE)
def test_what_is_none_is_refused_with_its_line(data: bytes, reason: str, line: int, before: int) -> None:
    given_out = 0
    with pytest.raises(BadJson) as caught:
        for _ in json_values(stream_of(io.BytesIO(data).read)):
            given_out += 1
    assert (caught.value.reason, caught.value.line, given_out) == (reason, line, before)


HALVES = [
    (rb'["\ud83d\ude00"]', False),
    (rb'["\\ud83d"]', False),
    (rb'["\ud83d"]', True),
    (rb'["\ud83dx"]', True),
    (rb'["\ud83d\u0041"]', True),
    (rb'["\ude00"]', True),
    (rb'["\\\ude00"]', True),
    (rb'[{"\udc00": 1}]', True),
]


@each_of(("data", "half"), HALVES)
def test_half_a_character_is_told_wherever_the_pieces_end(data: bytes, half: bool) -> None:
    for before in (0, *range(module._PIECE * 2 - 16, module._PIECE * 2 + 1)):
        (found,) = values(b" " * before + data)
        assert found.half is half
        assert half or found.value == json.loads(data)[0]


ODD = [
    (b"NaN", True),
    (b"-Infinity", True),
    (b"9" * 5_000, True),
    (b"-0." + b"9" * 50_000 + b"e5", True),
    (b'"NaN"', False),
    (b'"a \\\\\\"NaN, -Infinity"', False),
    (b'"' + b"9" * 5_000 + b'"', False),
    (b"9" * 3_000, False),
]


@each_of(("data", "odd"), ODD)
def test_a_number_that_json_does_not_have_is_told_wherever_the_pieces_end(data: bytes, odd: bool) -> None:
    for before in (0, *range(module._PIECE * 2 - 20, module._PIECE * 2 + 1)):
        one, two = values(b" " * before + b'[{"a": ' + data + b"},\n2]")
        assert (one.odd, two.odd, two.value, two.line) == (odd, False, 2, 2)
        assert odd or one.value == {"a": json.loads(data)}


def test_bytes_that_are_no_text_are_told_with_their_value_where_that_is_wanted() -> None:
    found = values(b'["a",\n"b\xff",\n"c"]', lenient=True)
    assert [(each.line, each.half) for each in found] == [(1, False), (2, True), (3, False)]


def test_a_name_that_stands_twice_is_told_with_its_value() -> None:
    found = values(b'[{"a": 1}, {"a": {"b": 1, "b": 2}}, {"a": [{"b": 1}, {"b": 2}]}]')
    assert [each.twice for each in found] == [False, True, False]
    assert line_value(1, '{"a": {"b": 1, "b": 2}}').twice and not line_value(1, '{"a": 1}').twice


def test_several_texts_in_a_row() -> None:
    data = b'{"a": 1}\n{"a": 2}\n[3, 4]{"list": {"items": [5]}}'
    assert [found.value for found in values(data, PAGE, several=True)][:5] == [{"a": 1}, {"a": 2}, 3, 4, 5]


def test_digits_are_kept_where_that_is_wanted() -> None:
    assert str(values(b"[7.50]", decimals=True)[0].value) == "7.50"


def test_one_value_may_not_take_all_memory() -> None:
    with pytest.raises(BadJson, match="large, line 2"):
        values(b'[1,\n"' + b"x" * 1_000_000 + b'"]', longest=500_000)


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**30), 10**30)
    | st.text(st.characters(codec="utf-8", exclude_characters="\uffff"))
    | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=12,
)


@settings(max_examples=80, deadline=None)
@given(st.lists(JSON, max_size=5), st.sampled_from([None, 1]), st.booleans())
def test_what_is_read_is_what_was_written(written: list[Any], indent: int | None, ascii_only: bool) -> None:
    data = json.dumps(written, indent=indent, ensure_ascii=ascii_only).encode()
    found = values(data)
    assert [each.value for each in found] == written
    assert not any(each.half or each.twice for each in found)


def test_a_large_file_is_never_in_memory() -> None:
    """Some 30 MB on one line, of which only the value being read is held."""

    def pieces() -> Iterator[bytes]:
        yield b"["
        for number in range(2_500):
            yield json.dumps({"id": number, "text": "word \u00e9 " * 1_000}).encode() + b","
        yield b"{}]"

    waiting = pieces()
    held = bytearray()

    def read(size: int) -> bytes:
        while len(held) < size and (more := next(waiting, b"")):
            held.extend(more)
        data = bytes(held[:size])
        del held[:size]
        return data

    tracemalloc.start()
    try:
        count = sum(1 for _ in json_values(stream_of(read)))
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert count == 2_501
    assert most < 4_000_000
