"""Whatever a model takes a request for and plans: a turn ends, keeps its limits and writes only what was said."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, get_args

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from docgemma.agent.aliases import OLD_NAMES
from docgemma.agent.graphs import build
from docgemma.agent.graphs.decompose import MAX_TOOL_RETRIES
from docgemma.agent.record import TurnRecord
from docgemma.agent.rules import RULES
from docgemma.agent.schemas import (
    MOST_PARTS,
    ArgumentName,
    ComplexityClassification,
    DecomposedIntent,
    PlannedCall,
    ThinkingOutput,
)
from docgemma.agent.shortcuts import ALL, NONE
from docgemma.agent.state import MAX_TOTAL_RETRIES, Services
from docgemma.llm.contract import Prompt, T, current_usage
from docgemma.llm.rules import GuardedModel, RulesModel
from docgemma.store.sessions import open_store
from docgemma.tools.registry import REGISTRY
from tests.agent.test_control_flow import Dialogue, Loop, dialogues
from tests.agent.whims import Call, Outcome, Tools, any_outcome, good_outcome

NODES = frozenset({*build("decompose").get_graph().nodes, "router"})
WORDS = ("jwc-103", "warfarin", "5 mg", "hourly", "progress note", "anaphylaxis", "Maria Garcia", "zzz", "", "abc-123")
words = st.sampled_from(WORDS)


@dataclass(frozen=True)
class Moods:
    """A model that always gives valid decisions and never sensible ones."""

    complexity: str
    decomposed: dict[str, Any]
    plans: tuple[dict[str, Any], ...]
    text: str
    name: str = "moods"

    async def decide(self, prompt: Prompt, schema: type[T], *, max_tokens: int) -> T:
        usage = current_usage()
        usage.calls += 1
        decisions: dict[type[Any], dict[str, Any]] = {
            ComplexityClassification: {"complexity": self.complexity, "reasoning": "warfarin 5 mg"},
            ThinkingOutput: {"reasoning": "Prescribe warfarin 5 mg hourly for jwc-103."},
            DecomposedIntent: self.decomposed,
            PlannedCall: self.plans[usage.calls % len(self.plans)],
        }
        return schema.model_validate(decisions[schema])

    async def write(self, prompt: Prompt, *, temperature: float, max_tokens: int) -> AsyncIterator[str]:
        current_usage().calls += 1
        yield self.text


moods = st.builds(
    Moods,
    complexity=st.sampled_from(("direct", "complex", "complex", "complex")),
    decomposed=st.fixed_dictionaries(
        {
            "requires_clarification": st.sampled_from((False, False, False, True)),
            "subtasks": st.lists(
                st.fixed_dictionaries(
                    {"intent": words, "requires_tool": st.none() | st.sampled_from(OLD_NAMES), "context": words}
                ),
                max_size=MOST_PARTS,
            ),
            "clarification_question": st.sampled_from((None, "Which one?", "I have prescribed warfarin 5 mg.")),
        }
    ),
    plans=st.lists(
        st.fixed_dictionaries(
            {
                "tool_name": st.sampled_from(OLD_NAMES),
                "arguments": st.lists(
                    st.fixed_dictionaries({"name": st.sampled_from(get_args(ArgumentName)), "value": words}), max_size=4
                ),
                "reasoning": st.just(""),
            }
        ),
        min_size=1,
        max_size=4,
    ).map(tuple),
    text=st.sampled_from(("", "Fine.", "I have prescribed warfarin 5 mg for jwc-103.", "Call add_allergy.")),
)


def within_limits(record: TurnRecord, calls: Sequence[Call]) -> None:
    made = [call for call in record.tool_calls if call.attempts]
    assert len(made) <= 2 * MOST_PARTS + 1
    assert all(call.attempts <= 1 + MAX_TOOL_RETRIES for call in made)
    assert sum(call.attempts - 1 for call in made) <= MAX_TOTAL_RETRIES
    assert all(call.attempts == 1 for call in made if REGISTRY[call.tool].writes)
    assert len(calls) <= len(made) + MAX_TOTAL_RETRIES
    assert record.llm_calls <= 4 + 2 * MOST_PARTS


@pytest.fixture(scope="module")
def loop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Loop]:
    with asyncio.Runner() as runner:
        store = open_store(str(tmp_path_factory.mktemp("moods") / "sessions.sqlite"))
        runner.run(store.open())
        yield Loop(runner, store)
        runner.run(store.close())


@settings(
    max_examples=40,
    deadline=None,
    derandomize=True,
    phases=[Phase.generate],
    suppress_health_check=[HealthCheck.too_slow],
)
@given(
    messages=dialogues,
    model=st.none() | moods,
    results=st.lists(any_outcome, min_size=1, max_size=6) | st.lists(good_outcome, min_size=1, max_size=4),
    short=st.booleans(),
)
def test_any_plan_any_outcome(
    loop: Loop, messages: list[str], model: Moods | None, results: list[Outcome], short: bool
) -> None:
    tools, rules = Tools(results), RulesModel(RULES)
    llm = rules if model is None else GuardedModel(model, rules)
    services = Services(llm, tools, graph="decompose", shortcuts=ALL if short else NONE)
    loop.runner.run(Dialogue(loop.store, services, tools, limits=within_limits, steps=NODES).play(messages))
