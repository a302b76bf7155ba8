"""The terminology as it comes: compiled from the shipped files alone, asked as grounding asks it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from docgemma.evals.grounding import Grounding, figures_of, run_case
from docgemma.grounding.contract import Criterion, Entity
from docgemma.grounding.grounding import Services, ground
from docgemma.grounding.rules import RULES
from docgemma.grounding.searching import TerminologyClient
from docgemma.llm.rules import RulesModel
from docgemma.terminology.building.shipped import core_records, shipped_concepts
from docgemma.terminology.contract import EntityType
from docgemma.terminology.embedded import EmbeddedTerminology
from docgemma.terminology.index.building import compile_index
from docgemma.terminology.server import build_terminology_server
from docgemma.terminology.sources.record import UMLS


@pytest.fixture(scope="module")
def shipped(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmbeddedTerminology]:
    path: Path = tmp_path_factory.mktemp("terms") / "shipped.sqlite"
    compile_index(shipped_concepts(), path, lambda *_: None)
    terminology = EmbeddedTerminology(path)
    yield terminology
    terminology.close()


async def entities(shipped: EmbeddedTerminology, text: str) -> dict[str, Entity]:
    server = build_terminology_server(shipped)
    async with TerminologyClient({"concept_search": server, "concept_linking": server}) as client:
        services = Services(llm=RulesModel(RULES), terminology=client)
        (line,) = await ground([Criterion(criterion_id="1", text=text)], "b", services)
    assert line.error is None
    return {entity.text: entity for entity in line.entities}


async def test_every_row_of_the_core_is_found_by_its_name(shipped: EmbeddedTerminology) -> None:
    lost = []
    for record in core_records():
        cui = next((identifier for system, identifier in record.xrefs if system == UMLS), None)
        if cui is None:
            continue
        found = await shipped.search(record.name, type=record.type)
        if not found or found[0].cui != cui or found[0].confidence < 0.7:
            lost.append(
                (record.name, record.type, cui, found[0].display if found else "", found[0].cui if found else "")
            )
    assert lost == []


@pytest.mark.parametrize(
    ("text", "name", "cui"),
    [
        ("Daily use of acetaminophen", "acetaminophen", "C0000970"),
        ("Known osteoarthritis", "osteoarthritis", "C0029408"),
        ("Treatment with Heparin within 7 days", "Heparin", "C0019134"),
    ],
)
async def test_common_terms_are_grounded(shipped: EmbeddedTerminology, text: str, name: str, cui: str) -> None:
    found = await entities(shipped, text)
    entity = next(entity for said, entity in found.items() if name in said)
    assert (entity.umls_cui, entity.status) == (cui, "grounded")


@pytest.mark.parametrize(
    ("text", "name", "kind"),
    [
        ("ALT > 3 x ULN", "ALT", "Lab_Value"),
        ("PSA below 4 ng/mL", "PSA", "Lab_Value"),
        ("Contraindication to MRI", "MRI", "Procedure"),
        ("eGFR < 30 mL/min/1.73 m2", "eGFR", "Lab_Value"),
        ("Tumour with an EGFR mutation", "EGFR mutation", "Biomarker"),
    ],
)
async def test_a_short_name_is_what_criteria_mean_by_it(
    shipped: EmbeddedTerminology, text: str, name: str, kind: EntityType
) -> None:
    entity = (await entities(shipped, text))[name]
    assert entity.entity_type == kind
    assert entity.candidates[0].type == kind
    assert entity.candidates[0].ontology == "CORE" or kind == "Biomarker"


@pytest.mark.parametrize("name", ["ALT", "PSA", "MRI", "eGFR"])
async def test_a_short_name_alone_is_no_tumour_and_no_gene(shipped: EmbeddedTerminology, name: str) -> None:
    first, *_ = await shipped.search(name)
    assert first.type in ("Lab_Value", "Procedure")


async def test_rules_find_the_entities_of_the_written_criteria(shipped: EmbeddedTerminology) -> None:
    server = build_terminology_server(shipped)
    async with TerminologyClient({"concept_search": server, "concept_linking": server}) as client:
        services = Services(llm=RulesModel(RULES), terminology=client)
        outcomes = [await run_case(lambda *given: ground(*given, services), case) for case in Grounding().load()]
    report = figures_of((each.counts for each in outcomes), model="rules")
    assert report["criteria"] == 150
    assert (report["strict"]["all"]["f1"] or 0) >= 95
    assert (report["relaxed"]["all"]["f1"] or 0) >= 97
