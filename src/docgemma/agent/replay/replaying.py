"""Run a turn again from its trace, and say whether it comes out the same."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

from langchain_core.runnables import RunnableConfig

from docgemma.agent import graphs
from docgemma.agent.record import TurnRecord
from docgemma.agent.recording import build_record, failed_record
from docgemma.agent.replay.comparing import differences
from docgemma.agent.replay.player import Parted, Player, Rules
from docgemma.agent.replay.trace import Trace
from docgemma.agent.rules import RULES
from docgemma.agent.state import MOST_NODES, Services, State
from docgemma.clinical import GraphName, holding
from docgemma.errors import DocGemmaError
from docgemma.llm.contract import Prompt, Usage, usage

OUTSIDE = "The turn failed outside of what can be run again."
OTHER_GRAPH = "This version has no graph of the name under which the turn ran."


@dataclass(frozen=True, slots=True)
class Replayed:
    """`same` is None where nothing could be compared; `note` says why. `prompts`: by place of their exchange."""

    same: bool | None
    differences: tuple[str, ...] = ()
    note: str = ""
    prompts: tuple[tuple[int, Prompt], ...] = ()


async def replay(record: TurnRecord, trace: Trace, *, rules: Rules = RULES) -> Replayed:
    """The graph of this program over the answers of then. Writes nothing and asks nobody."""
    if record.graph not in graphs.GRAPHS:
        return Replayed(None, note=OTHER_GRAPH)
    if record.outcome == "unavailable" and not any(exchange.error for exchange in trace.exchanges):
        return Replayed(None, note=OUTSIDE)
    player = Player(trace, rules, spent_s=sum(call.duration_ms for call in record.tool_calls) / 1000)
    try:
        again = await _again(record, trace, player)
    except Parted as parting:
        found = (*player.differences, str(parting))
    else:
        found = (*differences(record, again), *player.differences, *player.unasked())
    once = tuple(dict.fromkeys(found))
    return Replayed(not once, once, prompts=tuple(player.prompts.items()))


async def _again(record: TurnRecord, trace: Trace, player: Player) -> TurnRecord:
    spent = Usage()
    kept = ("id", "turn_id", "session_id", "created_at", "graph", "model", "query", "versions")
    stamp: dict[str, Any] = {name: getattr(record, name) for name in kept}
    with holding(usage, spent):
        try:
            return build_record(await _run(graphs.known(record.graph), trace.state, player.services()), spent, stamp, 0)
        except Parted:
            raise
        except DocGemmaError as error:
            return failed_record(str(error), spent, stamp, 0)


async def _run(graph: GraphName, state: State, services: Services) -> State:
    final: State = state
    limit: RunnableConfig = {"recursion_limit": MOST_NODES}
    async for values in graphs.build(graph).astream(state, limit, context=services, stream_mode="values"):
        final = cast(State, values)
    return final
