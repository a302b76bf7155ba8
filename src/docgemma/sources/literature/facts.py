"""Titles, abstracts, numbers, dates and names of articles as sources spell them, read without trust.

What is not of its form is empty. Entities are undone and tags taken out, also where both were written twice
("&lt;i&gt;"). Only what is built like a tag is one: in "P<0.05 and n>3" nothing is taken away. A raised number after
another stays raised: 10⁹ is not 109.
"""

from __future__ import annotations

import re
from datetime import date
from html import unescape

from docgemma.entities.words import word_set
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
_INLINE = word_set("i b em strong sub sup u span a sc italic bold underline small big font tt xref")
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


LONGEST_TITLE = 500
LONGEST_NAME = 200

_PMID = re.compile(r"[1-9]\d{0,8}", re.ASCII)
_PMCID = re.compile(r"PMC[1-9]\d{0,9}", re.ASCII)
_DOI = re.compile(r"10\.\d{4,9}/[\w.()/:;<>+\[\]-]{1,200}", re.ASCII)
_DATE = re.compile(r"(\d{4})(?:-(\d{1,2})(?:-(\d{1,2}))?)?", re.ASCII)
_RETRACTED = re.compile(r"\W{0,3}(?:retracted|withdrawn)(?:\s(?:article|paper|chapter))?\W", re.IGNORECASE)
_NOTICE = re.compile(
    r"\W{0,3}(?:(?:partial\s)?retraction(?:\s(?:notice|note|statement))?\s?(?::|\sto\b|$)|retraction notice\b"
    r"|notice of retraction\b|statement of retraction\b|withdrawal notice\b)",
    re.IGNORECASE,
)
_ADDED = re.compile(
    r"[(\[](?:retracted|withdrawn)(?:\s(?:article|paper|publication))?[)\]]\W{0,3}$"
    r"|(?:article|paper|study)\s(?:has\sbeen|was|is)\s(?:retracted|withdrawn)\b",
    re.IGNORECASE,
)
"""Behind the title, or as a sentence."""

_FIRST_YEAR, _LAST_YEAR = 1600, 2200
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")


def pmid(value: object) -> str:
    text = str(value) if isinstance(value, int) and not isinstance(value, bool) else value
    return text.strip() if isinstance(text, str) and _PMID.fullmatch(text.strip()) else ""


def pmcid(value: object) -> str:
    text = value.strip().upper() if isinstance(value, str) else ""
    return text if _PMCID.fullmatch(text) else ""


def doi(value: object) -> str:
    text = value.strip().lower() if isinstance(value, str) else ""
    text = re.sub(r"^(?:https?://(?:dx\.)?doi\.org/|doi:\s?)", "", text)
    return text if _DOI.fullmatch(text) else ""


def count(value: object) -> int | None:
    """A number of things, also one that is sent as text."""
    if isinstance(value, str) and value.strip().isdecimal() and len(value.strip()) < 12:
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 10**12 else None


def day(value: object) -> str:
    """YYYY, YYYY-MM or YYYY-MM-DD, as far as it is a date; "2024-02-31" is known to the month."""
    found = _DATE.fullmatch(value.strip()) if isinstance(value, str) else None
    if found is None or not _FIRST_YEAR <= int(found[1]) <= _LAST_YEAR:
        return ""
    year, month, of_month = found[1], int(found[2] or 0), int(found[3] or 0)
    if not 1 <= month <= 12:
        return year
    try:
        return date(int(year), month, of_month).isoformat() if of_month else f"{year}-{month:02d}"
    except ValueError:
        return f"{year}-{month:02d}"


def month(value: str) -> str:
    """The number of a month that may be written as a word; empty for what is none."""
    text = value.strip()
    if text.isdecimal():
        return text if 1 <= int(text[:4]) <= 12 else ""
    low = text[:3].lower()
    return str(_MONTHS.index(low) + 1) if low in _MONTHS else ""


def title(value: object) -> str:
    return text_in(value)[:LONGEST_TITLE].strip() if isinstance(value, str) else ""


def name(value: object) -> str:
    return text_in(value)[:LONGEST_NAME].strip() if isinstance(value, str) else ""


def says_retracted(words: str) -> bool:
    """Whether a title is that of a retracted article, or of the notice that retracts one. Publishers write it there
    long before an index marks it.
    """
    return bool(_RETRACTED.match(words) or _NOTICE.match(words) or _ADDED.search(words))
