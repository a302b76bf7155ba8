"""A fictional clinic to run cases in: it answers by what it is asked, as real tools do, and always in the same way.

Every drug our dictionary knows has a label, every pair an entry, every search a result, and every complete write gives
a card. So a case fails by what was understood, never by what a source happened to hold on that day.
"""

from __future__ import annotations

import difflib
import hashlib
import json
import unicodedata
from collections.abc import Awaitable, Callable, Mapping
from functools import cache, partial
from importlib.resources import files
from itertools import combinations
from typing import Any, Literal

from pydantic import TypeAdapter

from docgemma.clinical import ErrorType, Frozen, ToolResult
from docgemma.entities.drugs.spelling import resolve
from docgemma.entities.words import word_set
from docgemma.tools import results as r
from docgemma.tools.arguments import Arguments
from docgemma.tools.registry import REGISTRY, TOOL_NAMES, ToolName
from docgemma.tools.server import Handler

Play = Callable[[ToolName, Arguments], Awaitable[ToolResult]]
"""Who answers a call of a tool."""
TODAY = "2026-11-15"
TITLES = word_set("mr mrs ms miss mx dr prof master sri smt shri mst")
UNKNOWN_ID = "No patient is registered under this id."
_PACK: dict[str, Any] = {"status": "found", "origin": "pack", "demonstration": True, "data_date": TODAY}
ALIKE = 0.8
"""How close two spellings of one name are: "Jon" is close to "John", "Joan" is another name."""


class Person(Frozen):
    """One invented patient."""

    id: str
    name: str
    born: str
    sex: str
    mrn: str
    chart: dict[str, tuple[str, ...]]

    def match(self, *, exact: bool = True) -> r.PatientMatch:
        return r.PatientMatch(
            patient_id=self.id, name=self.name, birth_date=self.born, sex=self.sex, mrn_tail=self.mrn[-3:], exact=exact
        )


@cache
def people() -> tuple[Person, ...]:
    """Everybody who is registered in the clinic."""
    data = json.loads(files("docgemma.evals").joinpath("clinic.json").read_text(encoding="utf-8"))
    return TypeAdapter(tuple[Person, ...]).validate_python(data["patients"])


def plain_words(text: str) -> list[str]:
    """The words of a name or a topic, without case, accents, marks and possessives."""
    folded = unicodedata.normalize("NFKD", text.casefold().replace("’", "'"))
    bare = "".join(letter for letter in folded if not unicodedata.combining(letter))
    bare = bare.replace("'s ", " ").removesuffix("'s").replace("'", "")
    return "".join(letter if letter.isalnum() else " " for letter in bare).split()


async def play(name: ToolName, arguments: Arguments) -> ToolResult:
    """One call of one of the ten tools. They keep nothing between two calls, so one clinic serves all sessions."""
    tool, given = REGISTRY[name], arguments.model_dump(exclude_none=True)
    drugs = [given[field] for field in ("drug_name", "medication_name") if field in given]
    for drug in [*drugs, *given.get("drug_names", ())]:
        if unknown := _unknown_drug(name, drug):
            return unknown
    if "patient_id" in given and registered(given["patient_id"]) is None:
        return tool.result(status="not_found", error_type="not_found", origin="ehr", message=UNKNOWN_ID)
    return tool.result(**(_proposal(name, given) if tool.writes else _LOOK_UPS[name](given)))


def handlers() -> dict[ToolName, Handler]:
    """The ten tools of this clinic."""
    return {name: partial(play, name) for name in TOOL_NAMES}


class Desk:
    """The clinic's record system: who an id or a record number is. It reads nothing ahead."""

    async def who(self, written: str) -> r.PatientSearchResult:
        person = registered(written)
        if person is None:
            return r.PatientSearchResult(status="not_found", error_type="not_found", origin="ehr", message=UNKNOWN_ID)
        return r.PatientSearchResult(status="found", origin="ehr", matches=(person.match(),))

    async def summary(self, patient_id: str) -> r.PatientSummary:
        person = registered(patient_id)
        banner = person.match().banner() if person else ""
        return r.PatientSummary(status="found", origin="ehr", patient_id=patient_id, banner=banner)


_LOOK_UPS: dict[ToolName, Callable[[dict[str, Any]], dict[str, Any]]] = {
    "check_drug_safety": lambda given: {
        **_PACK,
        "drug": given["drug_name"],
        "alerts": (f"Invented label text for {given['drug_name']}, for evals only.",),
    },
    "check_drug_interactions": lambda given: {
        **_PACK,
        "interactions": [
            {"drugs": pair, "significance": "invented entry, for evals only"}
            for pair in combinations(given["drug_names"], 2)
        ],
    },
    "search_medical_literature": lambda given: {
        **_PACK,
        "articles": [
            {"title": f"An invented review: {given['query']}", "journal": "Journal of Fictional Medicine", "year": 2025}
        ],
    },
    "find_clinical_trials": lambda given: {
        **_PACK,
        "trials": [
            {
                "nct_id": "NCT00000000",
                "title": f"An invented trial: {given['condition']}",
                "status": given.get("status"),
            }
        ],
        "total": 1,
    },
    "search_patient": lambda given: _search(given["name"]),
    "get_patient_chart": lambda given: _chart(given["patient_id"]),
    "analyze_medical_image": lambda given: {
        "status": "found",
        "origin": "model",
        "modality": "unknown",
        "findings": ("An invented finding, for evals only.",),
        "warnings": ("A specialist must review this image.",),
    },
}
"""What each look-up finds, as fields of its result."""


