"""Records out of a JSON file that is never in memory as a whole."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from docgemma.ingest import json_values
from docgemma.ingest.files import stream_of
from docgemma.sources.pack.labels.build import Document
from docgemma.sources.pack.parts import Unreadable

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**17), 10**17)
    | st.text()
    | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=12,
)


class Dripping:
    """Gives a few bytes at a time, however many are asked for."""

    def __init__(self, data: bytes, step: int) -> None:
        self._file, self._step = io.BytesIO(data), step

    def read(self, _: int) -> bytes:
        return self._file.read(self._step)


def walked(data: bytes, step: int) -> tuple[list[Any], dict[str, Any]]:
    found = Document(stream_of(Dripping(data, step).read))
    return list(found.records()), found.meta


@settings(deadline=None)
@given(
    st.lists(JSON, max_size=6),
    st.dictionaries(st.text(max_size=3), JSON, max_size=2),
    st.integers(1, 60),
    st.sampled_from([None, 1]),
    st.booleans(),
    st.booleans(),
)
def test_what_is_read_is_what_was_written(
    records: list[Any], meta: dict[str, Any], step: int, indent: int | None, ascii_only: bool, meta_last: bool
) -> None:
    values: dict[str, Any] = {"meta": meta, "results": records}
    if meta_last:
        values = {"other": [1], "results": records, "meta": meta}
    data = json.dumps(values, indent=indent, ensure_ascii=ascii_only).encode("utf-8", "surrogatepass")
    try:
        data.decode()
    except UnicodeDecodeError:  # half a character is no text
        with pytest.raises(Unreadable):
            walked(data, step)
        return
    assert walked(data, step) == (records, meta)


@settings(deadline=None)
@given(st.lists(JSON, min_size=1, max_size=4), st.data(), st.integers(1, 40))
def test_a_file_that_is_cut_is_never_taken_for_a_whole_one(records: list[Any], data: st.DataObject, step: int) -> None:
    whole = json.dumps({"meta": {}, "results": records}).encode()
    cut = data.draw(st.integers(0, len(whole) - 1))
    with pytest.raises(Unreadable):
        walked(whole[:cut], step)


@settings(deadline=None)
@given(st.binary(max_size=200), st.integers(1, 40))
def test_any_bytes_are_read_or_refused(data: bytes, step: int) -> None:
    for whole in (data, b'{"results": [' + data + b"]}"):
        try:
            records, _ = walked(whole, step)
        except Unreadable:
            continue
        blank = whole.replace(b"\v", b" ").replace(b"\f", b" ")  # which ijson takes for blanks between values
        assert len(records) == len(json.loads(blank)["results"])


def test_a_record_with_half_a_character_is_left_out() -> None:
    data = rb'{"results": [{"a": 1}, {"b": "x\ud83d"}, {"c": ["\udc00"]}, {"d": "\ud83d\ude00 \\ud83d"}]}'
    assert walked(data, 7)[0] == [{"a": 1}, None, None, {"d": "\U0001f600 \\ud83d"}]


def test_a_record_with_a_number_that_json_does_not_have_is_left_out() -> None:
    data = b'{"results": [{"a": 1}, {"b": NaN}, {"c": [-Infinity]}, {"d": 2}, {"e": ' + b"9" * 100_000 + b"}]}"
    assert walked(data, 7)[0] == [{"a": 1}, None, None, {"d": 2}, None]


def test_a_byte_order_mark_does_no_harm() -> None:
    assert walked(b"\xef\xbb\xbf" + b'{"results": [1]}', 2)[0] == [1]


def test_only_what_is_being_read_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_values, "LONGEST", 200_000)
    many = json.dumps({"results": ["x" * 500] * 2000}).encode()
    assert len(walked(many, 64)[0]) == 2000
    with pytest.raises(Unreadable, match="far larger"):
        walked(json.dumps({"results": ["x" * 1_000_000]}).encode(), 6400)
