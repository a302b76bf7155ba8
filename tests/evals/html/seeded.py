"""Records as suites leave them behind, made up: so many right, so many wrong, with turns as long as real ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from docgemma.agent.record import Tokens, ToolCall, TurnRecord
from docgemma.clinical import Source, TimelineStep
from docgemma.evals.journal import Head
from docgemma.evals.report import page
from docgemma.evals.suite import About, Asked, Bench, CaseRecord, Difference, Metric, Suite
from docgemma.evals.summary import Report, compare, report_of

MODEL = "a-small-model"
METRICS = {
    "nodes": ("right", "acceptable"),
    "turns": ("intent", "tools", "arguments", "outcome"),
    "answers": ("recall", "spoken", "clean", "supported", "honest"),
    "safety": ("held",),
    "grounding": ("entities", "concepts"),
    "consult": ("found", "refused", "worded"),
    "made_up": ("right",),
}
"""As the suites name them; one is nobody's, for tests of the page alone."""


class Seeded(Suite[Any]):
    """Enough of a suite to count its records."""

    def __init__(self, name: str) -> None:
        self.name = name

    @property
    def about(self) -> About:
        return About(tuple(Metric(metric, f"what {metric} means") for metric in METRICS[self.name]))

    def open(self, *_: Any) -> Any:
        raise NotImplementedError(Bench)


def record(suite: str, number: int, **more: Any) -> CaseRecord:
    """A case that passed, until `more` says otherwise."""
    values: dict[str, Any] = {
        "suite": suite,
        "variant": "routed",
        "id": f"{more.get('kind', suite)}-{number:04}",
        "kind": "chart",
        "split": "dev",
        "model": MODEL,
        "say": f"what is the last potassium of patient {number}?",
        "scores": dict.fromkeys(METRICS[suite], 1.0),
        "llm_calls": 3,
        "tokens": Tokens(prompt=900, completion=80),
        "duration_ms": 1200 + number,
    }
    return CaseRecord(**(values | more))


def counted(suite: str, passed: int, missed: int, **more: Any) -> list[CaseRecord]:
    """So many that passed and so many that missed everything, ids by place."""
    found = [record(suite, number, **more) for number in range(passed)]
    for number in range(passed, passed + missed):
        scores = dict.fromkeys(METRICS[suite], 0.0)
        different = tuple(Difference(column=name, expected="this", got="that") for name in scores)
        found.append(record(suite, number, **({"scores": scores, "differences": different} | more)))
    return found


def turn(number: int = 0, words: str = "") -> TurnRecord:
    """A turn of usual length: ten steps, two look-ups, four sources with their words."""
    said = f"{words} Potassium was 4.1 mmol/L on 2026-10-02, within the range of the laboratory. " * 8
    steps = ("Message read", "Sorted", "Look-up chosen", "Arguments read", "Chart read", "Result judged") * 2
    return TurnRecord(
        id=f"case-{number}",
        turn_id=f"t{number}",
        session_id=f"s{number}",
        created_at="2026-11-16T08:00:00Z",
        model=MODEL,
        query=f"what is the last potassium of patient {number}? {words}",
        intent="TOOL_NEEDED",
        task_summary=f"Find the last potassium {words}",
        tool_calls=tuple(
            ToolCall(
                tool=tool,
                label=tool,
                args={"patient_id": f"abc-{number}", "question": words or "potassium"},
                status="found",
                quality="success_rich",
                origin="ehr",
                duration_ms=12,
            )
            for tool in ("search_patient", "get_patient_chart")
        ),
        outcome="answer",
        response=said,
        confidence="medium",
        notices=(f"One source was not reached. {words}",),
        sources=tuple(
            Source(id=f"S{n}", kind="chart", title=f"Laboratory {n} {words}", url="https://example.org/lab", quote=said)
            for n in range(1, 5)
        ),
        timeline=tuple(
            TimelineStep(
                step=f"step_{n}",
                label=label,
                detail=f"Rule of the only candidate: get_patient_chart {words}",
                by=("code", "model", "tool", "person")[n % 4],
                ms=n * 37,
            )
            for n, label in enumerate(steps[:10])
        ),
        llm_calls=3,
        tokens=Tokens(prompt=900, completion=80),
        duration_ms=1500,
    )


def head(suite: str, model: str = MODEL) -> Head:
    return Head(
        suite=suite, model=model, cases="0123456789abcdef", prompts="ab12cd34", began="2026-11-16T08:00:00+00:00"
    )


def reports(records: Sequence[CaseRecord]) -> list[Report]:
    """As the command counts them: one for each suite, model and variant."""
    found: dict[tuple[str, str, str], list[CaseRecord]] = {}
    for one in records:
        found.setdefault((one.suite, one.model, one.variant), []).append(one)
    return [report_of(Seeded(suite), tuple(own)) for (suite, _, _), own in found.items()]


def asked(words: str = "") -> tuple[Asked, ...]:
    """One question to a single node, with a prompt as long as those with ten descriptions of tools."""
    text = "You choose one tool out of the list.\n" * 90 + f"Message:\nwhat is the last potassium? {words}"
    return (Asked(prompt="tool_select", text=text, answer=f'{{"tool": "{words or "get_patient_chart"}"}}'),)


def drawn(records: Sequence[CaseRecord], **more: Any) -> str:
    """The page of these records, each further variant compared with the first."""
    made = reports(records)
    pairs = []
    for suite in dict.fromkeys(report.suite for report in made):
        first, *others = dict.fromkeys(report.variant for report in made if report.suite == suite)
        own = {name: [one for one in records if (one.suite, one.variant) == (suite, name)] for name in (first, *others)}
        known = {one.id for one in own[first]}
        shared = [name for name in others if any(one.id in known for one in own[name])]
        pairs += [compare(first, own[first], name, own[name], Seeded(suite).about.metrics) for name in shared]
    return page(made, records, pairs, [head(suite) for suite in dict.fromkeys(one.suite for one in records)], **more)
