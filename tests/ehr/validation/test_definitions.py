"""The shipped table: all of R4, nothing else, and what the script makes."""

from __future__ import annotations

import re

import pytest

from docgemma.ehr.validation import check, is_kind, kinds
from docgemma.ehr.validation.definitions import structure
from docgemma.ehr.validation.primitives import FITS
from scripts.build_fhir_rules import SHA256, SHIPPED, SOURCE, render, shipped
from scripts.fhir_definitions import read, resources
from scripts.wheels import sha256

needs_source = pytest.mark.skipif(
    not SOURCE.is_file(), reason="the FHIR definitions are not in .cache: run python -m scripts.build_fhir_rules"
)


def test_every_type_that_the_table_names_can_be_read() -> None:
    names = re.findall(r"^([A-Z][\w.]+)\t", shipped(), re.MULTILINE)
    assert len(names) > 600
    for name in names:
        for element in structure(name).elements.values():
            assert element.fits is not None or element.type == "Resource" or structure(element.type).elements
            assert element.codes is None or element.type in FITS or element.type == "CodeableConcept"


def test_the_kinds_are_those_of_r4() -> None:
    assert len(kinds()) == 146
    assert {"Patient", "AllergyIntolerance", "MedicationStatement", "Bundle", "Binary"} <= kinds()
    assert not any(is_kind(name) for name in ("Resource", "DomainResource", "SubscriptionStatus", "patient", None))


@pytest.mark.parametrize(
    ("type_", "name"),
    [("Meta", "project"), ("Binary", "url"), ("ResearchStudy", "recruitment"), ("MedicationRequest", "device"),
     ("SimpleQuantity", "comparator"), ("Patient", "value")],
)  # fmt: skip
def test_what_others_added_is_left_out(type_: str, name: str) -> None:
    assert name not in structure(type_).elements


@pytest.mark.parametrize(
    ("type_", "name", "many", "required"),
    [("Patient", "extension", True, False), ("Patient.contact", "modifierExtension", True, False),
     ("Observation", "status", False, True), ("Observation", "valueSampledData", False, False),
     ("Bundle.entry", "link", True, False), ("Questionnaire.item", "item", True, False),
     ("AllergyIntolerance.reaction", "manifestation", True, True), ("Extension", "valueDosage", False, False),
     ("EvidenceVariable.characteristic", "definitionCanonical", False, False)],
)  # fmt: skip
def test_elements_are_as_the_specification_has_them(type_: str, name: str, many: bool, required: bool) -> None:
    shape = structure(type_)
    assert (shape.elements[name].many, name in shape.required) == (many, required)


def test_the_table_is_small() -> None:
    assert SHIPPED.stat().st_size < 60_000


@needs_source
def test_the_shipped_table_is_what_the_script_makes() -> None:
    assert sha256(SOURCE) == SHA256
    assert render(read(SOURCE)) == shipped()


@needs_source
def test_what_hl7_itself_published_is_taken() -> None:
    """Its value sets and types hold most of the structures and narratives that a chart never has."""
    published = [one for found in resources(SOURCE, "valuesets", "profiles-types") for one in found]
    assert len(published) > 1000
    assert [issue for one in published for issue in check(one)] == []
