"""The table of node rules: what each model node answers when there is no model, or none that can be used."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from docgemma.knowledge.consult.nodes import compose, create_query, decide, filter, rag_agent, topic_classify
from docgemma.knowledge.consult.schemas import Decision

RULES: Mapping[str, Callable[[Mapping[str, Any]], Decision]] = {
    "decide": decide.rule,
    "rag_agent": rag_agent.rule,
    "create_query": create_query.rule,
    "topic_classify": topic_classify.rule,
    "topic_classify_subtopic": topic_classify.rule,
    "filter": filter.rule,
    "compose": compose.rule,
}
