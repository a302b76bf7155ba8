"""Tool selection asked in other ways. `selection_full` is the base: each of the others differs from it in one thing.

The base has neither the worked example nor the opening words of the product's prompt, so that each can be added alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from docgemma.agent.examples import example_for
from docgemma.agent.nodes.tool_select import STAGE_1_TOKENS, left_open
from docgemma.agent.state import State, patient_context
from docgemma.evals.nodes.ablations import render
from docgemma.evals.nodes.ablations.descriptions import FULL_LIST
from docgemma.evals.nodes.ablations.schemas import Suitable, joint
from docgemma.evals.nodes.asking import Asker, Reply
from docgemma.evals.nodes.cases import Case
from docgemma.evals.nodes.product import open_selection
from docgemma.llm.prompting import Trusted
from docgemma.tools.registry import REGISTRY, TOOL_NAMES, TOOLS, ToolName

PREFIX = Trusted("Analyzing the task requirements, ")
REASONING_TOKENS = 200
JOINT_TOKENS = 400
_FAR = 5
"""So far down the list of tools the example of a misleading question is taken from."""


@dataclass(frozen=True, slots=True)
class Selection:
    """One way to ask for the tool. `shots`: worked examples, the first of them for the tool that seems likeliest."""

    tool_list: Trusted = FULL_LIST
    shots: int = 0
    prefix: bool = False
    misleading: bool = False

    async def __call__(self, asker: Asker, case: Case, state: State) -> Reply:
        prompt = render("selection", **self.variables(state))
        answer = await asker.decide(prompt, open_selection(state), max_tokens=STAGE_1_TOKENS)
        return Reply(choice=answer.tool_name)

    def variables(self, state: State, *, reasoning: str = "", together: bool = False) -> Mapping[str, Any]:
        return {
            "message": state["request"],
            "patient": patient_context(state),
            "tool_list": self.tool_list,
            "examples": [_worked(name) for name in self._shown(state)],
            "prefix": PREFIX if self.prefix else "",
            "reasoning": reasoning,
            "joint": together,
        }

    def _shown(self, state: State) -> tuple[ToolName, ...]:
        """The likeliest tool first, then those that follow it in the list; or only one that is far from it."""
        first = TOOL_NAMES.index((left_open(state) or TOOL_NAMES)[0]) + (_FAR if self.misleading else 0)
        return tuple(TOOL_NAMES[(first + place) % len(TOOL_NAMES)] for place in range(self.shots))


@dataclass(frozen=True, slots=True)
class Joint:
    """The tool and its arguments in one answer."""

    reverse: bool = False

    async def __call__(self, asker: Asker, case: Case, state: State) -> Reply:
        prompt = render("selection", **Selection().variables(state, together=True))
        answer = await asker.decide(prompt, joint(reverse=self.reverse), max_tokens=JOINT_TOKENS)
        said = answer.model_dump()
        chosen = said.pop("tool_name")
        return Reply(choice=chosen, arguments={name: said[name] for name in REGISTRY[chosen].args.model_fields})


async def reasoned(asker: Asker, case: Case, state: State) -> Reply:
    """Free reasoning first; then the selection, which reads it."""
    base = Selection().variables(state)
    text = await asker.write(
        render("reasoning", message=base["message"], patient=base["patient"], tool_list=FULL_LIST),
        max_tokens=REASONING_TOKENS,
    )
    prompt = render("selection", **Selection().variables(state, reasoning=text))
    answer = await asker.decide(prompt, open_selection(state), max_tokens=STAGE_1_TOKENS)
    return Reply(choice=answer.tool_name)


async def probed(asker: Asker, case: Case, state: State) -> Reply:
    """Ten questions, one for each tool. The choice is the first one that was called suitable."""
    approved: list[str] = []
    for tool in TOOLS:
        prompt = render(
            "suitable", message=state["request"], patient=patient_context(state), tool=Trusted(tool.line()[2:])
        )
        answer = await asker.decide(prompt, Suitable, max_tokens=STAGE_1_TOKENS)
        approved += [tool.name] if answer.suitable == "yes" else []
    return Reply(choice=approved[0] if approved else "none", approved=tuple(approved))


def _worked(name: ToolName) -> dict[str, Trusted]:
    query, tool = example_for(name)
    return {"query": Trusted(query), "tool": Trusted(tool)}
