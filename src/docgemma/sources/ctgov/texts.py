"""What the register writes, as plain words: its texts are Markdown with escapes, and some still hold HTML."""

from __future__ import annotations

import re
from datetime import date
from html import unescape

from docgemma.sources.openfda.texts import plain

_END = r"(?:\s[^<>]{0,500})?/?>"
_INLINE = re.compile(rf"</?(?:b|i|u|em|strong|sup|sub|a|span|font|code){_END}", re.IGNORECASE)
_TAGS = re.compile(
    rf"</?(?:p|br|ul|ol|li|div|h[1-6]|table|tbody|thead|tr|td|th|hr|pre|img|script|style|iframe){_END}", re.IGNORECASE
)
"""By name: "<18 years and >5 kg" is no tag."""

_COMMENT = re.compile(r"<!--.{0,5000}?-->", re.DOTALL)
_BULLET = re.compile(r"^[ \t]{0,40}[*•][ \t]{1,20}", re.MULTILINE)
_ESCAPED = re.compile(r"\\([\\`*_{}\[\]()#+\-.!<>~|=^$&:\"'])")
_DAY = re.compile(r"(\d{4})-(\d{2})(?:-(\d{2}))?", re.ASCII)
_NCT = re.compile(r"NCT\d{8}", re.ASCII)


def words_of(text: object, longest: int) -> str:
    """A text of the register in one line, without markup; empty for what is no text. No word of it is changed."""
    if not isinstance(text, str):
        return ""
    head = text[: 4 * longest]
    if "<" in head:
        head = _TAGS.sub(" ", _INLINE.sub("", _COMMENT.sub(" ", head)))
    if "&" in head:
        head = unescape(head)
    return plain(_ESCAPED.sub(r"\1", _BULLET.sub("", head)))[:longest].rstrip()


def day_of(text: object) -> str:
    """A month or a day as it is registered; empty for what is neither."""
    found = _DAY.fullmatch(text.strip()) if isinstance(text, str) else None
    if found is None:
        return ""
    try:
        date(int(found[1]), int(found[2]), int(found[3] or 1))
    except ValueError:
        return ""
    return found.group()


def nct_id_of(text: object) -> str:
    """The number of a trial, in capitals; empty for what has another shape."""
    found = text.strip().upper() if isinstance(text, str) and len(text) < 40 else ""
    return found if _NCT.fullmatch(found) else ""
