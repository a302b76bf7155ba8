"""A small hospital behind scripted tools: they answer by what they are asked, as real ones do."""

from __future__ import annotations

from typing import Any

from docgemma.agent.record import TurnRecord
from docgemma.clinical import ToolResult
from docgemma.tools.results import DrugSafetyReport
from docgemma.tools.scripted import ScriptedTools
from tests.support import results as r
from tests.support.turns import Stage

DIRECT = {"intent": "DIRECT", "task_summary": "a question", "suggested_tool": None}
RICH = {"quality": "success_rich", "brief_summary": "found"}
MAYBE = DrugSafetyReport(
    status="not_found", error_type="ambiguous_drug_name", suggestions=("metformin", "metoprolol"), message="metfromin?"
)


def hospital() -> ScriptedTools:
    """Three patients by that name or this, one misspelt drug, and whatever is asked to be written is proposed."""

    def search(args: dict[str, Any]) -> ToolResult:
        return next((hit for name, hit in PEOPLE.items() if name in args["name"]), ToolResult(status="not_found"))

    def safety(args: dict[str, Any]) -> ToolResult:
        drug = args["drug_name"]
        return MAYBE if drug == "metfromin" else r.safety(drug, f"{drug} has a boxed warning.")

    def chart(args: dict[str, Any]) -> ToolResult:
        return r.chart(args["patient_id"], BANNERS[args["patient_id"]])

    def propose(args: dict[str, Any]) -> ToolResult:
        return r.proposal("; ".join(map(str, args.values())))

    return ScriptedTools(
        {
            "search_patient": search,
            "check_drug_safety": safety,
            "get_patient_chart": chart,
            "prescribe_medication": propose,
            "add_allergy": propose,
            "save_clinical_note": propose,
        }
    )


PEOPLE = {"Maria": r.MARIA, "Smith": r.JOHN, "Wilson": r.WILSONS}
BANNERS = {match.patient_id: match.banner() for found in PEOPLE.values() for match in found.matches}


async def converse(on: Stage, *messages: str, **first: Any) -> list[TurnRecord]:
    records: list[TurnRecord] = []
    for message in messages:
        more = {"session_id": records[-1].session_id} if records else first
        records.append(await on.ask(message, **more))
    return records
