"""What a coded thing is called: the words of the one who recorded it, else the code's, else the bare code."""

from __future__ import annotations

import re
from collections.abc import Iterator

from docgemma.ehr.chart.recorded.fields import NAME, Node, code, listed, node, nodes, plain
from docgemma.ehr.folding import fold_words

LOINC = "http://loinc.org"
_HIERARCHY = re.compile(
    r" \((?:disorder|finding|procedure|situation|substance|product|event|regime/therapy|record artifact"
    r"|observable entity|morphologic abnormality|physical object|qualifier value|body structure)\)$"
)
"""SNOMED CT's own mark of what kind a name is: it tells a reader nothing."""


def concept(value: object, most: int = NAME) -> str:
    """One name: text, else display, else "code 123". A bare string, which some servers send, is taken as text."""
    known = _as_concept(value)
    text = _called(known.get("text"), most)
    return text or next(_displays(known, most), "") or _bare_code(known)


def full_concept(value: object, most: int = NAME) -> str:
    """The name, and the code's own words beside it where they say something else: "PCN (coded as Penicillin G)".

    For drugs and allergens: whoever reads it must see when words and code disagree.
    """
    known = _as_concept(value)
    text, display = _called(known.get("text"), most), next(_displays(known, most), "")
    if not text or not display:
        return text or display or _bare_code(known)
    said, meant = set(fold_words(text)), set(fold_words(display))
    return text if meant <= said else display if said <= meant else f"{text} (coded as {display})"


def called(value: object, most: int = 600) -> tuple[str, ...]:
    """Every name that is given, whole: the words first, then those of the codes. None for a bare code."""
    known = _as_concept(value)
    return tuple(dict.fromkeys(name for name in (_called(known.get("text"), most), *_displays(known, most)) if name))


def codings(value: object) -> list[Node]:
    return nodes(_as_concept(value).get("coding"))


def coded(value: object, system: str = "") -> list[str]:
    """Its codes, of one system where it is named."""
    return [
        known
        for coding in codings(value)
        if (not system or coding.get("system") == system) and (known := code(coding.get("code")))
    ]


def statuses(value: object) -> list[str]:
    """The codes of a status. Servers that speak an older dialect send the bare word."""
    return [code(value)] if isinstance(value, str) and value.strip() else coded(value)


def first_concept(value: object, most: int = NAME) -> str:
    """The first name in a list of them."""
    return next((name for part in listed(value) if (name := concept(part, most))), "")


def _as_concept(value: object) -> Node:
    return {"text": value} if isinstance(value, str) else node(value)


def _displays(known: Node, most: int) -> Iterator[str]:
    """The chosen coding first."""
    for coding in sorted(nodes(known.get("coding")), key=lambda each: each.get("userSelected") is not True):
        display = _called(coding.get("display"), most)
        if display:
            yield display


def _called(value: object, most: int) -> str:
    return _HIERARCHY.sub("", plain(value, most))


def _bare_code(known: Node) -> str:
    return next((f"code {bare}" for each in nodes(known.get("coding")) if (bare := plain(each.get("code"), 40))), "")
