"""A resource's narrative: XHTML for people to read. It may be shown as it is, so nothing in it may run."""

from __future__ import annotations

import re
from collections.abc import Mapping
from html.entities import name2codepoint
from typing import Any
from xml.parsers import expat

_TAG_NAMES = (
    "a abbr acronym address b big blockquote br caption cite code col colgroup dd del dfn div dl dt em h1 h2 h3 h4 h5 "
    "h6 hr i img ins kbd li ol p pre q s samp small span strike strong sub sup table tbody td tfoot th thead tr tt u "
    "ul var"
)
_ATTRIBUTE_NAMES = (
    "abbr align alt axis border cellpadding cellspacing char charoff cite class colspan compact datetime dir frame "
    "headers height href hreflang id lang name nowrap rel rev rowspan rules scope span src start style summary title "
    "type valign value width xml:lang xml:space xmlns"
)
_TAGS, _ATTRIBUTES = frozenset(_TAG_NAMES.split()), frozenset(_ATTRIBUTE_NAMES.split())
_ADDRESS = re.compile(r"(?:#|https?:|ftp:|mailto:|tel:|cid:|data:\s*image/|(?![^/?#]*:))", re.IGNORECASE)
_DATA = re.compile(r"\s*data:", re.IGNORECASE)
_LOADING_STYLE = re.compile(r"url\s*\((?!\s*['\"]?data:\s*image/)|expression\s*\(|@import|\\", re.IGNORECASE)
_XHTML = "http://www.w3.org/1999/xhtml"
_LONGEST = 1024 * 1024


def is_narrative(value: Any) -> bool:
    """Whether this is one well-formed `<div>` of basic formatting with something to read in it."""
    if not isinstance(value, str) or len(value) > _LONGEST:
        return False
    reading = _Reading()
    try:
        reading.parser.Parse(value.encode(), True)
    except (expat.ExpatError, _NotAllowed, UnicodeEncodeError):
        return False
    return reading.content


class _NotAllowed(Exception):
    """Raised inside the parser's callbacks, which is the only way out of them."""


class _Reading:
    """One pass over the text. HTML's named characters are known without a document type, which is refused."""

    def __init__(self) -> None:
        self.content = False
        self._depth = 0
        parser = expat.ParserCreate()
        parser.UseForeignDTD(True)
        parser.ExternalEntityRefHandler = lambda *_: 1
        parser.SkippedEntityHandler = self._entity
        parser.StartDoctypeDeclHandler = self._refuse
        parser.ProcessingInstructionHandler = self._refuse
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._text
        self.parser = parser

    def _start(self, tag: str, attributes: Mapping[str, str]) -> None:
        if tag not in _TAGS or (self._depth == 0 and tag != "div"):
            raise _NotAllowed
        self._depth += 1
        self.content |= tag == "img"
        for name, value in attributes.items():
            if name not in _ATTRIBUTES or not _harmless(name, value):
                raise _NotAllowed

    def _end(self, _tag: str) -> None:
        self._depth -= 1

    def _text(self, text: str) -> None:
        self.content |= not text.isspace()

    def _entity(self, name: str, _is_parameter: bool) -> None:
        if name not in name2codepoint:
            raise _NotAllowed
        self.content |= name != "nbsp"

    def _refuse(self, *_: object) -> None:
        raise _NotAllowed


def _harmless(name: str, value: str) -> bool:
    if name in ("href", "src", "cite"):
        return _ADDRESS.match(value.strip()) is not None and (name == "src" or not _DATA.match(value))
    if name == "style":
        return _LOADING_STYLE.search(value) is None
    return name != "xmlns" or value == _XHTML
