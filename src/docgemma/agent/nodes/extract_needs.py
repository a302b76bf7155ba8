"""What the reasoning still has to look up: none, one or two tools, out of those code left open."""

from __future__ import annotations

from docgemma.agent.asking import Live, Variables, decide
from docgemma.agent.progress import needs_left, start_parts
from docgemma.agent.queries import open_tools
from docgemma.agent.schemas import QUERY_LIMIT, ToolNeeds, narrowed
from docgemma.agent.state import Part, State, step
from docgemma.tools.registry import REGISTRY

MAX_TOKENS = 192


async def extract_needs(state: State, runtime: Live) -> State:
    """The tools by name, each with what to look up; one that only reads comes before an entry."""
    schema, left = narrowed(ToolNeeds, (*open_tools(state), "none"), "first_tool", "second_tool"), needs_left(state)
    answer, by = await decide(state, runtime, "extract_needs", schema, MAX_TOKENS, needs=left)
    parts = _calls(answer)
    detail = ", ".join(REGISTRY[part.tool].label for part in parts if part.tool) or "nothing to look up"
    return start_parts(parts) | {
        "intent": "TOOL_NEEDED" if parts else "DIRECT",
        "timeline": step("extract_needs", "What to look up", detail, by=by),
    }


def rule(variables: Variables) -> ToolNeeds:
    """Without a model: the first two look-ups that the words of the request ask for."""
    asked = [(need.tool, (need.subject or "")[:QUERY_LIMIT]) for need in variables["needs"]]
    first, second = [*asked, ("none", ""), ("none", "")][:2]
    return ToolNeeds(first_tool=first[0], second_tool=second[0], first_query=first[1], second_query=second[1])


def _calls(answer: ToolNeeds) -> tuple[Part, ...]:
    """Each call once, entries last."""
    said = ((answer.first_tool, answer.first_query), (answer.second_tool, answer.second_query))
    named = dict.fromkeys((name, (query or "").strip()) for name, query in said if name != "none")
    calls = sorted(named, key=lambda call: REGISTRY[call[0]].writes)
    return tuple(Part("", REGISTRY[name].name, query) for name, query in calls)
