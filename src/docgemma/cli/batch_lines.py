"""The lines of a batch: each is a question or says why it cannot be one. Read as a stream, whatever their size."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from docgemma.cli.options import GRAPHS
from docgemma.cli.reading import MAX_BYTES, checked_question, proper_text
from docgemma.errors import BadInput
from docgemma.ingest.json_values import BadJson, line_value
from docgemma.ingest.text import ByteLine, byte_lines

if TYPE_CHECKING:
    from docgemma.clinical import GraphName

MAX_LINE_BYTES = 8 * MAX_BYTES  # JSON may spell every character as an escape
MAX_ID = 200
KEYS = ("id", "query", "patient_id", "patient", "image", "role", "history")
MOST_EARLIER = 8
"""What a mistyped key is compared with. Not `graph`: too many notes of a sender's own resemble it."""


@dataclass(frozen=True, slots=True)
class BatchLine:
    """One line. `key` stands for its content, so that a finished line is known again when a batch is resumed."""

    number: int
    key: str
    id: str | None = None
    query: str = ""
    patient_id: str | None = None
    image: Path | None = None
    role: str | None = None
    graph: GraphName | None = None
    history: tuple[str, ...] = ()
    """The user's earlier messages: asked first, in the same session."""
    unknown: tuple[str, ...] = ()
    """Keys that are none of ours: the sender's own notes, named once on stderr."""
    error: str | None = None


def read_lines(stream: BinaryIO, folder: Path) -> Iterator[BatchLine]:
    """Every line that is not blank. Image paths are relative to the folder."""
    seen: set[str] = set()
    for line in byte_lines(stream, MAX_LINE_BYTES):
        number, digest = line.number, hashlib.sha256(line.data).hexdigest()[:32]
        ident: str | None = None
        try:
            fields = _fields(line)
            ident = _ident(fields)
            _refuse_mistyped(fields)
            if ident in seen:
                raise BadInput("This id was already used by an earlier line.")
            yield BatchLine(
                number,
                digest,
                ident,
                checked_question(_text(fields, "query", required=True)),
                _patient(fields),
                folder / image if (image := _text(fields, "image")) else None,
                _text(fields, "role", required=True) if "role" in fields else None,
                _graph(fields),
                _history(fields),
                tuple(key[:40] for key in fields if key not in (*KEYS, "graph")),
            )
        except BadInput as error:
            yield BatchLine(number, f"!{digest}", ident, error=str(error))
        if ident is not None:
            seen.add(ident)


def count_lines(path: Path) -> int:
    """How many lines there are to do, for the progress display."""
    with path.open("rb") as stream:
        return sum(1 for _ in byte_lines(stream, MAX_LINE_BYTES))


def _fields(line: ByteLine) -> dict[str, Any]:
    if line.cut:
        raise BadInput(f"The line is longer than {MAX_LINE_BYTES:,} bytes.")
    try:
        fields = line_value(line.number, line.data.decode()).value
    except UnicodeDecodeError:
        raise BadInput("The line is not UTF-8 text.") from None
    except BadJson:
        raise BadInput("The line is not valid JSON.") from None
    if not isinstance(fields, dict):
        raise BadInput('The line is not a JSON object such as {"id": "1", "query": "…"}.')
    return fields


def _patient(fields: dict[str, Any]) -> str | None:
    """`patient` is what the record and the option call it; both may be given if they agree."""
    given = {name for name in (_text(fields, "patient_id"), _text(fields, "patient")) if name}
    if len(given) > 1:
        raise BadInput("'patient_id' and 'patient' name two patients. Give one.")
    return given.pop() if given else None


def _graph(fields: dict[str, Any]) -> GraphName | None:
    """A line may be worked through by another graph than the rest; a consultation has one of its own."""
    named = _text(fields, "graph")
    if not named:
        return None
    if named not in GRAPHS:
        raise BadInput(f"'graph' should be one of: {', '.join(GRAPHS)}.")
    return named


def _history(fields: dict[str, Any]) -> tuple[str, ...]:
    """Strings, or objects with `role` and `content`, of which the user's are taken."""
    given = fields.get("history")
    if given is None:
        return ()
    if not isinstance(given, list):
        raise BadInput("'history' should be a list of the user's earlier messages.")
    said: list[str] = []
    for entry in given:
        if isinstance(entry, dict) and isinstance(entry.get("content"), str) and isinstance(entry.get("role"), str):
            said += [entry["content"]] if entry["role"] == "user" else []
        elif isinstance(entry, str):
            said.append(entry)
        else:
            raise BadInput("'history' holds messages as strings, or as objects with 'role' and 'content'.")
    if len(said) > MOST_EARLIER:
        raise BadInput(f"'history' has {len(said)} messages; at most {MOST_EARLIER} are asked. Give the last ones.")
    if said and fields.get("role"):
        raise BadInput("'history' goes with questions without a 'role'.")
    return tuple(checked_question(proper_text(text)) for text in said)


def _refuse_mistyped(fields: dict[str, Any]) -> None:
    """A mistyped key passed over in silence could be the patient: the answer would be about nobody.

    Keys that resemble none of ours are the sender's own notes, such as the expected answer, and are left alone.
    """
    for key in fields:
        if key not in KEYS:
            from docgemma.config import did_you_mean

            if hint := did_you_mean(key, KEYS):
                raise BadInput(f"The line has an unknown key '{key[:40]}'. {hint}")


def _ident(fields: dict[str, Any]) -> str | None:
    value = fields.get("id")
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value)
    if value is not None and (not isinstance(value, str) or not 0 < len(value) <= MAX_ID or not value.isprintable()):
        raise BadInput(f"'id' should be a string of 1 to {MAX_ID} printable characters.")
    return value


def _text(fields: dict[str, Any], name: str, *, required: bool = False) -> str:
    value = fields.get(name)
    if value is None and not required:
        return ""
    if value is None:
        raise BadInput(f"'{name}' is missing.")
    if not isinstance(value, str):
        raise BadInput(f"'{name}' should be a string.")
    if required and not value.strip():
        raise BadInput(f"'{name}' is empty.")
    return proper_text(value)
