"""The moment of a turn that a case stands for, as the graph's own state: so that the product's own prompts fit it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from docgemma.agent.state import AttachedImage, State, ToolRun
from docgemma.agent.understanding.needs import needs
from docgemma.agent.understanding.reading import read
from docgemma.clinical import Patient
from docgemma.evals.nodes.cases import Came, Case
from docgemma.evals.turns.clinic import people
from docgemma.reader.loading import PACKAGED


def state_of(case: Case) -> State:
    """What input_assembly and the look-ups of the case have left in the state. Nobody looks at an image here."""
    patient = _on_screen(case.patient)
    entities = replace(read(PACKAGED, case.say, on_screen=patient is not None), has_image=case.image)
    return {
        "message": case.say,
        "request": case.say,
        "task_summary": case.say,
        "entities": entities,
        "needs": needs(entities, has_image=case.image, patient_known=patient is not None),
        "runs": tuple(run_of(came, case.tries) for came in case.results),
        "pinned": patient,
        "image": AttachedImage(id="case") if case.image else None,
        "steps": len(case.results),
        "retries": case.tries - 1,
        "total_retries": case.tries - 1,
    }


def run_of(came: Came, attempts: int = 1) -> ToolRun:
    args: dict[str, Any] = {
        name: list(value) if isinstance(value, tuple) else value for name, value in came.args.items()
    }
    return ToolRun(came.tool, args, came.typed(), attempts=attempts)


def _on_screen(id_: str | None) -> Patient | None:
    found = next((person for person in people() if person.id == id_), None)
    return Patient(id=found.id, banner=found.match().banner()) if found else None
