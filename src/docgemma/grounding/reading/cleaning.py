"""Pasted and registry text as plain characters: escapes and entities undone, what nobody sees taken out.

Only pasted text is cleaned. A record's own text stays as it is to the character: others may count places in it.
"""

from __future__ import annotations

import html
import re
import unicodedata

from docgemma.entities.printable import printable

_ENTITY = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,30});")
_ESCAPE = re.compile(r"\\([\\`*_{}\[\]()#+.!<>~^|=&$\-])")
_BREAK = re.compile(r"<\s{0,3}(?:br|/p|/li|/div)\s{0,3}/?\s{0,3}>", re.IGNORECASE)
_TAG = re.compile(r"</?(?:p|ul|ol|b|i|u|em|strong|span|div|li|sup|sub|h[1-6])\s{0,3}/?>", re.IGNORECASE)
_ITEM = re.compile(r"<\s{0,3}li\s{0,3}>", re.IGNORECASE)
_MARKED = re.compile(r"(\*\*|__)(?=\S)([^*_\n]{1,2000}?)(?<=\S)\1")
SYMBOLS = "•◦▪▫‣⁃●○■□►▸▹➢➤✓✔∙·–—"
_PRIVATE = dict.fromkeys((0xF0B7, 0xF0A7, 0xF0D8, 0xF0FC, 0xF076, 0xF0A8), "•")
"""Bullets of an office font, which as text mean nothing."""


def unescaped(text: str) -> str:
    """`\\>` and `&gt;` are a sign. Twice, because registries escape what was escaped."""
    for _ in range(2):
        if "&" in text and _ENTITY.search(text):
            text = _ENTITY.sub(lambda found: html.unescape(found.group()), text)
    if "\\" in text:
        text = _ESCAPE.sub(r"\1", text)
    return text


def without_tags(text: str) -> str:
    """A few tags of pasted pages, exactly those: `p < 0.05` and `<18` are no tags."""
    if "<" not in text:
        return text
    return _TAG.sub("", _ITEM.sub("\n• ", _BREAK.sub("\n", text)))


def cleaned(line: str) -> str:
    """One line, its indentation kept: tabs count as four, and every kind of blank as one."""
    text = line.translate(_PRIVATE)
    if not text.isascii():
        text = "".join(" " if unicodedata.category(char) == "Zs" else char for char in printable(text))
        text = unicodedata.normalize("NFC", text)
    elif not text.isprintable():
        text = printable(text)
    return text.expandtabs(4).rstrip()


def plain(text: str) -> str:
    """The words of an item: escapes undone, emphasis without its marks, single blanks."""
    text = _MARKED.sub(r"\2", text) if "**" in text or "__" in text else text
    return " ".join(unescaped(text).split())
