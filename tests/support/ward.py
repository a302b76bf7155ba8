"""The agent on a record system that a test has scripted: one patient who is asked about, one who must stay unseen."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from docgemma.agent.rules import RULES
from docgemma.agent.session import Sessions
from docgemma.agent.state import Services
from docgemma.audit.log import AuditLog
from docgemma.ehr.audited import AuditedEhr
from docgemma.ehr.contract import CHART
from docgemma.llm.contract import LanguageModel, Prompt, T, current_usage
from docgemma.llm.rules import GuardedModel, RulesModel
from docgemma.store.database import Database
from docgemma.store.sessions import Store
from docgemma.store.sqlite import SqliteDatabase
from docgemma.toolbox import Toolbox
from docgemma.tools.charts import Charts
from docgemma.tools.handlers import ClinicalTools
from docgemma.tools.registry import EXTRAS, READS, RESULT_TYPES, TOOLS
from docgemma.tools.scripted import ScriptedTools
from docgemma.tools.server import build_server
from tests.support.scripted_fhir import Resource, ScriptedFhir, in_process
from tests.support.turns import Stage

ANN, NAME = "ann-101", "Ann Leeway"
DATABASE = "docgemma.sqlite"
STRANGER, CANARY = "zed-202", "Quelbane"
NO_ALLERGIES = "No known drug allergies. She has no allergies on record. The allergy list is empty. Allergies: none."
ALLERGENS = ("Anaprazole dust", "Besicillin", "Coralimab")


def patient(id_: str, given: str, family: str, mrn: str, born: str) -> Resource:
    number = {"type": {"coding": [{"code": "MR"}]}, "system": "urn:test:mrn", "value": mrn}
    name = {"use": "official", "given": [given], "family": family}
    return {"resourceType": "Patient", "id": id_, "identifier": [number], "name": [name], "birthDate": born}


def entry(kind: str, id_: str, who: str, text: str, **more: Any) -> Resource:
    """An entry in force. Each kind says what it is about in an element of its own; a reader takes what it knows."""
    concept = {"text": text}
    about = "patient" if kind in ("AllergyIntolerance", "Immunization") else "subject"
    status = {"coding": [{"code": "active"}]} if kind in ("AllergyIntolerance", "Condition") else None
    return {
        "resourceType": kind,
        "id": id_,
        about: {"reference": f"Patient/{who}"},
        "code": concept,
        **({"clinicalStatus": status} if status else {"status": "active"}),
        **({"intent": "order"} if kind == "MedicationRequest" else {}),
        **({"medicationCodeableConcept": concept} if kind.startswith("Medication") else {}),
        **more,
    }


def hers() -> list[Resource]:
    allergies = [entry("AllergyIntolerance", f"{ANN}-a{at}", ANN, what) for at, what in enumerate(ALLERGENS)]
    others = [entry(kind, f"{ANN}-{kind}", ANN, f"her {kind}") for kind in CHART if kind != "AllergyIntolerance"]
    return [patient(ANN, "Ann", "Leeway", "9100011", "1961-01-11"), *allergies, *others]


def theirs() -> list[Resource]:
    entries = [entry(kind, f"{STRANGER}-{kind}", STRANGER, CANARY) for kind in CHART]
    return [patient(STRANGER, "Zed", CANARY, "9200022", "1952-02-22"), *entries]


class Reassuring:
    """A model that decides by rule and then writes that all is well, whatever was read."""

    name = "reassuring"

    def __init__(self, text: str = NO_ALLERGIES) -> None:
        self.text = text
        self._rules = RulesModel(RULES)

    async def decide(self, prompt: Prompt, schema: type[T], *, max_tokens: int) -> T:
        current_usage().calls += 1
        answer = await self._rules.decide(prompt, schema, max_tokens=max_tokens)
        current_usage().answered_by = "model"
        return answer

    async def write(self, prompt: Prompt, *, temperature: float, max_tokens: int) -> AsyncIterator[str]:
        current_usage().calls += 1
        current_usage().answered_by = "model"
        yield self.text


@asynccontextmanager
async def ward(
    home: Path,
    server: ScriptedFhir,
    model: LanguageModel | None = None,
    *,
    database: Database | None = None,
    **client: Any,
) -> AsyncIterator[Stage]:
    """As `tests.support.charts.clinic`, over this server. `client` are options of the FHIR client."""
    rules = RulesModel(RULES)
    async with Store(database or SqliteDatabase(home / DATABASE)) as store:
        charts = Charts(AuditedEhr(in_process(server, **client), AuditLog(store.database)))
        tools = build_server(ClinicalTools(charts=charts).handlers())
        async with Toolbox({tool.name: tools for tool in TOOLS}, RESULT_TYPES, reads=READS, extras=EXTRAS) as box:
            guarded = rules if model is None else GuardedModel(model, rules)
            sessions = Sessions(store, Services(guarded, box, charts=charts))
            yield Stage(sessions, store, model or rules, ScriptedTools({}))
