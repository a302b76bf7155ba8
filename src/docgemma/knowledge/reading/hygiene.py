"""Text as it may enter the knowledge base: what a reviewer sees is all that there is.

Hidden characters are refused and not taken out. A text that carries them says something else to a program than to the
person who reviewed it, and who put them there is worth a look.
"""

from __future__ import annotations

import re
import unicodedata

from docgemma.entities.printable import printable

_LINE_ENDS = re.compile("\r\n?|\u2028|\u2029")
_TRAILING = re.compile(r"[^\S\n]+(?=\n|\Z)")
_EMOJI = "\ufe0e\ufe0f"
"""They choose between two pictures of the character before, and are typed by every telephone."""

_SELECTORS = re.compile("[\ufe00-\ufe0d\U000e0100-\U000e01ef]")
_BLANK = re.compile("[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000\n\t]")
_NAMELESS = {"Cc": "control character", "Co": "private character", "Cs": "broken character", "Cn": "unassigned code"}

_ACTIVE = re.compile(
    r"<\s*/?\s*(?:script|iframe|object|embed|meta|base|form)\b|\b(?:java|vb)script\s*:|\bdata\s*:\s*text/html"
    r"|<[a-z][^<>]{0,300}\son[a-z]{3,20}\s*=",
    re.IGNORECASE,
)


def cleaned(text: str) -> str:
    """Composed letters, plain line ends, nothing behind a line."""
    lines = _LINE_ENDS.sub("\n", unicodedata.normalize("NFC", text))
    return _TRAILING.sub("", lines).strip()


def hidden(text: str) -> str:
    """The first character that shows as nothing or turns the direction, by code and name; else ""."""
    seen = _BLANK.sub(" ", text)
    if seen.isascii() and seen.isprintable():
        return ""
    for char in seen:
        if char not in _EMOJI and (not char.isprintable() or _SELECTORS.match(char) or not printable(char)):
            kind = _NAMELESS.get(unicodedata.category(char), "hidden character")
            return f"U+{ord(char):04X} {unicodedata.name(char, kind).lower()}"
    return ""


def active(text: str) -> str:
    """The first thing that a browser would run; else ""."""
    found = _ACTIVE.search(text) if "<" in text or ":" in text else None
    return " ".join(found.group()[:30].split()) if found else ""
