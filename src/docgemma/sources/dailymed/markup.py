"""An XML document from outside as a tree, read without trust.

A document type is refused before anything in it is read, so that there are no entities to expand or to fetch. Depth,
number of elements and size have limits: a label needs none of them.
"""

from __future__ import annotations

from typing import NoReturn
from xml.etree.ElementTree import Element, TreeBuilder, tostring
from xml.parsers import expat

_DEEPEST = 120
_MOST_ELEMENTS = 400_000
_LARGEST = 8 * 1024 * 1024
_BLOCKS = frozenset(
    {"br", "caption", "component", "excerpt", "footnote", "highlight", "item", "list", "name", "paragraph", "section"}
) | {"suffix", "table", "td", "text", "th", "title", "tr"}
"""Elements that stand apart from the words around them; all others are inside a line."""
_UNSAID = frozenset({"observationMedia", "renderMultiMedia", "subject", "subject2"})


class BadMarkup(ValueError):
    """Not a document that can be read safely."""


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


def prose(element: Element) -> str:
    """All words in the order of the document; blocks are kept apart, what is inside a line is not."""
    parts: list[str] = []
    _collect(element, parts)
    return "".join(parts)


def _collect(element: Element, parts: list[str]) -> None:
    if element.tag in _UNSAID:
        return
    apart = element.tag in _BLOCKS
    if apart:
        parts.append(" ")
    if element.tag == "item" and element.find("caption") is None:
        parts.append("• ")
    parts.append(element.text or "")
    for child in element:
        _collect(child, parts)
        parts.append(child.tail or "")
    if apart:
        parts.append(" ")


def markup(element: Element) -> str:
    """An element as it is written, without what follows it."""
    tail, element.tail = element.tail, None
    try:
        return tostring(element, encoding="unicode")
    finally:
        element.tail = tail
