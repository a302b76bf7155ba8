"""What a person gives: words, an image. Everything unusable is refused in one sentence before anything starts."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import BinaryIO

from docgemma.errors import BadInput

MAX_BYTES = 100_000  # what is read at all; the longest question, of the longest characters, fits
MAX_IMAGE_BYTES = 20_000_000

NOT_TEXT = "That is not UTF-8 text. An image is given on its own, as a file."


def checked_question(text: str) -> str:
    """The question as the agent takes it, or BadInput in the agent's words."""
    from docgemma.agent.session import check_text  # slow to import: the help of a command does without

    return check_text(proper_text(text))


def proper_text(text: str) -> str:
    """The text itself, unless it holds surrogates: bytes of a shell that are no text, or half a JSON escape."""
    try:
        text.encode()
    except UnicodeEncodeError:
        raise BadInput(NOT_TEXT) from None
    return text


def decoded(data: bytes) -> str:
    """Text from bytes: standard input, or one line of it."""
    if len(data) > MAX_BYTES:
        raise BadInput(f"That is longer than {MAX_BYTES:,} bytes. Ask about one thing, or shorten it.")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise BadInput(NOT_TEXT) from None


def piped_question(stdin: BinaryIO) -> str:
    """All of standard input, never more than could be used."""
    return checked_question(decoded(stdin.read(MAX_BYTES + 1)))


def question_of(words: tuple[str, ...]) -> str:
    """The words given, or standard input when it is piped or asked for with `-`."""
    if words == ("-",) or (not words and not sys.stdin.isatty()):
        return piped_question(sys.stdin.buffer)
    return checked_question(" ".join(words))


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
