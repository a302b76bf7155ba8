"""Text of a chart as one clean line: nothing in it can begin a line of ours, hide, or turn the reading direction.

Turn tokens and headings that imitate a prompt are disarmed where a prompt is made; here the text keeps its words.
"""

from __future__ import annotations

import re

_SPACE = re.compile(r"\s+")
_UNSEEN = re.compile(
    "[\x00-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e"
    "\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\ud800-\udfff\U000e0000-\U000e0fff]"
)
_OWN_QUOTES = str.maketrans({"“": '"', "”": '"'})
_SLACK = 3
"""How much more than asked for is looked at, so that text that is mostly line breaks still fills its line."""

NAME = 160
"""As long as a name of a drug, a substance or a test may get."""


def plain(value: object, most: int = NAME) -> str:
    """One line of at most `most` characters; "…" says that there was more. Anything but text is empty."""
    if not isinstance(value, str):
        return ""
    if len(value) <= most and value.isascii() and value.isprintable():
        return " ".join(value.split())
    line = _UNSEEN.sub("", _SPACE.sub(" ", value[: most * _SLACK])).strip()
    line = " ".join(line.split())
    more = len(value) > most * _SLACK or len(line) > most
    return f"{line[: most - 1].rstrip()}…" if more else line


def quoted(value: object, most: int) -> str:
    """Free text in quotation marks of its own, which it cannot close from within."""
    line = plain(value, most).translate(_OWN_QUOTES)
    return f"“{line}”" if line else ""


def joined(*parts: str, by: str = ", ") -> str:
    """The parts that say something."""
    return by.join(part for part in parts if part)


def counted(count: int, one: str, several: str = "") -> str:
    """ "1 test", "3 tests"."""
    return f"{count:,} {one if count == 1 else several or one + 's'}"
