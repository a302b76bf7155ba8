"""The four worked examples of the agent's specification, call by call. `docs/walkthroughs.md` is drawn from here.

Shortcuts are off: this is the specification's own sequence of model calls. Where it counts one call for choosing a
tool and its arguments, we count two, because two are made.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from docgemma.agent.record import TurnRecord
from docgemma.llm.scripted import Answer, Call, ScriptedModel
from docgemma.tools.scripted import ScriptedTools, Timeout
from tests.support import results as r
from tests.support.turns import stage

Script = list[tuple[str, Answer]]


@dataclass(frozen=True)
class Walkthrough:
    """A message, what the model answers to which prompt, and what the tools return."""

    title: str
    message: str
    script: Script
    tools: Callable[[], ScriptedTools]


@dataclass(frozen=True)
class Played:
    record: TurnRecord
    calls: list[Call]
    tool_calls: list[tuple[str, dict[str, object]]]


async def play(walkthrough: Walkthrough, folder: Path, *, shortcuts: bool = False) -> Played:
    """Run it through the whole agent. The script must be asked for exactly, in this order."""
    model = ScriptedModel(*[answer for _, answer in walkthrough.script])
    tools = walkthrough.tools()
    async with stage(folder, model, tools, shortcuts=shortcuts) as on:
        record = await on.ask(walkthrough.message)
    model.assert_done()
    return Played(record, model.calls, tools.calls)


def intent(summary: str, tool: str | None = None) -> tuple[str, Answer]:
    kind = "TOOL_NEEDED" if tool else "DIRECT"
    return "intent_classify", {"intent": kind, "task_summary": summary, "suggested_tool": tool}


def select(tool: str, **args: object) -> Script:
    return [("tool_select", {"tool_name": tool}), ("tool_select_arguments", args)]


def judge(quality: str, summary: str) -> tuple[str, Answer]:
    return "result_classify", {"quality": quality, "brief_summary": summary}


DIRECT = Walkthrough(
    "Direct response",
    "What is hypertension?",
    [
        intent("User is asking for a general medical definition of hypertension"),
        (
            "synthesize",
            "Hypertension is a condition characterized by persistently elevated arterial blood pressure, typically "
            "defined as systolic ≥130 mmHg or diastolic ≥80 mmHg.",
        ),
    ],
    lambda: ScriptedTools({}),
)

SINGLE_TOOL = Walkthrough(
    "Single tool",
    "Check FDA warnings for dofetilide",
    [
        intent("Clinician requesting FDA boxed warnings and safety information for dofetilide", "check_drug_safety"),
        *select("check_drug_safety", drug_name="dofetilide"),
        judge("success_rich", "Complete FDA boxed warning data returned including Torsade de Pointes risk"),
        (
            "synthesize",
            "Dofetilide carries an FDA boxed warning for torsade de pointes. It must only be started in a setting "
            "with continuous ECG monitoring for at least 3 days.",
        ),
    ],
    lambda: ScriptedTools({"check_drug_safety": [r.DOFETILIDE]}),
)

MULTI_TOOL = Walkthrough(
    "Multi-tool",
    "Find patient John Smith, check his chart, and verify metformin safety",
    [
        intent(
            "Clinician wants to look up patient John Smith, review clinical record, and check metformin safety",
            "search_patient",
        ),
        *select("search_patient", name="John Smith"),
        judge("success_rich", "One patient found"),
        *select("get_patient_chart", patient_id="abc-123"),
        judge("success_rich", "Full chart returned"),
        *select("check_drug_safety", drug_name="metformin"),
        judge("success_rich", "Boxed warning returned"),
        (
            "synthesize",
            "John Smith takes metformin 500 mg twice daily; his eGFR is 71 mL/min/1.73 m2. Metformin carries a boxed "
            "warning for lactic acidosis, whose risk rises with renal impairment.",
        ),
    ],
    lambda: ScriptedTools(
        {
            "search_patient": [r.JOHN],
            "get_patient_chart": [r.chart("abc-123", "John Smith, born 1958-09-30")],
            "check_drug_safety": [r.METFORMIN],
        }
    ),
)

ERROR_RECOVERY = Walkthrough(
    "Error recovery",
    "Check FDA warnings for amiodarone",
    [
        intent("Clinician requesting FDA boxed warnings for amiodarone", "check_drug_safety"),
        *select("check_drug_safety", drug_name="amiodarone"),
        judge("error_retryable", "The report was temporarily unavailable"),
        ("error_handler", {"strategy": "retry_same"}),
        judge("success_rich", "Boxed warning returned"),
        ("synthesize", "Amiodarone carries a boxed warning for pulmonary toxicity, hepatic injury and arrhythmia."),
    ],
    lambda: ScriptedTools({"check_drug_safety": [Timeout(), r.AMIODARONE]}),
)

WALKTHROUGHS = (DIRECT, SINGLE_TOOL, MULTI_TOOL, ERROR_RECOVERY)
