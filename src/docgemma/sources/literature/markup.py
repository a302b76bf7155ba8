"""The words of a title or an abstract, without the markup that sources leave in them.

Entities are undone and tags taken out, also where both were written twice ("&lt;i&gt;"). Only what is built like a tag
is one: in "P<0.05 and n>3" nothing is taken away. A raised number after another stays raised: 10⁹ is not 109.
"""

from __future__ import annotations

import re
from html import unescape

from docgemma.sources.openfda.texts import plain

_VALUE = r"(?:\"[^\"<>]{0,300}\"|'[^'<>]{0,300}'|[^\s\"'<>]{1,100})"
_ATTRIBUTES = rf"(?:\s{{1,9}}[\w:.-]{{1,40}}\s{{0,3}}=\s{{0,3}}{_VALUE}){{0,12}}"
_TAG = re.compile(rf"<(?P<close>/?)(?P<name>[A-Za-z][A-Za-z0-9:-]{{0,30}}){_ATTRIBUTES}\s{{0,3}}/?>")
_COMMENT = re.compile(r"<!--.{0,2000}?-->|<!\[CDATA\[|\]\]>", re.DOTALL)
_RAISED = re.compile(r"(?<=\d)<(?:jats:)?sup>\s{0,2}([-−–+]?\d{1,3})\s{0,2}</(?:jats:)?sup>", re.IGNORECASE)
_SUPERSCRIPT = str.maketrans("0123456789-−–+", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁻⁻⁺")
_HEADING = re.compile(
    r"<(?P<tag>(?:jats:)?(?:h[1-6]|title))>\s{0,9}(?P<heading>[^<>]{1,120})</(?P=tag)>", re.IGNORECASE
)
_INLINE = frozenset(
    [
        "i",
        "b",
        "em",
        "strong",
        "sub",
        "sup",
        "u",
        "span",
        "a",
        "sc",
        "italic",
        "bold",
        "underline",
        "small",
        "big",
        "font",
        "tt",
        "xref",
    ]
)
_LABEL = re.compile(
    r"(?:(?<=^)|(?<=[.!?)\]]\s)|(?<=[.!?)\]]))(?P<label>(?:[A-Z][A-Z' /&,-]{3,60}(?=:\s)"
    r"|(?:Background|Introduction|Context|Objectives?|Aims?|Purpose|Design|Setting|Methods?|Patients(?: and methods)?"
    r"|Participants|Interventions?|Main outcome measures?|Results|Findings|Discussion|Limitations?|Interpretation"
    r"|Conclusions?(?: and relevance)?|Authors?['’]? conclusions?|Implications)(?=:\s)))"
)
_MOST = 200_000

Sections = tuple[tuple[str, str], ...]


def text_in(markup: str) -> str:
    """The words alone, in one line."""
    found = markup[:_MOST]
    for _ in range(3):
        before = found
        found = unescape(_untagged(found))
        if found == before:
            break
    return plain(found)


def sections_in(abstract: str) -> Sections:
    """An abstract as (heading, text): by its heading tags, else by the labels in its text, else whole."""
    abstract = abstract[:_MOST]
    marked = unescape(abstract) if "<h" not in abstract and "&lt;h" in abstract else abstract
    headings = [*_HEADING.finditer(marked)]
    if not headings:
        return labelled(text_in(abstract))
    places = [*((heading.end(), heading["heading"]) for heading in headings)]
    ends = [*(heading.start() for heading in headings[1:]), len(marked)]
    found = [("", text_in(marked[: headings[0].start()]))]
    found += [(text_in(name), text_in(marked[start:end])) for (start, name), end in zip(places, ends, strict=True)]
    return tuple((heading.rstrip(" :."), text) for heading, text in found if text)


def labelled(text: str) -> Sections:
    """A text whose sections begin with "METHODS:" or "Conclusion:", taken apart there."""
    labels = [*_LABEL.finditer(text)]
    if len(labels) < 2:
        return (("", text),) if text else ()
    ends = [*(label.start() for label in labels[1:]), len(text)]
    found = [("", text[: labels[0].start()].strip())]
    found += [
        (label["label"].strip(), text[label.end() + 1 : end].strip()) for label, end in zip(labels, ends, strict=True)
    ]
    return tuple((heading, words) for heading, words in found if words)


def raised(number: str) -> str:
    """A power as it is printed."""
    return number.translate(_SUPERSCRIPT)


def _untagged(markup: str) -> str:
    found = _COMMENT.sub(" ", markup)
    found = _RAISED.sub(lambda match: raised(match[1]), found)
    return _TAG.sub(lambda tag: "" if tag["name"].lower().removeprefix("jats:") in _INLINE else " ", found)
