"""A conversation as a file: JSON for programs, Markdown for people.

Everything that a person or a model wrote is quoted and made harmless, so that no viewer runs it, loads something for
it, or takes a forged heading for one of ours.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, Literal

from docgemma import __version__
from docgemma.agent.cards import WAITING
from docgemma.entities.cutting import shortened
from docgemma.entities.printable import plain
from docgemma.orders.carding import grouped
from docgemma.orders.model import Check, Row, as_json
from docgemma.store.rows import Session, Turn

Format = Literal["json", "markdown"]

NOT_REVIEWED = (
    "Not reviewed. Made by software for professionals who verify it; not a medical device, and no part of a health "
    "record until a person enters it there."
)
_ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}
_ACTIVE = re.compile(r"[\\`*_{}\[\]|!~$#]")
_BEGINS = re.compile(r"^([ \t]*(?:\d{1,9}(?=[.)]))?)([-+=.)])", re.MULTILINE)
"""What makes a list, a line or a heading of the text behind it."""

_MOST_QUOTED = 600


def file_name(session_id: str, kind: Format) -> str:
    """Nothing about the patient: file names end up in logs, mails and lists of recent files."""
    return f"docgemma-{session_id}.{'json' if kind == 'json' else 'md'}"


def as_data(session: Session, turns: Sequence[Turn], rows: Mapping[str, Row], now: datetime) -> dict[str, Any]:
    """`turns` are the turn records as every other door gives them; one that has none yet tells its question."""
    patient = session.patient
    return {
        "notice": NOT_REVIEWED,
        "exported_at": now.isoformat(timespec="seconds"),
        "docgemma": __version__,
        "session": {
            "id": session.id,
            "title": session.title,
            "patient": {**patient.model_dump(mode="json"), "confirmed": patient.confirmed} if patient else None,
            "created_at": session.created_at,
            "updated_at": session.updated_at,
        },
        "turns": [turn.record or _unanswered(turn) for turn in turns],
        "orders": [as_json(row) for row in rows.values()],
    }


def _unanswered(turn: Turn) -> dict[str, Any]:
    return {
        "id": turn.id,
        "turn_id": turn.id,
        "session_id": turn.session_id,
        "created_at": turn.created_at,
        "query": turn.query,
        "status": turn.status,
    }


def as_markdown(session: Session, turns: Sequence[Turn], rows: Mapping[str, Row], now: datetime) -> str:
    patient = session.patient
    about = "no patient selected"
    if patient is not None:
        about = f"{safe(patient.banner or 'name not read')} (id {safe(patient.id)})"
        about += "" if patient.confirmed else ", looked up, not confirmed"
    head = [
        "# DocGemma conversation",
        "",
        f"**{NOT_REVIEWED}**",
        "",
        f"- Conversation: {safe(session.title) or 'without a title'} ({session.id})",
        f"- Patient: {about}",
        f"- Exported: {_minute(now.isoformat())}, DocGemma {__version__}",
    ]
    parts = [line for number, turn in enumerate(turns, 1) for line in _turn(number, turn, rows)]
    return "\n".join([*head, *parts, ""])


def _turn(number: int, turn: Turn, rows: Mapping[str, Row]) -> Iterator[str]:
    record = turn.record or {}
    person = turn.by == "person"
    yield ""
    yield f"## {number}. {'Decision of a person' if person else 'Question'}, {_minute(turn.created_at)}"
    yield ""
    yield from quoted(turn.query)
    if turn.image_id:
        yield from ("", "With an image.")
    if turn.record is None:
        said = "is being answered" if turn.status == "running" else "was not answered"
        yield from ("", f"*This question {said}.*")
        return
    yield from _listed("Notices", record.get("notices"))
    yield from ("", "### Receipt" if person else "### Answer", "", *quoted(_answer(record, rows)))
    if not person:
        yield from ("", f"Confidence: {safe(str(record.get('confidence')))}. Model: {safe(str(record.get('model')))}.")
    yield from _clarification(record.get("clarification"))
    yield from _sources(record.get("sources"))
    for card in _cards(record):
        yield from _order(card, rows)
    yield from _receipt(record.get("receipt"))


def _answer(record: Mapping[str, Any], rows: Mapping[str, Row]) -> str:
    """The text, but for "this entry waits" once that is past: how it stands now follows with the entry."""
    text = str(record.get("response") or "")
    made = [rows[card] for card in _cards(record) if card in rows]
    if not made or any(row.state == "proposed" for row in made):
        return text
    return "\n".join(line for line in text.splitlines() if not line.startswith(WAITING))


def _cards(record: Mapping[str, Any]) -> list[str]:
    made = record.get("approvals") or [record.get("approval")]
    return [str(card.get("id")) for card in made if isinstance(card, Mapping)]


def _listed(title: str, lines: object) -> Iterator[str]:
    if isinstance(lines, Sequence) and not isinstance(lines, str) and lines:
        yield from ("", f"### {title}", "", *(f"- {one_line(str(line))}" for line in lines))


def _clarification(asked: object) -> Iterator[str]:
    if isinstance(asked, Mapping):
        options = [str(option.get("label")) for option in asked.get("options") or () if isinstance(option, Mapping)]
        yield from _listed("Offered", options)


def _sources(sources: object) -> Iterator[str]:
    if not isinstance(sources, Sequence) or not sources:
        return
    yield from ("", "### Sources", "")
    for source in sources:
        if isinstance(source, Mapping):
            facts = ", ".join(one_line(str(source[key])) for key in ("kind", "date", "url") if source.get(key))
            yield f"- {one_line(str(source.get('id')))}: {one_line(str(source.get('title')))} ({facts})"
            if quote := source.get("quote"):
                yield f"  “{one_line(shortened(str(quote), _MOST_QUOTED))}”"


def _order(ident: str, rows: Mapping[str, Row]) -> Iterator[str]:
    """The card as the ledger has it now, with every check and who decided."""
    row = rows.get(ident)
    yield from ("", f"### Prepared entry {one_line(ident)}", "")
    if row is None:
        yield "This entry cannot be read in the ledger."
        return
    yield from quoted(row.card.text)
    yield ""
    yield from (_check(check) for check in grouped(row.card.checks))
    yield f"- State now: {row.state}, {_minute(row.updated_at)}"
    for what, decision, at in (("Approved", row.approval, row.approved_at), ("Decided", row.decision, row.decided_at)):
        if decision is not None and (what, decision) != ("Approved", row.decision):
            why = decision.override or decision.reason
            yield f"- {what} by {one_line(decision.who)}, {_minute(at)}{f': {one_line(why)}' if why else ''}"


def _check(check: Check) -> str:
    word = check.outcome.replace("_", " ").upper() if check.outcome != "passed" else "passed"
    return f"- {word}, {one_line(check.name)}: {one_line(check.detail)} {one_line(check.basis)}".rstrip(" :")


def _receipt(receipt: object) -> Iterator[str]:
    if isinstance(receipt, Mapping):
        yield from ("", f"By {one_line(str(receipt.get('by')))}, {_minute(str(receipt.get('at')))}.")
        if override := receipt.get("override"):
            yield from ("", f"Reason for going against a stop: {one_line(str(override))}")
        yield from _listed("Differences in the chart", receipt.get("differences"))


def _minute(text: str) -> str:
    return f"{text[:10]} {text[11:16]} UTC" if re.match(r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}", text) else one_line(text)


def safe(text: str) -> str:
    """The same words for a Markdown viewer, with nothing in them that it would obey.

    Angle brackets as entities: not every viewer knows that a backslash takes the power from them.
    """
    words = re.sub(r"[&<>]", lambda found: _ENTITIES[found[0]], plain(text))
    return _BEGINS.sub(r"\1\\\2", _ACTIVE.sub(r"\\\g<0>", words))


def one_line(text: str) -> str:
    return safe(" ".join(text.split()))


def quoted(text: str) -> list[str]:
    """As a block quote: whatever the text looks like, it stays inside."""
    return [f"> {line.strip()}  " if line.strip() else ">" for line in safe(text).splitlines()] or [">"]
