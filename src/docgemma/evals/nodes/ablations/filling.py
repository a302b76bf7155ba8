"""Arguments asked for in other ways: without what rules detected, with fields that may be null, in reverse order."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import BaseModel

from docgemma.agent.examples import example_for
from docgemma.agent.nodes.tool_select import STAGE_2_TOKENS
from docgemma.agent.queries import results_so_far
from docgemma.agent.state import State
from docgemma.evals.nodes.ablations import render
from docgemma.evals.nodes.ablations.schemas import nullable_arguments
from docgemma.evals.nodes.asking import Asker, Reply
from docgemma.evals.nodes.cases import Case
from docgemma.evals.nodes.product import tool_of
from docgemma.llm.prompting import Trusted
from docgemma.tools.registry import Tool, ToolName

Fields = Literal["required", "nullable", "reversed"]

WORKED: dict[ToolName, dict[str, Any]] = {
    "check_drug_safety": {"drug_name": "flecainide"},
    "check_drug_interactions": {"drug_names": ["clarithromycin", "simvastatin", "amlodipine"]},
    "search_medical_literature": {"query": "colchicine after pericarditis"},
    "find_clinical_trials": {"condition": "cystic fibrosis", "status": "recruiting"},
    "search_patient": {"name": "Helen Brandt"},
    "get_patient_chart": {"patient_id": "kdm-204"},
    "prescribe_medication": {
        "patient_id": "kdm-204",
        "medication_name": "doxycycline",
        "dosage": "100 mg",
        "frequency": "twice daily",
    },
    "add_allergy": {"patient_id": "kdm-204", "substance": "shellfish", "reaction": "hives"},
    "save_clinical_note": {"patient_id": "kdm-204", "note_type": "procedure note"},
    "analyze_medical_image": {"query": "position of the line tip"},
}
"""The answers to the product's own worked examples."""


@dataclass(frozen=True, slots=True)
class Filling:
    """One way to ask for the arguments, always without hints. `example`: one worked request for the same tool."""

    fields: Fields = "required"
    example: bool = False

    async def __call__(self, asker: Asker, case: Case, state: State) -> Reply:
        tool = tool_of(case)
        query, _ = example_for(tool.name)
        prompt = render(
            "arguments",
            message=state["request"],
            tool_name=Trusted(tool.name),
            tool_description=Trusted(tool.description),
            results=results_so_far(state),
            example_query=Trusted(query) if self.example else "",
            example_arguments=Trusted(json.dumps(WORKED[tool.name])),
        )
        answer = await asker.decide(prompt, self._schema(tool), max_tokens=STAGE_2_TOKENS)
        return Reply(arguments=answer.model_dump())

    def _schema(self, tool: Tool) -> type[BaseModel]:
        if self.fields == "required":
            return tool.args
        return nullable_arguments(tool, reverse=self.fields == "reversed")
