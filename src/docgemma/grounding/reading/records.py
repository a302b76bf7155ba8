"""One record with named fields, of a JSON line, an array or a table, as criteria. Its text stays as it is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Literal

from docgemma.entities.printable import printable
from docgemma.grounding.contract import LONGEST_CRITERION, CriterionType
from docgemma.grounding.reading.blocks import split_block
from docgemma.grounding.reading.contract import LONGEST_CONTEXT, LONGEST_ID, Piece, Refused

Field = Literal["text", "id", "type", "protocol", "context", "block", "inclusion", "exclusion"]

_NAMES: dict[Field, str] = {
    "text": "text, criterion, criterion text, criteria text, criterion description, eligibility criterion, sentence",
    "id": "id, criterion id, criteria id, criterion number, criterion no, criterionid, key, uid",
    "type": "type, criterion type, criteria type, inclusion exclusion, inclusion/exclusion, ie, i/e, inc exc, category",
    "protocol": "protocol id, protocol, protocol number, nct id, nct number, nct, trial id, trial, study id, study",
    "context": "context, section, heading, parent",
    "block": "criteria, eligibility, eligibility criteria, criteria block, inclusion exclusion criteria",
    "inclusion": "inclusion criteria, inclusion",
    "exclusion": "exclusion criteria, exclusion",
}
"""As they are told apart without case, blanks and signs."""

_TYPES: dict[str, CriterionType] = {
    **dict.fromkeys(("inclusion", "include", "included", "inc", "incl", "in", "i", "inclusioncriteria"), "inclusion"),
    **dict.fromkeys(("inclusioncriterion", "eligible"), "inclusion"),
    **dict.fromkeys(("exclusion", "exclude", "excluded", "exc", "excl", "ex", "e", "exclusioncriteria"), "exclusion"),
    **dict.fromkeys(("exclusioncriterion", "ineligible"), "exclusion"),
    **dict.fromkeys(("", "unknown", "other", "na", "none", "null", "both", "unspecified"), "unknown"),
}


def folded(name: str) -> str:
    return "".join(char for char in name.casefold() if char.isalnum())


_KNOWN: dict[str, Field] = {folded(name): field for field, names in _NAMES.items() for name in names.split(",")}


def field_of(name: str) -> Field | None:
    return _KNOWN.get(folded(name))


def pieces(record: Mapping[str, Any], line: int) -> Iterator[Piece]:
    """The criteria of one record: its text, or the items of its eligibility block. Raises Refused."""
    fields = _fields(record)
    ident = _label(fields.get("id"), "id")
    protocol = _label(fields.get("protocol"), "protocol id")
    kind = type_of(fields.get("type"))
    if fields.get("text") is not None:
        text = checked_text(fields["text"])
        context = _string(fields.get("context"), "context")[:LONGEST_CONTEXT]
        yield Piece(line, text, kind, context, ident, protocol)
        return
    blocks = [(name, fields[name]) for name in ("block", "inclusion", "exclusion") if fields.get(name) is not None]
    if not blocks:
        raise Refused(f"There is no text. Name it 'text'; found were: {_found(record)}.")
    empty = True
    for name, value in blocks:
        side: CriterionType = "inclusion" if name == "inclusion" else "exclusion" if name == "exclusion" else kind
        for piece in split_block(_string(value, "criteria"), side):
            yield Piece(line, piece.text, piece.type, piece.context, "", protocol or ident)
            empty = False
    if empty:
        raise Refused(f"There is no criterion under {' or '.join(repr(name) for name, _ in blocks)}.")


def _fields(record: Mapping[str, Any]) -> dict[Field, Any]:
    fields: dict[Field, Any] = {}
    for name, value in record.items():
        field = field_of(name)
        if field is None or value is None:
            continue
        if field in fields and fields[field] != value:
            raise Refused(f"Two fields could be the {field}, and they differ. Keep one.")
        fields[field] = value
    return fields


def type_of(written: Any) -> CriterionType:
    """Also short forms. What is no type is refused: guessing could turn a criterion into its opposite."""
    found = _TYPES.get(folded(_string(written, "type")))
    if found is None:
        raise Refused("The type is neither inclusion nor exclusion. Write one of them, or leave it empty.")
    return found


def checked_text(written: Any) -> str:
    text = _string(written, "text")
    if not text.strip():
        raise Refused("The text is empty.")
    return within_limit(text)


def within_limit(text: str) -> str:
    if len(text) > LONGEST_CRITERION:
        raise Refused(
            f"The criterion has {len(text):,} characters; the most is {LONGEST_CRITERION:,}. Split it into its points."
        )
    return text


def _label(written: Any, name: str) -> str:
    if isinstance(written, int) and not isinstance(written, bool):
        written = str(written)
    text = _string(written, name).strip()
    if len(text) > LONGEST_ID or not text.isprintable() or printable(text) != text:
        raise Refused(f"The {name} is not up to {LONGEST_ID} printable characters.")
    return text


def _string(written: Any, name: str) -> str:
    if written is None:
        return ""
    if not isinstance(written, str):
        raise Refused(f"The {name} is not a string.")
    if not written.isascii() and any("\ud800" <= char <= "\udfff" for char in written):
        raise Refused(f"The {name} holds half a character. Save the file as UTF-8.")
    return written


def _found(record: Mapping[str, Any]) -> str:
    names = [f"'{printable(name)[:40]}'" for name in list(record)[:12]]
    return ", ".join(names) or "no fields"
