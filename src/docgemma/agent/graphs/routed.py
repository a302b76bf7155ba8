"""The routed graph: the model classifies and writes, code decides where to go."""

from __future__ import annotations

from functools import cache

from docgemma.agent.graphs.steps import Graph, Stage, compiled
from docgemma.agent.nodes.error_handler import error_handler
from docgemma.agent.nodes.input_assembly import input_assembly
from docgemma.agent.nodes.intent_classify import intent_classify
from docgemma.agent.nodes.result_classify import result_classify
from docgemma.agent.nodes.synthesize import synthesize
from docgemma.agent.nodes.tool_execute import tool_execute
from docgemma.agent.nodes.tool_select import tool_select
from docgemma.agent.router import after_error, after_intent, after_result


@cache
def build() -> Graph:
    """Compiled once a process."""
    return compiled(
        Stage(input_assembly, ("intent_classify",)),
        Stage(intent_classify, ("tool_select", "synthesize"), after_intent),
        Stage(tool_select, ("tool_execute",)),
        Stage(tool_execute, ("result_classify",)),
        Stage(result_classify, ("tool_select", "error_handler", "synthesize"), after_result),
        Stage(error_handler, ("tool_select", "synthesize"), after_error),
        Stage(synthesize),
    )
