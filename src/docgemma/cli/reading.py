"""What a person gives: a question, an image. Everything unusable is refused in one sentence before anything starts."""

from __future__ import annotations

from pathlib import Path
from typing import BinaryIO

from docgemma.errors import BadInput

MAX_CHARACTERS = 20_000
MAX_BYTES = 100_000
MAX_IMAGE_BYTES = 20_000_000

_TOO_LONG = f"The question is too long: at most {MAX_CHARACTERS:,} characters. Ask about one thing, or shorten it."
_NOT_TEXT = "The question is not text: UTF-8 without NUL bytes is needed. Give an image with --image."


def checked_question(text: str) -> str:
    """The question without space around it, or BadInput."""
    text = text.strip()
    if not text:
        raise BadInput('Ask a question, for example: docgemma ask "Does warfarin interact with ibuprofen?"')
    if "\x00" in text:
        raise BadInput(_NOT_TEXT)
    try:
        size = len(text.encode())
    except UnicodeEncodeError:  # surrogates: the shell gave bytes that are no text
        raise BadInput(_NOT_TEXT) from None
    if len(text) > MAX_CHARACTERS or size > MAX_BYTES:
        raise BadInput(_TOO_LONG)
    return text


def decoded_question(data: bytes) -> str:
    """A question from bytes: standard input, a batch line."""
    if len(data) > MAX_BYTES:
        raise BadInput(_TOO_LONG)
    try:
        return checked_question(data.decode("utf-8-sig"))
    except UnicodeDecodeError:
        raise BadInput(_NOT_TEXT) from None


def piped_question(stdin: BinaryIO) -> str:
    """All of standard input, never more than could be used."""
    return decoded_question(stdin.read(MAX_BYTES + 1))


def read_image(path: Path) -> bytes:
    """An image file's bytes. Whether they are an image is found out where they are decoded, safely."""
    try:
        with path.open("rb") as file:
            data = file.read(MAX_IMAGE_BYTES + 1)
    except OSError as error:
        raise BadInput(f"The image file {path.name} cannot be read: {error.strerror}.") from None
    if not data:
        raise BadInput(f"The image file {path.name} is empty.")
    if len(data) > MAX_IMAGE_BYTES:
        raise BadInput(f"The image file {path.name} is larger than {MAX_IMAGE_BYTES // 1_000_000} MB.")
    return data
