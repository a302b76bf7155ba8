"""Names of sessions, turns and images: short enough to type, too many to guess."""

from __future__ import annotations

import re
import secrets

from docgemma.errors import BadInput, UnknownId
from docgemma.seal import BRIEF, CONTENT
from docgemma.store.database import Cursor, Row

_LETTERS = "0123456789abcdefghjkmnpqrstvwxyz"  # no i, l, o, u: they are misread
_PLAIN = re.compile(r"[A-Za-z0-9._:-]{1,128}")


def new_session_id() -> str:
    """Twelve letters, 60 bits."""
    return "".join(secrets.choice(_LETTERS) for _ in range(12))


def session_id_for(owner: str, turn_id: str) -> str:
    """The session that a question with an id of its own opens: the same one when the question is sent twice."""
    digest = int(CONTENT.of(f"{turn_id}\0{owner}")[:16], 16)
    return "".join(_LETTERS[digest >> shift & 31] for shift in range(0, 60, 5))


def new_image_id(
    session_id: str | None, data: bytes, facts: str = "", depth: bytes | None = None, frames: bytes | None = None
) -> str:
    """From the bytes and the session, so that an id tells nothing about what another session holds."""
    more = [bytes.fromhex(CONTENT.of(each)) for each in (facts, depth) if each]
    if frames:  # with a word before them: the same bytes as depth are another image
        more += b"frames", bytes.fromhex(CONTENT.of(frames))
    return "img-" + BRIEF.of(session_id or "", b"\0", data, *more)


def usable_id(text: str) -> str:
    """An id that somebody else chose for something new."""
    if not _PLAIN.fullmatch(text):
        raise BadInput("An id has 1 to 128 letters, digits, dots, colons, dashes or underscores.")
    return text


def asked_id(kind: str, text: str) -> str:
    """An id that somebody asks for: what cannot be an id is unknown, and never reaches the database."""
    if not _PLAIN.fullmatch(text):
        raise unknown(kind, text)
    return text


def find(cursor: Cursor, kind: str, id_: str, sql: str) -> Row:
    """The row that this statement gives for an id. UnknownId where there is none."""
    row = cursor.row(sql, (asked_id(kind, id_),))
    if row is None:
        raise unknown(kind, id_)
    return row


def unknown(kind: str, text: str) -> UnknownId:
    shown = text if _PLAIN.fullmatch(text) else "of that form"
    return UnknownId(f"There is no {kind} {shown}.")
