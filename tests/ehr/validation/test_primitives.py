"""The primitive types at their edges."""

from __future__ import annotations

from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from docgemma.ehr.fhir_json import dumps, loads
from docgemma.ehr.validation.primitives import FITS, LONGEST_TEXT, expected
from tests.support.tables import each_of

RIGHT: dict[str, list[Any]] = {
    "base64Binary": ["QQ==", "QUJD", "QU\nJD", "AAAA" * 100],
    "boolean": [True, False],
    "canonical": ["http://example.org/x|1.0", "#x"],
    "code": ["x", "two words", "<=", "née"],
    "date": ["1970", "1970-12", "1970-12-31", "2024-02-29", "0001"],
    "dateTime": ["1970", "1970-12", "2024-02-29", "2024-02-29T23:59:60Z", "1970-01-01T00:00:00.5-05:30"],
    "decimal": [0, -7, Decimal("7.50"), Decimal("1E-8"), 0.5],
    "id": ["a", "A-1.b", "x" * 64],
    "instant": ["2024-02-29T10:00:00+14:00", "2024-02-29T10:00:00.123456789Z"],
    "integer": [0, -(2**31), 2**31 - 1],
    "markdown": ["# A\n\n\tb"],
    "oid": ["urn:oid:1.2.840.0"],
    "positiveInt": [1],
    "string": ["A", " A ", "García\r\n", "\u200e", "a\u00a0b", "🙂", "x" * LONGEST_TEXT],
    "time": ["23:59:59.9"],
    "unsignedInt": [0],
    "uri": ["urn:x", "http://example.org/?q=ü", "x"],
    "url": ["mailto:a@example.org"],
    "uuid": ["urn:uuid:0c3151bd-1cbf-4d64-b04d-cd9187a4c6e0"],
    "xhtml": ["<div>a</div>"],
}
WRONG: dict[str, list[Any]] = {
    "base64Binary": ["", " ", "QQ", "Q!==", "QQ==QQ==", 7, None],
    "boolean": ["true", 0, 1, None, []],
    "canonical": ["", "a b", 7],
    "code": ["", " x", "x ", "two  words", "a\tb", "a\nb", 7, ["x"]],
    "date": ["70", "0000", "1970-13", "1970-02-30", "1900-02-29", "1970-1-1", "1970-12-31T00:00:00Z", "1970\n", 1970],
    "dateTime": ["1970-01-01T00:00Z", "1970-01-01T00:00:00", "1970-01-01T24:00:00Z", "1970-01-01 00:00:00Z",
                 "2023-02-29T00:00:00Z"],
    "decimal": ["7.5", True, None, Decimal("NaN"), float("inf"), Decimal("1E+999999"), 10**400,
                Decimal("0." + "1" * 400)],
    "id": ["", "a b", "x" * 65, "a_b", "a/b", "ä", 7],
    "instant": ["2024", "2024-02-29", "2024-02-29T10:00:00", "2024-02-29T10:00:00+15:00"],
    "integer": [2**31, -(2**31) - 1, Decimal("1.0"), 1.0, "1", True],
    "markdown": ["", "\n"],
    "oid": ["1.2.3", "urn:oid:3.1", "urn:oid:1.02"],
    "positiveInt": [0, -1, True],
    "string": ["", " \n", "\x00", "a\x0bb", "a\x1b[2J", "\ud800", "x" * (LONGEST_TEXT + 1), 7, None, ["a"]],
    "time": ["24:00:00", "10:00", "10:00:00Z"],
    "unsignedInt": [-1, False],
    "uri": ["", "a b", "a\x00", 7],
    "url": [""],
    "uuid": ["0c3151bd-1cbf-4d64-b04d-cd9187a4c6e0", "urn:uuid:x"],
    "xhtml": ["a", 7],
}  # fmt: skip


@each_of(("name", "value"), [(name, value) for name, values in RIGHT.items() for value in values])
def test_a_right_value_is_taken(name: str, value: Any) -> None:
    assert FITS[name](value)


@each_of(("name", "value"), [(name, value) for name, values in WRONG.items() for value in values])
def test_a_wrong_value_is_refused(name: str, value: Any) -> None:
    assert not FITS[name](value)


def test_every_primitive_is_tried_and_explained() -> None:
    assert FITS.keys() == expected().keys() == RIGHT.keys() == WRONG.keys()


@given(st.datetimes(timezones=st.timezones()))
def test_every_moment_that_a_computer_writes_is_a_date_time(moment: datetime) -> None:
    """But for offsets with seconds or beyond fourteen hours, as some places had long ago: FHIR cannot write them."""
    offset = moment.utcoffset() or timedelta()
    written = moment.replace(microsecond=0).isoformat()
    assert FITS["dateTime"](written) == (not offset.seconds % 60 and abs(offset) <= timedelta(hours=14))


@given(st.text())
def test_text_that_is_taken_comes_back_from_json_as_it_was(text: str) -> None:
    if FITS["string"](text):
        assert loads(dumps(text).encode()) == text
