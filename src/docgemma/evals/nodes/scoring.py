"""Scorers: pure functions of a case and what the model replied. A metric that the case asks nothing of is absent."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from docgemma.evals.contract import Difference
from docgemma.evals.nodes.asking import Reply
from docgemma.evals.nodes.cases import Case, Value
from docgemma.evals.turns.meaning import agrees
from docgemma.tools.registry import REGISTRY

_BLANKS = frozenset({"", "-", "none", "null", "n/a", "unknown", "unspecified", "not specified", "not stated"})
_BY_FIELD = {
    "drug_name": "drug_names",
    "drug_names": "drug_names",
    "medication_name": "drug_names",
    "patient_id": "patient_ids",
    "name": "person_names",
}
_BY_EXPECTED = {"sufficient": "enough", "ask_user": "asked", "skip_and_continue": "skipped"}
_WITH_ALTERNATIVES = frozenset({"selection", "step", "result", "plan"})

Scores = dict[str, float]


def score(case: Case, reply: Reply) -> Scores:
    """Every metric that the case says something about."""
    if case.kind == "arguments":
        return arguments(case.arguments, reply.arguments or {})
    if case.kind == "plan":
        return plan(case, reply)
    found: Scores = {"right": float(_right(case, reply))}
    if case.kind in _WITH_ALTERNATIVES:
        found["acceptable"] = float(_acceptable(case, reply))
    if case.kind == "intent" and case.tool:
        found["suggested"] = float(reply.suggested == case.tool)
    if case.expect in _BY_EXPECTED:
        found[_BY_EXPECTED[case.expect]] = found["right"]
    if case.arguments and reply.arguments is not None:
        given = reply.arguments if reply.choice == case.expect else {}
        told = arguments(case.arguments, given)
        found |= {name: value for name, value in told.items() if name != "right"}
    return found


def arguments(expected: Mapping[str, Value], given: Mapping[str, Any]) -> Scores:
    """`right`: all of it. `arguments`: the share of the values that were said. `unsaid`: the rest was left blank."""
    hits = {name: meets(name, value, given.get(name)) for name, value in expected.items()}
    said = [name for name, value in expected.items() if value is not None]
    found: Scores = {"right": float(all(hits.values()))}
    if said:
        found["arguments"] = sum(hits[name] for name in said) / len(said)
    if len(said) < len(expected):
        found["unsaid"] = float(all(hits[name] for name in expected if name not in said))
    for name in said:
        if name in _BY_FIELD:
            found[_BY_FIELD[name]] = float(hits[name])
    return found


def meets(name: str, expected: Value, got: object) -> bool:
    """Whether one value means what is expected; what nobody said must be blank."""
    if expected is None:
        return got is None or (isinstance(got, str) and got.strip().casefold() in _BLANKS)
    return agrees(name, expected, got)


def plan(case: Case, reply: Reply) -> Scores:
    """`right`: these steps in this order and no other. `acceptable`: the same tools in another order."""
    same = sorted(reply.steps) == sorted(case.plan)
    return {"right": float(reply.steps == case.plan), "acceptable": float(same)}


def counts(case: Case, reply: Reply) -> dict[str, float]:
    """Numbers that tell how a way of asking goes wrong."""
    found: dict[str, float] = {}
    if case.kind == "plan":
        found = {"steps_planned": len(reply.steps), "steps_needed": len(case.plan)}
    if reply.approved is not None:
        found["approved"] = len(reply.approved)
    if case.kind in ("selection", "step"):
        known = (case.expect or "", *case.acceptable)
        found["unasked_write"] = float(_writes(reply.choice) and not any(_writes(name) for name in known))
    return found


def differences(case: Case, reply: Reply) -> tuple[Difference, ...]:
    """What was not exactly right, in words. An answer that only took a second try is no difference."""
    if case.kind == "arguments":
        given = reply.arguments or {}
        return tuple(
            Difference(column=name, expected=_words(value), got=_words(given.get(name)))
            for name, value in case.arguments.items()
            if not meets(name, value, given.get(name))
        )
    if case.kind == "plan":
        wrong, expected, got = reply.steps != case.plan, case.plan, reply.steps
        return (Difference(column="right", expected=", ".join(expected), got=", ".join(got)),) if wrong else ()
    if _right(case, reply):
        return ()
    got_words = reply.choice if reply.approved is None else ", ".join(reply.approved) or "none of them"
    return (Difference(column="right", expected=_expected(case), got=got_words),)


def _right(case: Case, reply: Reply) -> bool:
    """Of tools that were asked about one by one, only the right one may have been called suitable."""
    if reply.approved is not None:
        return reply.approved == (case.expect,)
    return reply.choice == case.expect


def _acceptable(case: Case, reply: Reply) -> bool:
    """Right, or one that would serve, too. Asked one by one: the right one is at least among them."""
    if reply.approved is not None:
        return case.expect in reply.approved
    return _right(case, reply) or reply.choice in case.acceptable


def _expected(case: Case) -> str:
    also = f" (or {', '.join(case.acceptable)})" if case.acceptable else ""
    return f"{case.expect}{also}"


def _writes(name: str) -> bool:
    return name in REGISTRY and REGISTRY[name].writes


def _words(value: object) -> str:
    if isinstance(value, list | tuple):
        return " + ".join(map(str, value))
    return str(value) if value not in (None, "") else "nothing"
