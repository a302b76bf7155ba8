"""The citations in PubMed's XML, one after the other, however large the file is.

A document type may name PubMed's own definition, which is never fetched, but define nothing itself: so there are no
entities to expand. Depth and size have limits that no citation comes near to.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import cast
from xml.etree.ElementTree import Element, ParseError, XMLPullParser

from docgemma.sources.pack.document import Unreadable
from docgemma.sources.pack.parts import Read

ROOT = "PubmedArticleSet"
_PROLOG = re.compile(
    rb"(?:\xef\xbb\xbf)?\s*(?:<\?xml[^<>\[\]]{0,200}\?>)?\s*"
    rb"(?:<!DOCTYPE\s+PubmedArticleSet(?:\s+(?:PUBLIC|SYSTEM)(?:\s+\"[^\"<>\[\]]{0,300}\"|\s+'[^'<>\[\]]{0,300}'){1,2})?\s*>)?"
    rb"\s*<PubmedArticleSet[\s/>]"
)
_LONGEST_PROLOG = 4096
_CHUNK = 1 << 18
_LARGEST = 32_000_000
_DEEPEST = 60


def citations(read: Read) -> Iterator[Element]:
    """Every child of the root: PubmedArticle, PubmedBookArticle, DeleteCitation."""
    parser: XMLPullParser[Element] = XMLPullParser(("start", "end"))
    depth, since = 0, 0
    root: Element | None = None
    for data in _pieces(_head(read), read):
        since += len(data)
        try:
            parser.feed(data)
            for event, element in cast(Iterator[tuple[str, Element]], parser.read_events()):
                if event == "start":
                    depth += 1
                    root = element if root is None else root
                    continue
                depth -= 1
                if depth == 1 and root is not None:
                    yield element
                    root.clear()
                    since = 0
        except (ParseError, ValueError, LookupError):  # the latter two for an encoding that nobody has
            raise Unreadable("is cut off, or not valid XML") from None
        if depth > _DEEPEST or since > _LARGEST:
            raise Unreadable("has a citation far larger or deeper than real ones")
    if depth or root is None:
        raise Unreadable("is cut off, or not valid XML")


def _head(read: Read) -> bytes:
    """The beginning of the file, once it is seen to be PubMed's and to define nothing."""
    head = b""
    while len(head) < _LONGEST_PROLOG and (data := read(_LONGEST_PROLOG)):
        head += data
    if not _PROLOG.match(head):
        raise Unreadable("is XML, but not a file of PubMed", "Give PubMed's baseline or update files.")
    return head


def _pieces(head: bytes, read: Read) -> Iterator[bytes]:
    yield head
    while data := read(_CHUNK):
        yield data
