"""Text as it may be taken in: what a reviewer sees is all that there is.

Hidden characters are refused and not taken out. A text that carries them says something else to a program than to the
person who reviewed it, and who put them there is worth a look.
"""

from __future__ import annotations

import html
import re
import unicodedata
from itertools import groupby
from urllib.parse import unquote

from docgemma.entities.printable import printable

_LINE_ENDS = re.compile("\r\n?|\u2028|\u2029")
_TRAILING = re.compile(r"[^\S\n]+(?=\n|\Z)")
_EMOJI = "\ufe0e\ufe0f"
"""They choose between two pictures of the character before, and are typed by every telephone."""

_SELECTORS = re.compile("[\ufe00-\ufe0d\U000e0100-\U000e01ef]")
_BLANK = re.compile("[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000\n\t]")
_NAMELESS = {"Cc": "control character", "Co": "private character", "Cs": "broken character", "Cn": "unassigned code"}

_BREAK = r"[\t\n\r]{0,9}"
_ACTIVE = re.compile(
    r"<\s*/?\s*(?:script|iframe|object|embed|meta|base|form|svg|math|style|link|applet|frame|frameset)\b"
    rf"|\b(?:{_BREAK.join('java')}|{_BREAK.join('vb')}){_BREAK}{_BREAK.join('script')}\s*:|\bdata\s*:\s*text/html"
    r"|<[a-z][^<>]{0,300}[\s/\"'`]on[a-z]{3,24}\s{0,9}=",
    re.IGNORECASE,
)
_WRITTEN_OTHERWISE = re.compile(r"&(?:#|[a-zA-Z]{2})|%[0-9a-fA-F]{2}")
_ROUNDS = 5

_STANDS_IN = re.compile(r"https?://[^\s/?#<>\"]{0,400}@", re.IGNORECASE)
"""A name before the host: the eye reads it as the host, and the browser goes elsewhere."""

_OTHER = (
    "\u0400-\u058f\u13a0-\u13ff\u1c80-\u1c8f\u2c80-\u2cff\u2de0-\u2dff\ua640-\ua69f\uab70-\uabbf\U0001d400-\U0001d7ff"
)
"""Cyrillic, Armenian, Cherokee, Coptic and the letters of formulas. All of them hold letters that look Latin."""

_GREEK = "ΑΒΕΖΗΙΚΜΝΟΡΤΥΧονιυρ"
"""Greek letters that look Latin and that nobody needs in a name such as TNF-α, NF-κB or APOE ε4."""

_SUSPECT = re.compile(f"[{_OTHER}{_GREEK}]")
_JOINED = re.compile(r"[^\W_]+(?:[-'’.,·][^\W_]+)*")
_LATIN = re.compile("[a-zA-Z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u024f\u1e00-\u1eff]")
_MOST_MARKS = 4


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
    """The first thing that a browser would run, also where it is written in codes within codes; else ""."""
    for _ in range(_ROUNDS):
        found = _ACTIVE.search(text) if "<" in text or ":" in text else None
        if found:
            return " ".join(found.group()[:30].split())
        read = unquote(html.unescape(text)) if _WRITTEN_OTHERWISE.search(text) else text
        if read == text:
            return ""
        text = read
    return "codes within codes"


def stands_in(text: str) -> bool:
    """Whether a link wears the name of another host."""
    return "@" in text and _STANDS_IN.search(text) is not None


def mixed(text: str) -> str:
    """The first word or number with letters of another script that look like its own; else ""."""
    if text.isascii() or _SUSPECT.search(text) is None:
        return ""
    return next((word for word in _JOINED.findall(text) if _SUSPECT.search(word) and _is_mixed(word)), "")


def _is_mixed(word: str) -> bool:
    latin = _LATIN.search(word) is not None
    if any(letter in "Οο" or letter not in _GREEK for letter in _SUSPECT.findall(word)):
        return latin or any(char.isdigit() and char.isascii() for char in word)
    return latin


def piled(text: str) -> bool:
    """Marks above marks, or hardly anything but marks: no script is written so."""
    if text.isascii():
        return False
    runs = [len(list(run)) for is_mark, run in groupby(text, _is_mark) if is_mark]
    return bool(runs) and (max(runs) > _MOST_MARKS or sum(runs) > 2 * (len(text) - sum(runs)))


def _is_mark(char: str) -> bool:
    return char >= "\u0300" and unicodedata.category(char)[0] == "M"
