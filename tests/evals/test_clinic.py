"""The fictional clinic answers as real tools do, and always in the same way."""

from __future__ import annotations

from typing import Any

import pytest

from docgemma.clinical import ToolResult
from docgemma.evals.clinic import handlers, people
from docgemma.tools.registry import REGISTRY, TOOL_NAMES, ToolName
from docgemma.tools.results import PatientSearchResult, Proposal


async def ask(tool: ToolName, **args: Any) -> ToolResult:
    result = await handlers()[tool](REGISTRY[tool].call.model_validate(args))
    assert isinstance(result, REGISTRY[tool].result)
    return result


async def search(name: str) -> tuple[list[str], bool]:
    """The ids found, and whether by exactly this name."""
    result = await ask("search_patient", name=name)
    assert isinstance(result, PatientSearchResult)
    assert (result.status == "found") is bool(result.matches)
    assert (result.error_type == "multiple_patient_matches") is (len(result.matches) > 1)
    return [match.patient_id for match in result.matches], all(match.exact for match in result.matches)


def test_every_tool_has_its_place() -> None:
    assert set(handlers()) == set(TOOL_NAMES)


def test_ids_and_record_numbers_are_unique() -> None:
    codes = [code for person in people() for code in (person.id, person.mrn)]
    assert len(set(codes)) == len(codes) == 28


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("Maria Garcia", ["abc-123"]),
        ("garcia, maria", ["abc-123"]),
        ("Mrs Maria Garcia", ["abc-123"]),
        ("siobhan oconnor", ["jkl-012"]),
        ("Siobhan O’Connor's", ["jkl-012"]),
        ("anne marie lefevre", ["mno-345"]),
        ("Mohammed Al Rashid", ["402"]),
        ("Baby of Fatima Sheikh", ["xyz-900"]),
        ("James Wilson", ["rst-111", "rst-222", "rst-333"]),
        ("ramesh kumar", ["uvw-101", "uvw-202"]),
    ],
)
async def test_a_full_name_is_found(name: str, found: list[str]) -> None:
    assert await search(name) == (found, True)


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("Mrs Garcia", ["abc-123"]),
        ("Smith", ["def-456"]),
        ("J. Smith", ["def-456"]),
        ("Jon Smith", ["def-456"]),
        ("John Smyth", ["def-456"]),
        ("Priya", ["ghi-789"]),
        ("Fatima Sheikh", ["xyz-900"]),
        ("Mr Wilson", ["rst-111", "rst-222", "rst-333"]),
    ],
)
async def test_a_part_or_a_near_spelling_must_be_confirmed(name: str, found: list[str]) -> None:
    assert await search(name) == (found, False)


@pytest.mark.parametrize("name", ["Joan Smith", "Maria Lopez", "Peter Garcia", "J. S.", "Mr", "??"])
async def test_another_name_is_not_found(name: str) -> None:
    assert (await search(name))[0] == []


@pytest.mark.parametrize("patient_id", ["abc-123", "ABC-123", " 448812 "])
async def test_a_chart_is_found_by_id_or_record_number(patient_id: str) -> None:
    result = await ask("get_patient_chart", patient_id=patient_id)
    assert result.status == "found"
    assert "Maria Garcia, born 1962-03-14" in result.text()


async def test_an_unknown_id_is_not_found() -> None:
    assert (await ask("get_patient_chart", patient_id="abc-999")).status == "not_found"
    written = await ask("add_allergy", patient_id="abc-999", substance="latex", reaction="rash")
    assert written.status == "not_found"


async def test_a_misspelt_drug_is_asked_about_and_an_unheard_one_has_no_label() -> None:
    near = await ask("check_drug_safety", drug_name="dofetilid")
    assert near.error_type == "ambiguous_drug_name"
    assert "dofetilide" in near.suggestions
    assert (await ask("check_drug_safety", drug_name="zzyzxumab")).error_type == "drug_not_in_database"
    pair = await ask("check_drug_interactions", drug_names=["warfarin", "ibuprofin"])
    assert pair.error_type == "ambiguous_drug_name"
    assert "ibuprofin" in pair.message  # the question names the word that was not understood


async def test_shorthand_will_do_for_a_look_up_and_not_for_an_order() -> None:
    assert (await ask("check_drug_safety", drug_name="vanc")).status == "found"
    order = {"patient_id": "abc-123", "medication_name": "vanc", "dosage": "1 g", "frequency": "twice daily"}
    result = await ask("prescribe_medication", **order)
    assert result.error_type == "ambiguous_drug_name"
    assert result.suggestions == ("vancomycin",)


async def test_every_pair_has_an_entry() -> None:
    result = await ask("check_drug_interactions", drug_names=["warfarin", "ibuprofen", "aspirin"])
    assert result.status == "found"
    assert len(result.text().splitlines()) == 3


async def test_a_complete_write_gives_a_card_and_the_same_one_again() -> None:
    order = {"patient_id": "abc-123", "medication_name": "metformin", "dosage": "500 mg", "frequency": "daily"}
    first, again = await ask("prescribe_medication", **order), await ask("prescribe_medication", **order)
    other = await ask("prescribe_medication", **(order | {"dosage": "850 mg"}))
    assert isinstance(first, Proposal)
    assert isinstance(other, Proposal)
    assert first.status == "proposed"
    assert first == again
    assert first.approval_id != other.approval_id


async def test_a_drug_nobody_knows_cannot_be_ordered() -> None:
    result = await ask(
        "prescribe_medication", patient_id="abc-123", medication_name="metfromin", dosage="500 mg", frequency="daily"
    )
    assert result.status == "not_found"
