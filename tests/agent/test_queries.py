"""What a model may choose from, and what becomes of the few words it says to look up."""

from __future__ import annotations

from typing import Any

import pytest

from docgemma.agent.queries import arguments_for, can_be_reread, open_tools
from docgemma.tools.registry import REGISTRY, ToolName
from tests.agent.nodes.states import assembled
from tests.support.tables import each_of

OPEN = [
    ("what is hypertension", set()),
    ("should I prescribe warfarin to mgr-204", set()),
    ("do not prescribe amoxicillin 500 mg twice daily for jwa-101", set()),
    ('the leaflet says "prescribe dofetilide 500 mcg twice daily for jwb-102"', set()),
    ("prescribe metformin 500 mg twice daily for abc-123", {"prescribe_medication"}),
    ("add a penicillin allergy with hives for abc-123", {"add_allergy"}),
    ("save a progress note for abc-123: feels better on metformin", {"save_clinical_note"}),
]


@pytest.mark.parametrize(("message", "entries"), OPEN)
async def test_an_entry_is_open_only_where_the_words_ask_for_it(message: str, entries: set[str]) -> None:
    open_names = open_tools(await assembled(message))
    assert {name for name in open_names if REGISTRY[name].writes} == entries
    assert "search_medical_literature" in open_names
    assert "analyze_medical_image" not in open_names


QUERIES: list[tuple[str, ToolName, str, dict[str, Any]]] = [
    ("warnings for dofetilide and amiodarone", "check_drug_safety", "amiodarone label", {"drug_name": "amiodarone"}),
    ("warnings for dofetilide and amiodarone", "check_drug_safety", "", {"drug_name": "dofetilide"}),
    ("she is on amlodipine, what next", "check_drug_safety", "lisinopril", {"drug_name": "lisinopril"}),
    ("is zzyzxium any good", "check_drug_safety", "zzyzxium", {"drug_name": "zzyzxium"}),
    (
        "warfarin with aspirin?",
        "check_drug_safety",
        "the safety of giving both of these drugs",
        {"drug_name": "warfarin"},
    ),
    (
        "add something for pressure",
        "check_drug_interactions",
        "lisinopril with lithium",
        {"drug_names": ["lisinopril", "lithium"]},
    ),
    ("show me abc-123", "get_patient_chart", "xyz-999", {"patient_id": "abc-123"}),
    ("find James Wilson", "search_patient", "James Wilson", {"name": "James Wilson"}),
    ("who is on the ward", "search_patient", "James Wilson", {}),
    ("evidence on colchicine in gout", "search_medical_literature", "none", {"query": "colchicine in gout"}),
    (
        "prescribe metformin for abc-123",
        "prescribe_medication",
        "500 mg hourly",
        {"patient_id": "abc-123", "medication_name": "metformin"},
    ),
]


@pytest.mark.parametrize(("message", "tool", "query", "args"), QUERIES)
async def test_what_a_query_becomes(message: str, tool: ToolName, query: str, args: dict[str, Any]) -> None:
    found = arguments_for(await assembled(message), tool, query)
    assert {name: sourced.value for name, sourced in found.args.items()} == args


USERS: list[tuple[str, str, ToolName, str, dict[str, Any]]] = [
    ("look up jwc-103", "show me abc-123", "get_patient_chart", "jwc-103", {"patient_id": "abc-123"}),
    ("find Maria Garcia", "show John Smith's chart", "search_patient", "Maria Garcia", {"name": "John Smith"}),
    ("hello", "show John Smith's chart", "search_patient", "chart", {"name": "John Smith"}),
    (
        "hello",
        "interactions between warfarin, aspirin and ibuprofen",
        "check_drug_interactions",
        "warfarin with aspirin",
        {"drug_names": ["warfarin", "aspirin", "ibuprofen"]},
    ),
]


@pytest.mark.parametrize(("earlier", "message", "tool", "query", "args"), USERS)
async def test_whom_and_what_the_user_named_no_query_replaces(
    earlier: str, message: str, tool: ToolName, query: str, args: dict[str, Any]
) -> None:
    """Nobody else's chart is read in place of one, and no drug is left out of a check."""
    found = arguments_for(await assembled(message, earlier=(earlier,)), tool, query)
    assert {name: sourced.value for name, sourced in found.args.items()} == args


FIXABLE = [((), False), (("patient_id",), False), (("image",), False), (("patient_id", "dosage"), True)]


@each_of(("missing", "expected"), FIXABLE)
def test_only_what_stands_in_words_can_be_read_again(missing: tuple[str, ...], expected: bool) -> None:
    assert can_be_reread(missing) is expected
