from __future__ import annotations

import io
from pathlib import Path

import pytest

from docgemma.cli.reading import MAX_CHARACTERS, MAX_IMAGE_BYTES, checked_question, piped_question, read_image
from docgemma.errors import BadInput


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "Ask a question"),
        (" \n\t ", "Ask a question"),
        ("a\x00b", "not text"),
        ("\udcff", "not text"),
        ("x" * (MAX_CHARACTERS + 1), "too long"),
    ],
)
def test_what_is_no_question_is_refused(text: str, told: str) -> None:
    with pytest.raises(BadInput, match=told):
        checked_question(text)


@pytest.mark.parametrize("text", ["é" * MAX_CHARACTERS, "🩺" * MAX_CHARACTERS, "  warfarin?  "])
def test_what_is_a_question_is_kept_as_it_is(text: str) -> None:
    assert checked_question(text) == text.strip()


@pytest.mark.parametrize(
    ("data", "told"),
    [(b"", "Ask a question"), (b"\xff\xfe", "not text"), (b"a\x00", "not text"), (b"x" * 10**6, "too long")],
)
def test_unusable_input_is_refused(data: bytes, told: str) -> None:
    with pytest.raises(BadInput, match=told):
        piped_question(io.BytesIO(data))


def test_a_byte_order_mark_is_no_part_of_the_question() -> None:
    assert piped_question(io.BytesIO(b"\xef\xbb\xbfwarfarin?\r\n")) == "warfarin?"


def test_an_endless_input_is_not_read_to_its_end() -> None:
    with Path("/dev/zero").open("rb") as endless, pytest.raises(BadInput):
        piped_question(endless)


def test_image_files_that_cannot_be_read_are_named(tmp_path: Path) -> None:
    (tmp_path / "empty.png").touch()
    with pytest.raises(BadInput, match=r"empty\.png is empty"):
        read_image(tmp_path / "empty.png")
    with pytest.raises(BadInput, match=r"none\.png cannot be read"):
        read_image(tmp_path / "none.png")
    with (tmp_path / "big.png").open("wb") as big:
        big.truncate(MAX_IMAGE_BYTES + 1)
    with pytest.raises(BadInput, match=r"big\.png is larger"):
        read_image(tmp_path / "big.png")
