"""XML from outside, read without trust: nothing that it declares is used, and depth, size and number are limited."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NoReturn, cast
from xml.etree.ElementTree import Element, ParseError, TreeBuilder, XMLPullParser
from xml.parsers import expat

_DEEPEST = 120
_MOST_ELEMENTS = 400_000
_LARGEST = 8 * 1024 * 1024
_CHUNK = 1 << 18


class BadMarkup(ValueError):
    """Not a document that can be read safely."""


class TooMuchMarkup(BadMarkup):
    """Larger or deeper than anything real."""


def tree(document: bytes, *, named_type: bool = False) -> Element:
    """The root element; names without their namespace.

    `named_type`: a document type may be named, as PubMed does. Nothing of it is read: one that declares anything itself
    is refused as ever, and so is a document that needs an entity of it.
    """
    if len(document) > _LARGEST:
        raise BadMarkup("too large")
    building = _Building()
    parser = expat.ParserCreate(namespace_separator=" ")
    parser.buffer_text = True
    parser.StartElementHandler = building.start
    parser.EndElementHandler = building.end
    parser.CharacterDataHandler = building.data
    parser.StartDoctypeDeclHandler = _named_only if named_type else _refused
    parser.SkippedEntityHandler = _refused
    parser.EntityDeclHandler = _refused
    parser.ExternalEntityRefHandler = _refused
    try:
        parser.Parse(document, True)
    except (expat.ExpatError, ValueError, LookupError) as error:
        raise BadMarkup("not well formed") from error
    return building.root()


class _Building:
    def __init__(self) -> None:
        self._builder = TreeBuilder()
        self._depth = 0
        self._count = 0

    def start(self, name: str, attributes: dict[str, str]) -> None:
        self._depth += 1
        self._count += 1
        if self._depth > _DEEPEST or self._count > _MOST_ELEMENTS:
            raise BadMarkup("too deep or too many elements")
        self._builder.start(_local(name), {_local(key): value for key, value in attributes.items()})

    def end(self, name: str) -> None:
        self._depth -= 1
        self._builder.end(_local(name))

    def data(self, text: str) -> None:
        self._builder.data(text)

    def root(self) -> Element:
        return self._builder.close()


def _local(name: str) -> str:
    return name.rpartition(" ")[2]


def _refused(*_: object) -> NoReturn:
    raise BadMarkup("a document type")


def _named_only(name: str, system_id: str | None, public_id: str | None, declares: int) -> None:
    if declares:
        _refused()


def children(head: bytes, read: Callable[[int], bytes], *, largest: int, deepest: int) -> Iterator[Element]:
    """Every child of the root, one at a time; it is emptied behind the caller. Raises BadMarkup.

    `head`: the beginning, that was seen to declare nothing. `largest`: bytes of one child.
    """
    parser: XMLPullParser[Element] = XMLPullParser(("start", "end"))
    depth = since = 0
    root: Element | None = None
    data = head
    while data:
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
            raise BadMarkup("not well formed") from None
        if depth > deepest or since > largest:
            raise TooMuchMarkup("too large or too deep")
        data = read(_CHUNK)
    if depth or root is None:
        raise BadMarkup("not well formed")
