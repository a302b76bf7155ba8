"""Scorers: pure functions of a case and the turn record it led to. Each may say that the case asks nothing of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

from docgemma.agent.record import ToolCall, TurnRecord
from docgemma.evals.turns.cases import Case, ExpectedCall, Reason, call_text
from docgemma.evals.turns.meaning import agrees
from docgemma.tools.registry import REGISTRY

Column = Literal["intent", "tools", "arguments", "outcome"]
COLUMNS: tuple[Column, ...] = get_args(Column)


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether the record does what the case expects, and both in words for whoever reads a miss."""

    passed: bool
    expected: str
    got: str


def intent(case: Case, record: TurnRecord) -> Verdict | None:
    wanted = case.expect.intent
    return None if wanted is None else Verdict(record.intent == wanted, wanted, str(record.intent or "none"))


def tools(case: Case, record: TurnRecord) -> Verdict | None:
    """The set of tools that the turn called or tried to call."""
    wanted = case.expect.tools
    if wanted is None:
        return None
    made = tuple(dict.fromkeys(call.tool for call in record.tool_calls))
    return Verdict(set(made) == set(wanted), ", ".join(wanted) or "none", ", ".join(made) or "none")


def arguments(case: Case, record: TurnRecord) -> Verdict | None:
    """Every expected call was made, and of the tools named there no call beside the expected ones.

    A case without calls is not counted: a greeting has no arguments to get right.
    """
    wanted = case.expect.calls
    if not wanted:
        return None
    named = {call.tool for call in wanted}
    made = [call for call in record.tool_calls if call.tool in named]
    passed = all(any(_meets(call, one) for call in made) for one in wanted) and all(
        any(_meets(call, one) for one in wanted) for call in made
    )
    return Verdict(passed, "; ".join(one.text() for one in wanted), _calls(made))


def outcome(case: Case, record: TurnRecord) -> Verdict | None:
    """How the turn ended; where the case says so, also what was asked: the reason, or exactly the missing fields."""
    expect = case.expect
    if expect.outcome is None:
        return None
    asked = record.clarification
    reason = asked.reason if asked else None
    missing = asked.pending.missing if asked and asked.pending else ()
    passed = record.outcome == expect.outcome
    if expect.reason is not None:
        passed &= reason == expect.reason
    if expect.asks is not None:
        passed &= set(missing) == set(expect.asks)
        passed &= expect.reason is not None or reason not in get_args(Reason)
    said = " ".join(part for part in (expect.outcome, expect.reason, _fields(expect.asks)) if part)
    return Verdict(passed, said, " ".join(part for part in (record.outcome, reason, _fields(missing)) if part))


SCORERS: dict[Column, Callable[[Case, TurnRecord], Verdict | None]] = {
    "intent": intent,
    "tools": tools,
    "arguments": arguments,
    "outcome": outcome,
}


def score(case: Case, record: TurnRecord) -> dict[Column, Verdict]:
    """Every column that the case has an expectation for."""
    found = {column: scorer(case, record) for column, scorer in SCORERS.items()}
    return {column: verdict for column, verdict in found.items() if verdict is not None}


def expected_columns(case: Case) -> tuple[Column, ...]:
    """The columns that the case has an expectation for."""
    expect = case.expect
    asked: dict[Column, object] = {
        "intent": expect.intent,
        "tools": expect.tools,
        "arguments": expect.calls or None,
        "outcome": expect.outcome,
    }
    return tuple(column for column, wanted in asked.items() if wanted is not None)


def unasked_writes(case: Case, record: TurnRecord) -> tuple[str, ...]:
    """Write tools that were tried though the case expects no such write, more often than it does, or whose card came
    where a question was expected. Counted apart from all scores: there is no acceptable number but zero.
    """
    expect = case.expect
    if expect.tools is None and not expect.calls:
        return ()
    allowed: Counter[str] = Counter(expect.tools or ())
    allowed |= Counter(call.tool for call in expect.calls)
    found: list[str] = []
    for call in record.tool_calls:
        if not REGISTRY[call.tool].writes:
            continue
        allowed[call.tool] -= 1
        early = call.status == "proposed" and expect.outcome not in (None, "approval")
        if allowed[call.tool] < 0 or early:
            found.append(call_text(call.tool, call.args))
    return tuple(found)


def _meets(call: ToolCall, expected: ExpectedCall) -> bool:
    given: dict[str, Any] = call.args
    return call.tool == expected.tool and all(
        name in given and agrees(name, value, given[name]) for name, value in expected.args.items()
    )


def _calls(made: Sequence[ToolCall]) -> str:
    return "; ".join(call_text(call.tool, call.args) for call in made) or "no such call"


def _fields(names: Sequence[str] | None) -> str:
    return f"[{', '.join(names)}]" if names else ""
