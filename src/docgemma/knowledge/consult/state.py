"""What flows through one consultation. The names are those of the specification's shared store."""

from __future__ import annotations

import operator
from typing import Annotated, Literal

from typing_extensions import TypedDict

from docgemma.clinical import TimelineStep
from docgemma.knowledge.consult.contract import Level
from docgemma.knowledge.entry import Language
from docgemma.knowledge.roles import Role
from docgemma.knowledge.search.found import Found
from docgemma.llm.contract import Message

MAX_RETRIEVALS = 2
MOST_CANDIDATES = 20
MOST_SELECTED = 10
FEW = 3
"""So many candidates need no choosing."""
LONGEST_QUERY, LONGEST_SUMMARY, LONGEST_RETRIEVAL_QUERY, LONGEST_REASON = 2_000, 300, 300, 200

Answering = Literal["direct_response", "retrieve_kb"]
Action = Literal["create_retrieval_query", "retrieve_kb", "compose_answer"]
RagState = Literal["init", "create_retrieval_query", "retrieved", "filtered", "composing"]


class State(TypedDict, total=False):
    # given
    input: str
    role: Role
    language: Language
    conversation_history: tuple[Message, ...]

    # ingest_query
    query: str
    formatted_conversation_history: str
    urgent: str

    # decide
    answering: Answering
    context_summary: str

    # rag_agent, create_query
    action: Action
    rag_state: RagState
    create_retrieval_query_reason: str
    original_query: str
    retrieval_query: str
    retrieval_query_confidence: Level
    retrieval_query_reason: str

    # topic_classify, retrieve, filter
    demuc: str
    chu_de_con: str
    classification_confidence: Level | None
    retrieve_attempts: int
    retrieved_candidates: tuple[Found, ...]
    selected_ids: tuple[str, ...]
    selected_questions: tuple[str, ...]

    # what went wrong: the model is not asked again, the base is not read again
    model_lost: bool
    base_closed: bool

    # the end
    explain: str
    word_for_word: bool
    found: tuple[Found, ...]
    suggestion_questions: tuple[str, ...]

    timeline: Annotated[list[TimelineStep], operator.add]
    notices: Annotated[list[str], operator.add]


def step(name: str, label: str, detail: str = "", by: Literal["code", "model"] = "code") -> list[TimelineStep]:
    """One timeline entry, as a node returns it; the graph adds how long the node took."""
    return [TimelineStep(step=name, label=label, detail=detail, by=by)]


def sought(state: State) -> str:
    """What is searched for: the query made for it, else what the user asked."""
    return state.get("retrieval_query") or state["query"]


def asked_before(state: State) -> tuple[str, ...]:
    """The user's own earlier messages, oldest first."""
    return tuple(message.text for message in state.get("conversation_history", ()) if message.role == "user")


def said_before(state: State) -> tuple[str, ...]:
    """Everything of the conversation that a new query may take words from."""
    return tuple(message.text for message in state.get("conversation_history", ()))
