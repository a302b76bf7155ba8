"""A turn record as lines for a terminal. Pure: a style is a word here, and colour only where the screen decides so."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from docgemma.agent.record import Approval, Clarification, TimelineStep, TurnRecord
from docgemma.clinical import Confidence, Patient, Source

Style = Literal["plain", "strong", "warning", "dim"]

CONFIDENCE: dict[Confidence, str] = {
    "high": "High confidence: every look-up this needed was answered in full.",
    "medium": "Medium confidence: check the sources before acting on it.",
    "low": "Low confidence: verify it independently before acting on it.",
}

# Control codes could move the cursor, recolour or hide text; bidirectional marks could reorder a dose.
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]")
_QUOTE_LENGTH = 300
FIRST = "Allergy conflict"
"""How a notice begins that stands above all others."""

_HEADING = re.compile(
    r"\A(?:Interaction: |The label on this pair: |(Boxed warning|Contraindicated) \(.{1,200}?\)(?=: ))"
)
"""What a notice says before the finding, and a section of a composed answer says in its title."""


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the screen; `text` is already safe to print. A terminal that must break it indents by `hang`."""

    text: str = ""
    style: Style = "plain"
    hang: int = 0


def clean(text: str) -> str:
    """The text without anything a terminal would obey. What others wrote is shown, never executed."""
    return _CONTROL.sub("", text)


def one_line(text: str, limit: int | None = None) -> str:
    """The text on a single line, cut at the limit with a mark."""
    flat = " ".join(clean(text).split())
    return f"{flat[: limit - 1].rstrip()}…" if limit is not None and len(flat) > limit else flat


def rest_of(response: str, shown: str) -> str:
    """What of the response was not streamed yet. Everything, should the two ever differ: better twice than never."""
    response, shown = clean(response), clean(shown)
    return response.rstrip()[len(shown.rstrip()) :] if response.startswith(shown.rstrip()) else f"\n{response}"


def details(record: TurnRecord) -> list[Line]:
    """Everything beside the response that the user must see, in the order in which it matters."""
    blocks = [
        _clarification(record.clarification, record.response) if record.clarification else [],
        _approval(record.approval) if record.approval else [],
        _notices(record),
        sources(record.sources, record.response),
        _suggestions(record.suggestions),
        [*(patient(record.patient) if record.patient else []), *_confidence(record)],
    ]
    return _spaced(blocks)


def _notices(record: TurnRecord) -> list[Line]:
    """Each once, in the order given; an allergy that concerns a drug of the answer before all else."""
    ordered = sorted(record.notices, key=lambda notice: not notice.startswith(FIRST))
    told = dict.fromkeys(one_line(notice) for notice in ordered if not _said(notice, record.response))
    return [Line(f"! {notice}", "warning", hang=2) for notice in told]


def _said(notice: str, response: str) -> bool:
    """Whether the answer itself says this, as one put together by rule does: a warning or a finding as a whole line of
    its own, or that a source was not available.

    Nothing less will do. In a model's sentence the same words may be denied; so warnings stand beside it.
    """
    _, unavailable, reason = notice.partition(" was not available: ")
    lines = response.splitlines()
    return bool(unavailable and reason in response) or notice in lines or _HEADING.sub(r"\1", notice) in lines


def _spaced(blocks: Sequence[Sequence[Line]]) -> list[Line]:
    lines: list[Line] = []
    for block in blocks:
        if block:
            lines += [Line(), *block]
    return lines


def _clarification(asked: Clarification, response: str) -> list[Line]:
    lines = [] if asked.question.strip() in response else [Line(one_line(asked.question), "strong")]
    listed = [f"{number}. {one_line(option.label)}" for number, option in enumerate(asked.options, 1)]
    lines += [] if all(line in response for line in listed) else [Line(f"  {line}") for line in listed]
    return [*lines, Line("Answer with a number, or in words.", "dim")] if asked.options else lines


def _approval(approval: Approval) -> list[Line]:
    return [
        *(Line(line, "strong") for line in clean(approval.card).splitlines()),
        *_checks(approval),
        Line(f"Order {one_line(approval.id)} waits for a person. Nothing is in the chart yet.", "warning"),
        *([Line(f"It expires at {one_line(approval.expires_at)}.", "dim")] if approval.expires_at else []),
    ]


def _checks(approval: Approval) -> Iterator[Line]:
    for check in approval.checks:
        outcome = str(check.get("outcome", "not_checked"))
        detail = one_line(str(check.get("detail", "")))
        words = f"  {outcome.replace('_', ' ')}: {one_line(str(check.get('name', '')))}"
        yield Line(f"{words} - {detail}" if detail else words, "plain" if outcome == "passed" else "warning")


def sources(found: Sequence[Source], response: str = "") -> list[Line]:
    """What the answer rests on, with its words; those of a label not a second time where the response has them."""
    if not found:
        return []
    lines = [Line("Sources", "strong")]
    for source in found:
        facts = ", ".join(one_line(fact) for fact in (source.date, source.url) if fact)
        title = f"[{source.id}] {one_line(source.title)}" if source.id else one_line(source.title)
        lines.append(Line(f"  {title} ({facts})" if facts else f"  {title}"))
        if source.quote and not (source.kind in ("label", "knowledge") and _quotes(response, source.quote)):
            lines.append(Line(f'      "{one_line(source.quote, _QUOTE_LENGTH)}"', "dim"))
    return lines


def _quotes(response: str, quote: str) -> bool:
    """Whether every sentence of the quote ends a line of the response or stands there in quotation marks.

    So it is in an answer that was put together by rule. A model's sentence may turn the same words round.
    """
    lines = [line.rstrip(".") for line in response.splitlines()]
    parts = [part.strip() for part in quote.split(" … ")]
    return all(any(line.endswith(part.rstrip(".")) or f"“{part}”" in line for line in lines) for part in parts if part)


def _suggestions(suggestions: Sequence[str]) -> list[Line]:
    heading = [Line("You could also ask:", "dim")] if suggestions else []
    return [*heading, *(Line(f"  {one_line(text)}", "dim") for text in suggestions)]


def patient(who: Patient) -> list[Line]:
    """Whom this is about: what a person checks before trusting an answer."""
    banner, ident = one_line(who.banner), one_line(who.id)
    return [Line(f"Patient: {banner} (id {ident})" if banner else f"Patient: id {ident}", "strong")]


def _confidence(record: TurnRecord) -> list[Line]:
    looked_up = record.tool_calls or record.confidence != "high"  # a greeting needs no words about its sources
    return [Line(CONFIDENCE[record.confidence], "dim")] if record.outcome == "answer" and looked_up else []


def timeline(steps: Sequence[TimelineStep]) -> list[Line]:
    """What happened, by whom and how long it took."""
    if not steps:
        return [Line("No steps were recorded.", "dim")]
    width = max(len(one_line(step.label)) for step in steps)
    return [Line("Timeline", "strong"), *(Line(_step(step, width)) for step in steps)]


def _step(step: TimelineStep, width: int) -> str:
    detail = one_line(step.detail, 100)
    return f"  {step.ms:7.0f} ms  {step.by:<6}  {one_line(step.label):<{width}}  {detail}".rstrip()


def how_to_continue(record: TurnRecord) -> list[Line]:
    """The session, and the command that goes on with it."""
    return [Line(), Line(f'Continue: docgemma ask --session {one_line(record.session_id)} "…"', "dim")]