def _search(name: str) -> dict[str, Any]:
    asked = [word for word in plain_words(name) if word not in TITLES]
    # The whole name in either order: "Garcia, Maria" is Maria Garcia.
    exact = [person for person in people() if asked and sorted(asked) == sorted(plain_words(person.name))]
    found = exact or [person for person in people() if _in_part(asked, person)]
    if not found:
        message = "No patient is registered by this name."
        return {"status": "not_found", "error_type": "not_found", "origin": "ehr", "message": message}
    return {
        "status": "found",
        "origin": "ehr",
        "matches": tuple(person.match(exact=bool(exact)) for person in found),
        "error_type": "multiple_patient_matches" if len(found) > 1 else None,
    }


def _chart(patient_id: str) -> dict[str, Any]:
    person = registered(patient_id)
    assert person is not None  # `play` has asked
    return {
        "status": "found",
        "origin": "ehr",
        "data_date": TODAY,
        "patient_id": person.id,
        "banner": person.match().banner(),
        "sections": [{"title": title, "entries": entries} for title, entries in person.chart.items()],
    }


def _proposal(tool: ToolName, order: dict[str, Any]) -> dict[str, Any]:
    """A card that waits; its id follows from its content, so that two runs give the same record."""
    card = f"{REGISTRY[tool].label}: " + "; ".join(map(str, order.values()))
    ident = f"eval-{hashlib.sha256(card.encode()).hexdigest()[:8]}"
    return {"status": "proposed", "origin": "ehr", "approval_id": ident, "card": card, "order": order}


def unavailable(tool: ToolName, error_type: ErrorType, message: str) -> ToolResult:
    """What a tool says that was not heard; `{label}` in the message is its name."""
    said = message.format(label=REGISTRY[tool].label)
    return REGISTRY[tool].result(status="unavailable", error_type=error_type, message=said)


def registered(patient_id: str) -> Person | None:
    """Who has this id or record number."""
    asked = patient_id.strip().casefold()
    return next((person for person in people() if asked in (person.id, person.mrn)), None)


def _unknown_drug(tool: ToolName, name: str) -> ToolResult | None:
    """None for a drug that the dictionary knows. A name close to one is asked about, any other has no label.

    Shorthand will do for a look-up; an order is made from a full name only.
    """
    meant = resolve(name)
    if meant.kind == "known" or (meant.kind == "shorthand" and not REGISTRY[tool].writes):
        return None
    close = meant.suggestions or ((meant.name,) if meant.name else ())
    return REGISTRY[tool].result(
        status="not_found",
        error_type="ambiguous_drug_name" if close else "drug_not_in_database",
        message=f"No drug is known under the name {name}.",
        suggestions=close,
    )


def _in_part(asked: list[str], person: Person) -> bool:
    """Every word asked for is one of the name's, nearly one, or its initial; initials alone name nobody."""
    name = plain_words(person.name)
    return any(len(word) > 1 for word in asked) and all(any(_alike(word, part) for part in name) for word in asked)


def _alike(word: str, part: str) -> bool:
    if len(word) == 1:
        return part.startswith(word)
    return word == part or difflib.SequenceMatcher(None, word, part).ratio() >= ALIKE


# ----------
# The same clinic with sources that fail.


Fault = Literal["timeout", "unavailable", "not_found", "none", "slow_then_ok", "garbage"]

FAULTS: dict[Fault, tuple[ErrorType | None, str]] = {
    "timeout": ("timeout", "The {label} did not answer in time; nothing was {done}."),
    "slow_then_ok": ("timeout", "The {label} did not answer in time; nothing was {done}."),
    "unavailable": ("service_unavailable", "The {label} cannot be reached; nothing was {done}."),
    "garbage": ("invalid_response", "The {label} gave an answer that could not be read; nothing was {done}."),
    "not_found": (None, "The {label} has no entry for this."),
    "none": (None, "The {label} was read in full and holds nothing on this."),
}
"""What a source that was not heard is told apart by, and what it says."""

_DRUGS: frozenset[ToolName] = frozenset({"check_drug_safety", "check_drug_interactions", "prescribe_medication"})


def with_faults(faults: Mapping[ToolName, Fault]) -> Play:
    """The clinic with these tools failing; one that is slow does so once. Nothing waits: it says so at once."""
    left = dict(faults)

    async def call(name: ToolName, arguments: Arguments) -> ToolResult:
        fault = left.get(name)
        if fault is None:
            return await play(name, arguments)
        if fault == "slow_then_ok":
            del left[name]
        return failed(name, fault)

    return call


def failed(name: ToolName, fault: Fault) -> ToolResult:
    """What the tool gives back. `none` is what a source says that was heard; all else but `not_found` was not."""
    error, said = FAULTS[fault]
    message = said.replace("{done}", "prepared" if REGISTRY[name].writes else "checked")
    if error is not None:
        return unavailable(name, error, message)
    message = message.format(label=REGISTRY[name].label)
    if fault == "none":
        return REGISTRY[name].result(status="none", message=message)
    unknown: ErrorType = "drug_not_in_database" if name in _DRUGS else "not_found"
    return REGISTRY[name].result(status="not_found", error_type=unknown, message=message)
