"""Text as a screen may show it: nothing that a terminal obeys, nothing that hides."""

from __future__ import annotations

import re
import unicodedata

_TERMINAL = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]?|(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x9c\n]*(?:\x07|\x1b\\|\x9c)|"
    r"\x1b[ -/]*[0-~]?"
)
"""Whole sequences: colours and cursor moves, titles and links, and the short ones."""

_BLANKS = "\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0"
"""Letters and marks that show as nothing."""


def printable(text: str) -> str:
    """Without what a screen obeys or hides: terminal sequences, control, direction and zero-width characters."""
    if text.isascii() and text.isprintable():
        return text
    kept = (char for char in _TERMINAL.sub("", text) if char in "\n\t" or not _unseen(char))
    return "".join("\n" if char in "\u2028\u2029" else char for char in kept)


def _unseen(char: str) -> bool:
    return unicodedata.category(char) in ("Cc", "Cf", "Cs", "Co") or char in _BLANKS


# Control codes could move the cursor, recolour or hide text; marks of direction could reorder a dose.
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]")


def plain(text: str) -> str:
    """Words of others for a screen or a page: shown as they are, without what either would obey."""
    return _CONTROL.sub("", text)
