"""The records in the files of a service: JSON in pages, lists or a row, and the citations in PubMed's XML.

A document type may name PubMed's own definition, which is never fetched, but define nothing itself: so there are no
entities to expand. Depth and size have limits that no citation comes near to."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, cast
from xml.etree.ElementTree import Element, ParseError, XMLPullParser

from docgemma.sources.pack.document import TooLong, Unreadable, Walker
from docgemma.sources.pack.manifest import CALLED, Kind, build_command
from docgemma.sources.pack.parts import Read

_SIGNS: dict[Kind, frozenset[str]] = {
    "ctgov": frozenset({"protocolSection", "studies"}),
    "europepmc": frozenset({"pubType", "pubTypeList", "authorString", "resultList"}),
    "openfda": frozenset({"openfda", "spl_product_data_elements", "results"}),
}
_WHOLE = 4_000_000
"""Characters. An object up to this size is read in one go; what is larger is a page with many records."""


class Values:
    """JSON of any of these shapes. `page` is where in a page the list of records is."""

    def __init__(self, read: Read, page: tuple[str, ...]) -> None:
        self._walker = Walker(read)
        self._page = page

    def records(self) -> Iterator[Any]:
        found = False
        while sign := self._walker.peek():
            found = True
            if sign == "[":
                self._walker.next()
                for value in self._walker.elements():
                    yield from self._inside(value)
            elif sign == "{":
                yield from self._object()
            else:
                raise Unreadable("is not valid JSON")
        if not found:
            raise Unreadable("is empty")

    def _object(self) -> Iterator[Any]:
        try:
            value = self._walker.value(longest=_WHOLE)
        except TooLong:
            yield from self._large(self._page)
        else:
            yield from self._inside(value)

    def _inside(self, value: Any) -> Iterator[Any]:
        """The records of a page; anything else as it is."""
        refuse_short_form(value)
        found = value
        for name in self._page:
            found = found.get(name) if isinstance(found, Mapping) else None
        if isinstance(found, list):
            yield from found
        else:
            yield value

    def _large(self, page: tuple[str, ...]) -> Iterator[Any]:
        """A page that is larger than one would hold, walked through along the way to its list."""
        walker, found = self._walker, False
        if walker.next() != "{":
            raise Unreadable("has a record far larger than real ones")
        for name in walker.names():
            if name != page[0]:
                refuse_short_form({name: walker.value()})
            elif len(page) > 1:
                found = True
                yield from self._large(page[1:])
            elif walker.next() == "[":
                found = True
                yield from walker.elements()
            else:
                raise Unreadable("is not a page of a search: its records are no list")
        if not found:
            raise Unreadable("has a record far larger than real ones")


def refuse_others(record: Mapping[str, Any], kind: Kind) -> None:
    """Records of another kind show by their fields."""
    for other, signs in _SIGNS.items():
        if other != kind and not signs.isdisjoint(record):
            held, wanted, command = CALLED[other].many, CALLED[kind].many, build_command(other)
            raise Unreadable(f"holds {held}, not {wanted}", f"Build a pack of them with `{command}`.")


def refuse_short_form(value: Any) -> None:
    """Europe PMC's short results have no abstracts, and look like articles without one."""
    request = value.get("request") if isinstance(value, Mapping) else None
    if isinstance(request, Mapping) and request.get("resultType") in ("lite", "idlist"):
        raise Unreadable("was saved without abstracts (resultType=lite)", "Save the search again with resultType=core.")


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
