"""An SPL document, read without trust, as a Label with openFDA's names for its sections.

A document type is refused before anything in it is read, so that there are no entities to expand or to fetch. Depth,
number of elements and size have limits: a label needs none of them. As in openFDA's own files, a sub-section with a
code of its own is a field of its own and part of its parent's text; one without is part of the parent alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from xml.etree.ElementTree import Element, tostring

from docgemma.entities.tables import rows
from docgemma.ingest.xml_trees import BadMarkup, tree
from docgemma.sources.contract import Label
from docgemma.sources.openfda.record import ELEMENTS as ELEMENTS_FIELD
from docgemma.sources.openfda.record import page_of, says_safety, titled
from docgemma.sources.openfda.texts import is_set_id, iso_day, plain
from docgemma.sources.openfda.texts import name as name_in

_BLOCKS = frozenset(
    {"br", "caption", "component", "excerpt", "footnote", "highlight", "item", "list", "name", "paragraph", "section"}
) | {"suffix", "table", "td", "text", "th", "title", "tr"}
"""Elements that stand apart from the words around them; all others are inside a line."""
_UNSAID = frozenset({"observationMedia", "renderMultiMedia", "subject", "subject2"})


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


_UNCLASSIFIED = "spl_unclassified_section"
_PRODUCT_DATA = "48780-1"
_MOST_TEXT = 16 * 1024 * 1024
"""A section's text is part of its parent's too. Nested often enough, a small document would fill the memory."""


def label_in(document: bytes) -> Label:
    """The label of an SPL document. Raises BadMarkup for what is none."""
    root = tree(document)
    body = root.find("component/structuredBody")
    set_id = _attribute(root, "setId", "root")
    if root.tag != "document" or body is None or not is_set_id(set_id):
        raise BadMarkup("no SPL document")
    sections = _sections(body)
    products = [section for section in body.iter("section") if _code(section) == _PRODUCT_DATA]
    brands, generics, substances, others = _product_names(products)
    if products:
        sections[ELEMENTS_FIELD] = (" ".join((*brands, *generics, *substances, *others)),)
    manufacturer = name_in(root.findtext("author/assignedEntity/representedOrganization/name") or "")
    return Label(
        title=titled(brands, generics, sections, manufacturer),
        sections=sections,
        set_id=set_id,
        effective=iso_day(_attribute(root, "effectiveTime", "value")),
        brands=brands,
        generics=generics,
        substances=substances,
        manufacturer=manufacturer,
        product_type=name_in(_attribute(root, "code", "displayName")).removesuffix(" LABEL"),
        url=page_of(set_id),
        full=says_safety(sections),
    )


def _sections(body: Element) -> dict[str, tuple[str, ...]]:
    found: dict[str, list[str]] = {}
    left = _MOST_TEXT
    for section, nested in _coded(body, nested=False):
        code = _code(section)
        field = _fields().get(code, _UNCLASSIFIED)
        if not field or (nested and field == _UNCLASSIFIED):
            continue
        text = plain(prose(section))
        if text:
            found.setdefault(field, []).append(text)
        tables = [plain(markup(table)) for table in section.iter("table")]
        if tables:
            found.setdefault(f"{field}_table", []).extend(tables)
        left -= len(text) + sum(map(len, tables))
        if left < 0:
            raise BadMarkup("too much text")
    return {field: tuple(texts) for field, texts in found.items()}


@cache
def _fields() -> dict[str, str]:
    """openFDA's names of sections by their codes; empty for those that are left out."""
    return {row[0]: row[1] for row in rows("docgemma.sources.dailymed", "sections.tsv")}


def _coded(parent: Element, *, nested: bool) -> Iterator[tuple[Element, bool]]:
    """Every section, outer ones first, and whether it lies inside another."""
    for section in parent.iterfind("component/section"):
        yield section, nested
        yield from _coded(section, nested=True)


def _product_names(sections: Iterable[Element]) -> tuple[tuple[str, ...], ...]:
    """Brand, generic, active and other names, each once, as they are written."""
    brands: dict[str, None] = {}
    generics: dict[str, None] = {}
    active: dict[str, None] = {}
    others: dict[str, None] = {}
    for element in (element for section in sections for element in section.iter()):
        name = _name(element)
        if not name:
            continue
        if element.tag in ("manufacturedProduct", "manufacturedMedicine", "partProduct", "partMedicine"):
            brands[name] = None
        elif element.tag == "genericMedicine":
            generics[name] = None
        elif element.tag == "activeMoiety":
            active[name] = None
        elif element.tag.endswith("Substance"):
            others[name] = None
    return tuple(brands), tuple(generics), tuple(active), tuple(others)


def _name(element: Element) -> str:
    name = element.find("name")
    return "" if name is None else name_in(prose(name))


def _code(section: Element) -> str:
    return _attribute(section, "code", "code")


def _attribute(element: Element, child: str, name: str) -> str:
    found = element.find(child)
    return "" if found is None else found.get(name, "")
