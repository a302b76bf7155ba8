"""One turn of a conversation as the page shows it: dangers first, then the answer, then what it rests on."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from markupsafe import Markup

from docgemma.agent.record import Clarification, ToolCall, TurnRecord
from docgemma.agent.telling import confidence, in_order, line_of, tells_gap
from docgemma.clinical import Confidence, Option, Source, TimelineStep
from docgemma.entities.choice import pick
from docgemma.entities.printable import plain
from docgemma.orders.model import Row
from docgemma.server.pages.answer import Block, as_blocks, as_html, by_model, numbered, remaining
from docgemma.server.pages.card import CardView, card_view, minute
from docgemma.server.pages.picture import Shown, shown_with
from docgemma.server.pages.words import BY, GRADES, KINDS, NOT_ON_CARD, ORIGINS, STATUSES, Grade, Graded, graded
from docgemma.store.rows import Turn

_SNAKE = re.compile(r"\b[a-z]+(?:_[a-z]+)+\b")
_RULE = re.compile(r"(?:(?<=\()|\A)[a-z]+(?:_[a-z]+)+: ")


@dataclass(frozen=True, slots=True)
class NoticeView:
    """Notices of one kind about one thing, together: seven contraindications are one box."""

    grade: Grade
    word: str
    about: str
    texts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SourceView:
    """`link` is empty unless it is an https address; any other address is shown as text."""

    number: str
    anchor: str
    kind: str
    title: str
    date: str
    link: str
    address: str
    quote: str


@dataclass(frozen=True, slots=True)
class LookUp:
    label: str
    status: str
    origin: str


@dataclass(frozen=True, slots=True)
class OptionView:
    """`say` is what the button sends: words that the agent is known to take for this option."""

    label: str
    say: str


@dataclass(frozen=True, slots=True)
class QuestionView:
    text: str
    options: tuple[OptionView, ...]
    live: bool


@dataclass(frozen=True, slots=True)
class StepView:
    label: str
    detail: str
    by: str
    tag: str
    time: str


@dataclass(frozen=True, slots=True)
class TurnView:
    """`kind`: an answer to a question, the receipt of a person's decision, or a turn that gave no answer."""

    id: str
    session_id: str
    kind: Literal["answer", "receipt", "ended"]
    query: str
    image_id: str
    at: str
    last: bool
    warnings: tuple[NoticeView, ...] = ()
    notes: tuple[NoticeView, ...] = ()
    html: Markup | None = None
    blocks: tuple[Block, ...] = ()
    above: bool = False
    """Everything that was found stands in the notices above, so that no text is left."""
    confidence: str = ""
    level: Confidence | Literal[""] = ""
    sources: tuple[SourceView, ...] = ()
    look_ups: tuple[LookUp, ...] = ()
    question: QuestionView | None = None
    suggestions: tuple[str, ...] = ()
    steps: tuple[StepView, ...] = ()
    cards: tuple[CardView, ...] = ()
    lost_cards: tuple[str, ...] = ()
    receipt: tuple[str, ...] = ()
    patient: str = ""
    model: str = ""
    calls: int = 0
    tokens: int = 0
    time: str = ""
    ended: Literal["failed", "interrupted", "stopped", "running", ""] = ""
    why: str = ""
    lang: str = "en"
    consult: bool = False
    pictures: tuple[Shown, ...] = ()


def turn_view(turn: Turn, rows: Mapping[str, Row], now: datetime, last: bool) -> TurnView:
    """`rows` are the ledger's, of the cards that the turn ended in. `last`: nothing was said after it."""
    if turn.record is None:
        return unanswered(turn, "interrupted" if turn.status == "done" else turn.status, last=last)
    record = TurnRecord.model_validate(turn.record)
    if turn.by == "person" and record.receipt is not None:
        return _receipt(turn, record, last)
    return _answered(turn, record, rows, now, last)


def _answered(turn: Turn, record: TurnRecord, rows: Mapping[str, Row], now: datetime, last: bool) -> TurnView:
    notices, lifted = _notices(record)
    cards = [(card, rows[card.id]) for card in record.cards if card.id in rows]
    text = remaining(record, rows, lifted)
    text, off_card = _off_card(text) if cards else (text, ())
    model, anchor = by_model(record), f"s-{turn.id}-"
    numbers = numbered([source.id for source in record.sources])
    urgent = record.consult is not None and bool(record.consult.urgent)
    sure = "" if urgent else confidence(record)  # nobody is to verify "call now" first
    return TurnView(
        id=turn.id,
        session_id=turn.session_id,
        kind="ended" if record.outcome == "unavailable" else "answer",
        query=plain(turn.query),
        image_id=turn.image_id or "",
        at=minute(turn.created_at),
        last=last,
        warnings=tuple(one for one in (*_grouped(map(graded, off_card)), *notices) if one.grade != "note"),
        notes=tuple(one for one in notices if one.grade == "note"),
        html=as_html(text, anchor, numbers) if model and text.strip() else None,
        blocks=() if model else as_blocks(text),
        above=bool(lifted) and not text.strip(),
        confidence=sure,
        level=record.confidence if sure else "",
        sources=tuple(_source(one, anchor, number) for one, number in zip(record.sources, numbers, strict=True)),
        look_ups=tuple(_look_up(call) for call in record.tool_calls if not cards or call.status != "proposed"),
        question=_question(record.clarification, last) if record.clarification else None,
        suggestions=tuple(plain(text) for text in record.suggestions),
        steps=tuple(step_view(step) for step in record.timeline),
        cards=tuple(card_view(row, now, card.sources) for card, row in cards),
        lost_cards=tuple(card.id for card in record.cards if card.id not in rows),
        patient=plain(record.patient.banner or record.patient.id) if record.patient else "",
        model="" if record.model == "rules" else plain(record.model),
        calls=record.llm_calls,
        tokens=record.tokens.prompt + record.tokens.completion,
        time=spent(record.duration_ms),
        ended="failed" if record.outcome == "unavailable" else "",
        lang=record.consult.language if record.consult else "en",
        consult=record.consult is not None or bool(turn.role),
        pictures=shown_with(record, turn),
    )


