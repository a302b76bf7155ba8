"""What a model node may answer. Decision first, every string and list bounded; choices are enums made to measure."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Annotated, Literal, cast

from pydantic import BaseModel, ConfigDict, Field, create_model

from docgemma.knowledge.consult.contract import Level
from docgemma.knowledge.consult.state import (
    LONGEST_REASON,
    LONGEST_RETRIEVAL_QUERY,
    LONGEST_SUMMARY,
    MOST_SELECTED,
    Action,
    Answering,
)

NONE = "none"
LONGEST_EXPLANATION, LONGEST_SUGGESTION = 1_500, 160

Reason = Annotated[str, Field(max_length=LONGEST_REASON)]


class Decision(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Decided(Decision):
    """Whether the message needs the knowledge base, and what the conversation was about."""

    action: Answering
    context_summary: Annotated[str, Field(max_length=LONGEST_SUMMARY)]


class RagDecision(Decision):
    """What the model would do next. A proposal: code decides."""

    action: Action
    reason: Reason


class RetrievalQuery(Decision):
    """One search query that can be understood without the conversation."""

    retrieval_query: Annotated[str, Field(min_length=1, max_length=LONGEST_RETRIEVAL_QUERY)]
    confidence: Level
    reason: Reason


class TopicChoice(Decision):
    """One topic or subtopic of those there are, or none of them."""

    topic: str
    confidence: Level
    reason: Reason


class Selection(Decision):
    """The numbers of the candidates that help to answer."""

    numbers: Annotated[list[int], Field(min_length=1, max_length=MOST_SELECTED)]


class Composed(Decision):
    """The explanation, and what the user may want to ask next."""

    explanation: Annotated[str, Field(max_length=LONGEST_EXPLANATION)]
    suggestion_questions: Annotated[
        list[Annotated[str, Field(max_length=LONGEST_SUGGESTION)]], Field(min_length=3, max_length=3)
    ]


def topic_choice(options: Sequence[str]) -> type[TopicChoice]:
    """TopicChoice with only these left open, and "none"."""
    return _topic_choice(tuple(dict.fromkeys((*options, NONE))))


@lru_cache(maxsize=128)
def _topic_choice(options: tuple[str, ...]) -> type[TopicChoice]:
    names = Literal[options]  # type: ignore[valid-type]
    return cast(type[TopicChoice], create_model("TopicChoice", __base__=TopicChoice, topic=(names, ...)))


@lru_cache(maxsize=64)
def selection(candidates: int, *, or_none: bool = False) -> type[Selection]:
    """Selection with only the numbers of these candidates left open, and 0 where none may be the right choice."""
    number = Literal[tuple(range(0 if or_none else 1, candidates + 1))]  # type: ignore[valid-type]
    numbers = Annotated[list[number], Field(min_length=1, max_length=MOST_SELECTED)]  # type: ignore[valid-type]
    return cast(type[Selection], create_model("Selection", __base__=Selection, numbers=(numbers, ...)))
