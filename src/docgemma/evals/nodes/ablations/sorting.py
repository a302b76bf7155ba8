"""The intent asked with worked examples: the product's own words, and six requests that were sorted before."""

from __future__ import annotations

from docgemma.agent.examples import example_for
from docgemma.agent.nodes.intent_classify import MAX_TOKENS
from docgemma.agent.schemas import IntentClassification
from docgemma.agent.state import State, patient_context
from docgemma.evals.nodes.ablations import render
from docgemma.evals.nodes.asking import Asker, Reply
from docgemma.evals.nodes.cases import Case
from docgemma.llm.prompting import Trusted
from docgemma.tools.registry import ToolName

_DIRECT = ("Why does fever raise the pulse?", "What is a Colles fracture?", "Thank you!")
_WITH_TOOL: tuple[ToolName, ...] = ("check_drug_safety", "get_patient_chart", "prescribe_medication")
EXAMPLES = tuple(
    {"query": Trusted(query), "intent": Trusted(intent)}
    for direct, tool in zip(_DIRECT, _WITH_TOOL, strict=True)
    for query, intent in ((direct, "DIRECT"), (example_for(tool)[0], "TOOL_NEEDED"))
)
"""By turns, so that neither answer is merely the last one seen."""


async def intent_with_examples(asker: Asker, case: Case, state: State) -> Reply:
    prompt = render("intent", message=state["request"], patient=patient_context(state), examples=EXAMPLES)
    answer = await asker.decide(prompt, IntentClassification, max_tokens=MAX_TOKENS)
    return Reply(choice=answer.intent, suggested=answer.suggested_tool)
