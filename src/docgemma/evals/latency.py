"""The suite `latency`: calls, tokens and seconds by path, each case alone, in the fictional clinic.

Cases run one after the other whatever was asked for: two at once would share the model, and measure that. The clinic
answers at once, so the seconds are the model's and our own; what real sources add is in `tool_ms` of real turns.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from itertools import groupby
from typing import Any, Literal, Self

from pydantic import model_validator

from docgemma.agent.events import TextEvent, TurnEvent
from docgemma.agent.record import TurnRecord
from docgemma.agent.session import Question, Sessions
from docgemma.clinical import TRANSIENT, Frozen, GraphName, ToolResult
from docgemma.config import Settings
from docgemma.evals import clinic
from docgemma.evals.casefiles import SpokenCase, table
from docgemma.evals.clinic import Play
from docgemma.evals.conversation import OWNER, Stage, Take, converse, of_record, open_apart
from docgemma.evals.statistics import quantile
from docgemma.evals.suite import Bench, CaseRecord, Outcome, Suite, Variant, Verdict
from docgemma.evals.summary import grouped
from docgemma.tools.arguments import Arguments
from docgemma.tools.registry import READS, ToolName

Route = Literal[
    "greeting", "direct", "single_tool", "two_tools", "three_tools", "ask_user", "write_card", "error_retry",
    "image", "follow_up",
]  # fmt: skip
Fault = Literal["timeout", "rate_limit", "server_error", "service_unavailable"]


class Way(Frozen):
    """What shows that a turn took its path. A turn that leaves out a look-up is fast for the wrong reason."""

    tools: tuple[ToolName, ...] = ()
    outcome: Literal["answer", "ask_user", "approval"] = "answer"


class LatencyCase(SpokenCase):
    """One message, perhaps after earlier ones. `fault`: how the first look-up of the turn fails, once."""

    kind: Route
    image: bool = False
    fault: Fault | None = None
    way: Way

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        for name, kind in (("fault", "error_retry"), ("image", "image"), ("before", "follow_up")):
            if (self.kind == kind) != bool(getattr(self, name)):
                raise ValueError(f"'{name}' stands with the kind {kind}, and with no other")
        if self.fault is not None and self.fault not in TRANSIENT:
            raise ValueError(f"a look-up is not tried again after '{self.fault}'")
        return self


def budget(graph: GraphName, path: Route, *, shortcuts: bool) -> int:
    """The most calls that a turn on this path may take."""
    return int(table("budgets.toml")[path]["in_full" if graph == "routed" and not shortcuts else graph])


# ----------
# The fictional clinic with a source that fails once, as real ones do.


def fails_once(fault: Fault | None) -> Play:
    """The clinic, whose first look-up fails like this."""
    left = [fault] if fault else []

    async def play(name: ToolName, arguments: Arguments) -> ToolResult:
        if not left or name not in READS:
            return await clinic.play(name, arguments)
        return clinic.unavailable(name, left.pop(), "The source did not answer.")

    return play


# ----------
# Where the time of a turn went, and the table by path: pure functions of what was recorded.


def counts_of(record: TurnRecord, waited_ms: float, first_text_ms: float | None, *, most: int) -> dict[str, float]:
    """`seconds`: what the clinician waits, storing included. `own_ms`: of that, neither the model's steps nor tools."""
    tools, model = sum(call.duration_ms for call in record.tool_calls), model_ms(record)
    counts = {
        "llm_calls": float(record.llm_calls),
        "budget": float(most),
        "prompt_tokens": float(record.tokens.prompt),
        "completion_tokens": float(record.tokens.completion),
        "seconds": waited_ms / 1000,
        "model_ms": model,
        "tool_ms": tools,
        "own_ms": max(0.0, waited_ms - model - tools),
    }
    return counts if first_text_ms is None else counts | {"first_text_ms": first_text_ms}


def model_ms(record: TurnRecord) -> float:
    """The time of the steps in which a model was asked. A node's time stands at the last step that it tells."""
    nodes = (list(steps) for _, steps in groupby(record.timeline, key=lambda step: step.step))
    return sum(step.ms for steps in nodes if any(one.by == "model" for one in steps) for step in steps)


