"""The records in the files of a service: JSON in pages, lists or a row, and the citations in PubMed's XML.

A document type may name PubMed's own definition, which is never fetched, but define nothing itself: so there are no
entities to expand. Depth and size have limits that no citation comes near to.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, BinaryIO
from xml.etree.ElementTree import Element

from docgemma.ingest.json_values import json_values
from docgemma.ingest.xml_trees import BadMarkup, TooMuchMarkup, children
from docgemma.sources.pack.manifest import CALLED, Kind, build_command
from docgemma.sources.pack.parts import Unreadable, valid_json

_SIGNS: dict[Kind, frozenset[str]] = {
    "ctgov": frozenset({"protocolSection", "studies"}),
    "europepmc": frozenset({"pubType", "pubTypeList", "authorString", "resultList"}),
    "openfda": frozenset({"openfda", "spl_product_data_elements", "results"}),
}


def json_records(stream: BinaryIO, page: tuple[str, ...]) -> Iterator[Any]:
    """The records of JSON of any of these shapes. `page` is where in a page the list of records is.

    None for a record that holds half a character, or a number that JSON does not have (NaN, Infinity).
    """
    with valid_json():
        for found in json_values(stream, page, several=True):
            if found.kind != "record":
                refuse_short_form(found.value)
            if found.kind != "page":
                yield None if found.half or found.odd else found.value


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
_LARGEST = 32_000_000
_DEEPEST = 60


def citations(read: Callable[[int], bytes]) -> Iterator[Element]:
    """Every child of the root: PubmedArticle, PubmedBookArticle, DeleteCitation."""
    try:
        yield from children(_head(read), read, largest=_LARGEST, deepest=_DEEPEST)
    except TooMuchMarkup:
        raise Unreadable("has a citation far larger or deeper than real ones") from None
    except BadMarkup:
        raise Unreadable("is cut off, or not valid XML") from None


def _head(read: Callable[[int], bytes]) -> bytes:
    """The beginning of the file, once it is seen to be PubMed's and to define nothing."""
    head = b""
    while len(head) < _LONGEST_PROLOG and (data := read(_LONGEST_PROLOG)):
        head += data
    if not _PROLOG.match(head):
        raise Unreadable("is XML, but not a file of PubMed", "Give PubMed's baseline or update files.")
    return head
