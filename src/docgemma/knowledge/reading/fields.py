"""The rules for each field of an entry. What breaks one is refused with a sentence for whoever keeps the file."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from datetime import date
from functools import lru_cache
from urllib.parse import urlsplit

from docgemma.entities.instructions import instructions_in
from docgemma.entities.printable import printable
from docgemma.ingest.formulas import is_formula
from docgemma.ingest.hygiene import active, cleaned, hidden, mixed, piled, stands_in
from docgemma.knowledge.entry import (
    ID,
    LONGEST_ANSWER,
    LONGEST_QUESTION,
    LONGEST_SOURCE,
    LONGEST_TOPIC,
    LONGEST_URL,
    ROLE,
    Language,
)
from docgemma.knowledge.reading.columns import folded
from docgemma.knowledge.reading.contract import Cell, Field

_LONGEST: dict[Field, int] = {
    "question": LONGEST_QUESTION,
    "answer": LONGEST_ANSWER,
    "topic": LONGEST_TOPIC,
    "subtopic": LONGEST_TOPIC,
    "source": LONGEST_SOURCE,
    "url": LONGEST_URL,
}
_NAMED: dict[Field, str] = {"reviewed": "date of review", "url": "link"}
_OF_ONE_LINE: frozenset[Field] = frozenset({"question", "topic", "subtopic", "source"})
_LANGUAGES: dict[str, Language] = {
    **dict.fromkeys(("en", "eng", "english", "enus", "engb", "tienganh"), "en"),
    **dict.fromkeys(("vi", "vie", "vietnamese", "vivn", "tiengviet"), "vi"),
}
_ID = re.compile(ID)
_ROLE = re.compile(ROLE)
_URL = re.compile(r"https?://[^\s<>\"\\]+", re.IGNORECASE)
_HOST = re.compile(r"[^\W_](?:[\w.-]{0,251}[^\W_])?\.?|[0-9a-fA-F:.]{2,45}")
_QUOTED = 120
_SHORT = LONGEST_SOURCE


class Refused(ValueError):
    """One sentence or two: what is wrong with the row, and what to do."""


def called(field: Field) -> str:
    return _NAMED.get(field, field)


def text(field: Field, written: Cell, *, allow_orders: bool) -> str:
    """The field's text as it may be kept; "" where there is none."""
    if isinstance(written, date):
        raise Refused(f"The {called(field)} is a date. Write it as text.")
    if not written:
        return ""
    kept = cleaned(written)
    if field in _OF_ONE_LINE:
        kept = " ".join(kept.split())
    most = _LONGEST.get(field)
    if most is not None and len(kept) > most:
        raise Refused(f"The {called(field)} has {len(kept):,} characters; the most is {most:,}. Shorten or split it.")
    reason = _wrong_before(kept) if len(kept) <= _SHORT else _wrong(kept)
    if reason is None and field in _LONGEST and not allow_orders:
        reason = _orders_before(kept) if len(kept) <= _SHORT else _orders(kept)
    if reason is not None:
        raise Refused(f"The {called(field)} {reason}")
    return kept


def _wrong(kept: str) -> str | None:
    if character := hidden(kept):
        return f"holds a hidden character ({character}). Remove it: what nobody sees, nobody reviews."
    if is_formula(kept):
        return "is a formula. Paste its value as text."
    if found := active(kept):
        return f"holds '{found}', which a browser would run. Remove it."
    if stands_in(kept):
        return "holds a link with a name before the host (name@host). Write the address without it."
    if word := mixed(kept):
        return f"holds a word with letters of two scripts ({_codes(word)}). Write it in one."
    if piled(kept):
        return "holds marks piled upon each other. Write plain letters."
    return None


def _codes(word: str) -> str:
    """The word as it looks, and by code what does not belong to it."""
    odd = next(char for char in word if mixed(f"a{char}"))
    return f"'{_quoted(word[:40])}', U+{ord(odd):04X} {unicodedata.name(odd, 'letter').lower()}"


def _orders(kept: str) -> str | None:
    orders = instructions_in(kept)
    return f"reads like orders to a program: “{_quoted(orders[0])}”. Reword or remove it." if orders else None


_wrong_before = lru_cache(maxsize=4_096)(_wrong)
_orders_before = lru_cache(maxsize=4_096)(_orders)
"""Topics and sources are the same for thousands of rows."""


def role(written: str) -> str:
    if not written:
        raise Refused("There is no role. Add a column for it, or give --role for all rows.")
    if not _ROLE.fullmatch(written):
        raise Refused(
            f"The role '{_quoted(written)}' is no id of a role. Write it in small letters, digits and underscores, "
            "such as patient_diabetes."
        )
    return written


def language(written: str, question: str, answer: str) -> Language:
    """As the row or the operator says; only where nobody does, by the words of the text."""
    from docgemma.knowledge.safety.language import detect

    if written:
        said = _LANGUAGES.get(folded(written))
        if said is None:
            raise Refused(f"The language '{_quoted(written)}' is not one of: en, vi.")
        return said
    found = detect(f"{question}\n{answer}")
    if found is None:
        raise Refused("The language is not clear. Add a column for it, or give --language en or vi for all rows.")
    return found


def identifier(written: str) -> str:
    if written and not _ID.fullmatch(written):
        raise Refused(
            f"The id '{_quoted(written)}' cannot be used. Write up to 80 letters, digits and . _ : - beginning with a "
            "letter or digit, or leave it empty."
        )
    return written


def url(written: str) -> str:
    if written and not _is_address(written):
        raise Refused("The link is no web address. Begin it with https:// and write it without blanks.")
    return written[:8].lower() + written[8:]


def _is_address(written: str) -> bool:
    """With a host of its own, and nothing before it that could be taken for the host."""
    if _URL.fullmatch(written) is None:
        return False
    try:
        parts = urlsplit(written)
        return parts.port != 0 and _HOST.fullmatch(parts.hostname or "") is not None and "@" not in parts.netloc
    except ValueError:
        return False


def needed(values: Mapping[Field, str], field: Field, advice: str) -> str:
    value = values[field]
    if not value:
        raise Refused(f"There is no {called(field)}. {advice}")
    return value


def _quoted(written: str) -> str:
    flat = " ".join(printable(written).split())
    return flat if len(flat) <= _QUOTED else f"{flat[: _QUOTED - 1].rstrip()}…"