def calls_met(record: TurnRecord, most: int) -> Verdict:
    return Verdict(record.llm_calls <= most, f"at most {most} model calls", f"{record.llm_calls}")


def path_taken(case: LatencyCase, record: TurnRecord) -> Verdict:
    """The look-ups and the end that belong to this path; else its time says nothing about it."""
    tools = tuple(dict.fromkeys(call.tool for call in record.tool_calls))
    again = case.fault is None or any(call.attempts > 1 for call in record.tool_calls)
    passed = set(tools) == set(case.way.tools) and record.outcome == case.way.outcome and again
    got = _way(tools, record.outcome)
    return Verdict(passed, _way(case.way.tools, case.way.outcome), got if again else f"{got}, without a second try")


def by_path(records: Sequence[CaseRecord]) -> dict[str, dict[str, Any]]:
    """One row a path, over the turns that ended. A first piece of text is not there for every turn."""
    paths = grouped((record for record in records if not record.error), lambda one: one.kind)
    return {
        path: {"turns": len(paths[path]), **_row([record.counts for record in paths[path]])} for path in sorted(paths)
    }


def _row(counts: Sequence[dict[str, float]]) -> dict[str, Any]:
    values = {name: [each[name] for each in counts if name in each] for name in (*counts[0], "first_text_ms")}
    medians = ("prompt_tokens", "completion_tokens", "first_text_ms", "model_ms", "tool_ms", "own_ms")
    return {
        "calls": _spread(values["llm_calls"], 1),
        "budget": int(max(values["budget"])),
        "seconds": _spread(values["seconds"], 3),
        **{name: round(quantile(values[name], 0.5), 1) if values[name] else None for name in medians},
    }


def _spread(values: Sequence[float], digits: int) -> dict[str, float]:
    return {"median": round(quantile(values, 0.5), digits), "p95": round(quantile(values, 0.95), digits)}


def _way(tools: Sequence[str], outcome: str) -> str:
    return f"{', '.join(tools) or 'no look-up'}, then {outcome}"


_WARM_UP = ("hello", "What is asthma?", "Check FDA warnings for dofetilide")
"""Dictionaries, the model's first load and its cached prompts are no cost of a case."""


class Latency(Suite[LatencyCase]):
    """What a turn costs on each path: whether its calls stay within what was promised, and where its time goes."""

    name = "latency"
    case = LatencyCase

    @asynccontextmanager
    async def open(self, settings: Settings, variant: Variant) -> AsyncIterator[Bench[LatencyCase]]:
        stage, alone = Stage(), asyncio.Lock()
        async with open_apart(self.configured(settings, variant), variant, tools=stage.handlers()) as app:
            for message in _WARM_UP:
                with stage.turn(Take(clinic.play)) as turn_id:
                    await app.sessions.ask(Question(message, owner=OWNER, turn_id=turn_id))

            async def run(case: LatencyCase) -> Outcome:
                async with alone:
                    most = budget(app.settings.graph, case.kind, shortcuts=app.settings.shortcuts)
                    return await run_case(app.sessions, stage, case, most)

            yield Bench(app.model_name, run)

    def figures(self, records: tuple[CaseRecord, ...]) -> Mapping[str, Any]:
        return {"paths": by_path(records)}


async def run_case(sessions: Sessions, stage: Stage, case: LatencyCase, most: int) -> Outcome:
    """What the turn cost, whether that is within its budget, and whether it took the path that it is a case of."""
    texts: list[float] = []  # when each piece of text came

    def listen(event: TurnEvent) -> None:
        if isinstance(event, TextEvent):
            texts.append(time.perf_counter())

    take = Take(fails_once(case.fault), earlier=clinic.play)
    record = (await converse(sessions, stage, take, case, listen=listen))[-1]
    return of_record(
        record,
        {"calls_met": calls_met(record, most), "path": path_taken(case, record)},
        counts=counts_of(record, take.waited_ms, (texts[0] - take.began) * 1000 if texts else None, most=most),
    )
