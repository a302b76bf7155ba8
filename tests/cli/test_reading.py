from __future__ import annotations

import io
from pathlib import Path

import pytest

from docgemma.agent.session import MAX_CHARACTERS
from docgemma.cli.reading import MAX_BYTES, MAX_IMAGE_BYTES, checked_question, piped_question, read_image
from docgemma.errors import BadInput


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "is empty"),
        (" \n\t ", "is empty"),
        ("a\x00b", "binary data"),
        ("\udcff", "not UTF-8"),
        ("x" * (MAX_CHARACTERS + 1), "at most 20,000"),
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
    [
        (b"", "is empty"),
        (b"\xff\xfe", "not UTF-8"),
        (b"a\x00", "binary data"),
        (b"x" * MAX_BYTES, "at most 20,000"),
        (b" " * MAX_BYTES + b"warfarin?", "longer than 100,000 bytes"),
    ],
)
def test_unusable_input_is_refused(data: bytes, told: str) -> None:
    with pytest.raises(BadInput, match=told):
        piped_question(io.BytesIO(data))


def test_the_longest_question_fits_through_a_pipe() -> None:
    longest = "🩺" * MAX_CHARACTERS
    assert piped_question(io.BytesIO(longest.encode())) == longest


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
