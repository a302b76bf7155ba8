"""The words beside an answer that every door uses, and what of them the answer itself has said already."""

from __future__ import annotations

import re

from docgemma.agent.answer.gaps import CONFLICT
from docgemma.agent.record import TurnRecord
from docgemma.clinical import Confidence, Source

CONFIDENCE: dict[Confidence, str] = {
    "high": "High confidence: every look-up this needed was answered in full.",
    "medium": "Medium confidence: check the sources before acting on it.",
    "low": "Low confidence: verify it independently before acting on it.",
}

_HEADING = re.compile(
    r"\A(?:Interaction: |The label on this pair: |(Boxed warning|Contraindicated) \(.{1,200}?\)(?=: ))"
)
"""What a notice says before the finding, and a section of a composed answer says in its title."""


def confidence(record: TurnRecord) -> str:
    """How sure the answer is, in a sentence; empty where there is nothing to be sure of, as in a greeting."""
    looked_up = record.tool_calls or record.confidence != "high"
    return CONFIDENCE[record.confidence] if record.outcome == "answer" and looked_up else ""


def in_order(notices: tuple[str, ...]) -> list[str]:
    """In the order given, but an allergy that concerns a drug of the answer before all else."""
    return sorted(notices, key=lambda notice: not notice.startswith(CONFLICT))


def line_of(notice: str, response: str) -> str:
    """The line of the answer that says what this notice says, as one put together by rule does; empty if none does.

    Nothing less than a whole line will do: in a model's sentence the same words may be denied.
    """
    lines = response.splitlines()
    bare = _HEADING.sub(r"\1", notice)
    return notice if notice in lines else bare if bare in lines else ""


def tells_gap(notice: str, response: str) -> bool:
    """Whether the answer itself says that a source was not available, with the reason."""
    _, unavailable, reason = notice.partition(" was not available: ")
    return bool(unavailable and reason in response)


def quotes(source: Source, response: str) -> bool:
    """Whether the answer has the words of the source already, as one that was put together by rule does."""
    quote = source.quote or ""
    if source.kind == "knowledge":
        return quote.removesuffix(" …") in response
    return source.kind in ("label", "article", "trial") and _has_every_sentence(response, quote)


def _has_every_sentence(response: str, quote: str) -> bool:
    """Whether every sentence of the quote ends a line of the answer or stands there in quotation marks.

    A model's sentence may turn the same words round.
    """
    lines = [line.rstrip(".") for line in response.splitlines()]
    parts = [part.strip() for part in quote.split(" … ")]
    return all(any(line.endswith(part.rstrip(".")) or f"“{part}”" in line for line in lines) for part in parts if part)
