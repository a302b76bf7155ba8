"""Numbers, dates and names of articles as sources spell them, read without trust. What is not of its form is empty."""

from __future__ import annotations

import re
from datetime import date

from docgemma.sources.literature.markup import text_in

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
