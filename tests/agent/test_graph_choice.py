"""Which graph answers: the question's own, else the one that is set; the record, the replay and the entry say which."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import pytest

from docgemma.agent.graphs import GRAPHS, build, known
from docgemma.agent.replay.player import replay
from docgemma.agent.replay.trace import read
from docgemma.agent.session import Question
from docgemma.clinical import GraphName
from docgemma.config import Settings
from docgemma.errors import BadInput
from docgemma.wiring.app import open_app
from tests.support import results as r
from tests.support.turns import stage, steps

QUESTION = "Check FDA warnings for dofetilide"
OWN_NODE = {"routed": "intent_classify", "triage": "triage_router", "decompose": "complexity_router"}

every_graph = pytest.mark.parametrize("graph", GRAPHS)


@every_graph
async def test_a_turn_runs_on_its_graph_and_can_be_run_again(tmp_path: Path, graph: GraphName) -> None:
    async with stage(tmp_path, tools={"check_drug_safety": [r.DOFETILIDE]}, graph=graph) as on:
        record = await on.ask(QUESTION)
        again = await replay(record, read(await on.store.get_trace(record.turn_id) or b""))
    assert (record.graph, record.versions.graph) == (graph, graph)
    assert OWN_NODE[graph] in steps(record)
    assert [call.tool for call in record.tool_calls] == ["check_drug_safety"]
    assert (again.same, again.differences) == (True, ())


async def test_a_question_may_choose_for_itself_alone(tmp_path: Path) -> None:
    async with stage(tmp_path, tools={"check_drug_safety": lambda _: r.DOFETILIDE}, graph="triage") as on:
        chosen = await on.ask(QUESTION, graph="decompose")
        next_one = await on.ask(QUESTION, session_id=chosen.session_id)
    assert [chosen.graph, next_one.graph] == ["decompose", "triage"]


async def test_a_graph_that_there_is_not_is_one_sentence_and_leaves_nothing(tmp_path: Path) -> None:
    async with stage(tmp_path) as on:
        with pytest.raises(BadInput, match=r"no graph of this name\. Give one of: routed, triage, decompose\."):
            await on.ask(QUESTION, graph=cast(Any, "wandering"))
        assert await on.store.list_sessions("") == ()
    with pytest.raises(BadInput):
        build(cast(Any, "steps"))
    assert known("triage") == "triage"


async def test_a_record_of_a_graph_that_is_gone_is_not_run_again(tmp_path: Path) -> None:
    async with stage(tmp_path) as on:
        record = await on.ask("Hello")
        trace = read(await on.store.get_trace(record.turn_id) or b"")
    found = await replay(record.model_copy(update={"graph": "wandering"}), trace)
    assert (found.same, "no graph of the name" in found.note) == (None, True)


@every_graph
async def test_an_entry_is_stamped_with_the_graph_that_prepared_it(tmp_path: Path, graph: GraphName) -> None:
    async with open_app(Settings(home=tmp_path, model="rules", sources="pack")) as app:
        asked = Question("Prescribe metformin 500 mg twice daily for abc-123", owner="somebody", graph=graph)
        record = await app.sessions.ask(asked)
        assert record.approval is not None, record.response
        card = (await app.orders.get(record.approval.id)).card
    assert card.software.endswith(f"; graph {graph}")


async def test_a_consultation_has_a_graph_of_its_own(tmp_path: Path) -> None:
    async with open_app(Settings(home=tmp_path, model="rules", sources="pack", graph="triage")) as app:
        with pytest.raises(BadInput, match="graph of its own"):
            await app.sessions.ask(Question("What is HbA1c?", role="nurse", graph="decompose"))
        spoken = await app.sessions.ask(Question("What is HbA1c?", role="nurse"))
    assert (spoken.graph, spoken.versions.graph) == ("consult", "consult")