def unanswered(
    turn: Turn, ended: Literal["failed", "interrupted", "stopped", "running"], *, last: bool, why: str = ""
) -> TurnView:
    """A question whose answer never came: it says so, and can be run again while it is the last one."""
    return TurnView(
        id=turn.id,
        session_id=turn.session_id,
        kind="ended",
        query=plain(turn.query),
        image_id=turn.image_id or "",
        at=minute(turn.created_at),
        last=last,
        ended=ended,
        why=plain(why),
        consult=bool(turn.role),
    )


def _receipt(turn: Turn, record: TurnRecord, last: bool) -> TurnView:
    told = record.receipt or {}
    return TurnView(
        id=turn.id,
        session_id=turn.session_id,
        kind="receipt",
        query=plain(record.query),
        image_id="",
        at=minute(record.created_at),
        last=last,
        receipt=tuple(line for line in plain(str(told.get("text") or record.response)).splitlines() if line.strip()),
        level=record.confidence,
        why=plain(str(told.get("order_id") or "")),
    )


def _notices(record: TurnRecord) -> tuple[tuple[NoticeView, ...], frozenset[str]]:
    """The notices by gravity, and the lines of the response that they are: those stand in one place only."""
    told: list[Graded] = []
    lifted: set[str] = set()
    response = record.response
    urgent = (record.consult.urgent if record.consult else record.urgent) or ""
    if urgent:
        lines = [line for line in urgent.splitlines() if line.strip()]
        told += (Graded("danger", "URGENT", "", plain(line)) for line in lines)
        lifted.update(lines)
    for notice in dict.fromkeys(in_order(record.notices)):
        if tells_gap(notice, response) or notice == urgent:
            continue
        line = line_of(notice, response)
        if line:
            lifted.add(line)
        told.append(graded(plain(notice)))
    return _grouped(told), frozenset(lifted)


def _off_card(text: str) -> tuple[str, tuple[str, ...]]:
    """What was said and is not on the card must not be a line among others."""
    lines = text.splitlines()
    off = tuple(line for line in lines if line.startswith(NOT_ON_CARD))
    return "\n".join(line for line in lines if line not in off), off


def _grouped(told: Iterable[Graded]) -> tuple[NoticeView, ...]:
    found: dict[tuple[Grade, str, str], list[str]] = {}
    for one in told:
        found.setdefault((one.grade, one.word, one.about), []).append(one.text)
    views = [NoticeView(grade, word, about, tuple(texts)) for (grade, word, about), texts in found.items()]
    return tuple(sorted(views, key=lambda view: GRADES.index(view.grade)))


def _question(asked: Clarification, last: bool) -> QuestionView:
    options = tuple(OptionView(plain(option.label), said_for(option, asked.options)) for option in asked.options)
    return QuestionView(plain(asked.question), options, last)


def said_for(option: Option, options: Sequence[Option]) -> str:
    """What to send for this option so that it is understood: its own words, which fit no other question, before its
    number, which would.
    """
    number = str(options.index(option) + 1)
    return next((text for text in (option.label, option.value, number) if pick(text, options) == option), number)


def _source(source: Source, anchor: str, number: str) -> SourceView:
    address = plain(source.url or "")
    return SourceView(
        number=number,
        anchor=f"{anchor}{number}",
        kind=KINDS[source.kind],
        title=plain(source.title),
        date=plain(source.date or ""),
        link=address if address.startswith("https://") else "",
        address=address,
        quote=plain(source.quote or ""),
    )


def _look_up(call: ToolCall) -> LookUp:
    return LookUp(plain(call.label), STATUSES[call.status], ORIGINS[call.origin] if call.origin else "")


def step_view(step: TimelineStep) -> StepView:
    """A step in clinical words: the names that rules have among programmers stay out."""
    detail = _SNAKE.sub(lambda found: found[0].replace("_", " "), _RULE.sub("", plain(step.detail)))
    return StepView(plain(step.label), detail, step.by, BY[step.by], spent(step.ms))


def spent(ms: float) -> str:
    return f"{ms / 1000:.1f} s" if ms >= 1000 else f"{ms:.0f} ms"
