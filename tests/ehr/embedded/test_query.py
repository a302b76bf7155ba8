"""The query language: what a search means, whether a resource answers to it, and what is refused."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docgemma.ehr import fhir_json
from docgemma.ehr.embedded.contract import FhirFault, Narrow
from docgemma.ehr.embedded.searches.parameters import tables
from docgemma.ehr.embedded.searches.query import parse
from docgemma.ehr.embedded.storage.compartment import patient_of
from docgemma.ehr.validation.definitions import structure
from tests.support.tables import each_of

MARTA: dict[str, Any] = {
    "resourceType": "Patient",
    "id": "p1",
    "active": True,
    "meta": {
        "lastUpdated": "2026-03-01T12:00:00.000Z",
        "tag": [{"system": "urn:tags", "code": "HTEST"}],
        "profile": ["urn:profile:one"],
    },
    "identifier": [{"system": "urn:mrn", "value": "A|7,5"}, {"value": "bare"}],
    "name": [
        {"use": "official", "family": "García López", "given": ["Márta", "Inés"], "prefix": ["Dr."]},
        {"use": "maiden", "family": "O’Hara"},
    ],
    "telecom": [{"system": "phone", "value": "555-0100"}, {"system": "email", "value": "m@example.org"}],
    "gender": "female",
    "birthDate": "1980-03-04",
    "deceasedDateTime": "2025",
    "address": [{"line": ["12 Hill Road"], "city": "Łódź"}],
    "generalPractitioner": [{"reference": "Practitioner/d1"}],
}
POTASSIUM: dict[str, Any] = {
    "resourceType": "Observation",
    "id": "o1",
    "status": "final",
    "category": [{"coding": [{"system": "urn:cat", "code": "laboratory", "display": "Laboratory"}]}],
    "code": {"coding": [{"system": "http://loinc.org", "code": "6298-4"}], "text": "Potassium in blood"},
    "subject": {"reference": "Patient/p1"},
    "encounter": {"reference": "Encounter/e1/_history/3"},
    "effectiveDateTime": "2019-03-01T23:30:00-05:00",
    "valueQuantity": {"value": 5.40, "unit": "mmol/L", "system": "http://unitsofmeasure.org", "code": "mmol/L"},
}
ALLERGY: dict[str, Any] = {
    "resourceType": "AllergyIntolerance",
    "id": "a1",
    "clinicalStatus": {"coding": [{"system": "urn:s", "code": "active"}]},
    "patient": {"reference": "Patient/p1"},
    "reaction": [{"substance": {"text": "Peanut butter"}, "manifestation": [{"text": "Hives"}]}],
}


def exact(resource: dict[str, Any]) -> dict[str, Any]:
    """As it comes out of the store: decimals, not floats."""
    loaded: dict[str, Any] = fhir_json.loads(fhir_json.dumps(resource))
    return loaded


def asked(text: str) -> list[tuple[str, str]]:
    pairs = [part.partition("=") for part in text.split("&")]
    return [(name, value) for name, _, value in pairs]


@each_of(
    ("query", "answers"),
    [
        # Names: words, in any order, by their beginning, without case and accents.
        ("name=marta", True),
        ("name=MÁRTA", True),
        ("name=lopez garcia mar", True),
        ("name=ohara", True),
        ("name=o'h", True),
        ("name=arcia", False),
        ("name=marta smith", False),
        ("name=smith,garcia", True),
        ("name=dr", True),
        ("name:contains=arcía l", True),
        ("name:contains=arta i", False),
        ("name:exact=Márta", True),
        ("name:exact=Marta", False),
        ("name:exact=García López", True),
        ("family=marta", False),
        ("family=garcia&given=ines", True),
        ("address=hill", True),
        ("address-city=lodz", True),
        # Tokens.
        ("gender=female", True),
        ("gender=male", False),
        ("gender=male,female", True),
        ("gender:not=male", True),
        ("gender:not=female", False),
        ("gender=http://hl7.org/fhir/administrative-gender|female", True),
        ("active=true", True),
        ("active=false", False),
        ("deceased=true", True),
        ("deceased=false", False),
        ("identifier=bare", True),
        ("identifier=|bare", True),
        ("identifier=urn:mrn|bare", False),
        (r"identifier=urn:mrn|A\|7\,5", True),
        (r"identifier=A\|7\,5", True),
        (r"identifier=|A\|7\,5", False),
        ("identifier=urn:mrn|", True),
        ("identifier=urn:other|", False),
        ("identifier=BARE", False),
        ("telecom=555-0100", True),
        ("phone=555-0100", True),
        ("email=555-0100", False),
        ("_id=p1", True),
        ("_id=p2,p1", True),
        ("_id=P1", False),
        ("_tag=HTEST", True),
        ("_tag=urn:tags|HTEST", True),
        ("_tag=urn:else|HTEST", False),
        ("_profile=urn:profile:one", True),
        ("_profile=urn:profile", False),
        # Whether there is anything at all.
        ("birthdate:missing=false", True),
        ("death-date:missing=true", False),
        ("organization:missing=true", True),
        # References.
        ("general-practitioner=Practitioner/d1", True),
        ("general-practitioner=d1", True),
        ("general-practitioner:Practitioner=d1", True),
        ("general-practitioner:Organization=d1", False),
        # Conditions add up.
        ("name=marta&gender=male", False),
        ("name=marta&name=ines", True),
        ("_lastUpdated=2026-03", True),
        ("_lastUpdated=gt2026-03-01T12:00:00.000Z", False),
    ],
)
def test_a_patient_answers(query: str, answers: bool) -> None:
    assert parse("Patient", asked(query)).matches(MARTA) is answers


@pytest.mark.parametrize(
    ("query", "answers"),
    [
        ("patient=p1", True),
        ("patient=Patient/p1", True),
        ("subject=Patient/p1", True),
        ("subject:Patient=p1", True),
        ("subject=p1", True),
        ("patient=p2", False),
        ("patient=p", False),
        ("subject=Group/p1", False),
        ("encounter=e1", True),
        ("code=6298-4", True),
        ("code=http://loinc.org|6298-4", True),
        ("code=urn:x|6298-4", False),
        ("code:text=blood pot", True),
        ("code:text=sodium", False),
        ("category:text=lab", True),
        ("category=laboratory&status=final", True),
        # Asked without a time zone, the day is the one on the wall where it was taken.
        ("date=2019-03-01", True),
        ("date=2019-03-02", False),
        ("date=2019-03-02T04:30:00Z", True),
        ("date=2019-03-02T04:30:00 00:00", True),
        ("date=ge2019-03-01&date=le2019-03-01", True),
        ("value-quantity=5.4", True),
        ("value-quantity=5.40", True),
        ("value-quantity=5.41", False),
        ("value-quantity=5", True),
        ("value-quantity=6", False),
        ("value-quantity=ne5.4", False),
        ("value-quantity=gt5.4", False),
        ("value-quantity=ge5.4", True),
        ("value-quantity=lt5.41", True),
        ("value-quantity=ap5", True),
        ("value-quantity=ap6.1", False),
        ("value-quantity=gt5||mmol/L", True),
        ("value-quantity=gt5|http://unitsofmeasure.org|mmol/L", True),
        ("value-quantity=gt5||mg", False),
        ("value-quantity=gt5|urn:x|mmol/L", False),
    ],
)
def test_an_observation_answers(query: str, answers: bool) -> None:
    assert parse("Observation", asked(query)).matches(exact(POTASSIUM)) is answers


@pytest.mark.parametrize(
    ("query", "answers"),
    [("value-quantity=lt1", True), ("value-quantity=0.5", False), ("value-quantity=gt0.5", False)],
)
def test_a_value_below_the_limit_of_the_device_is_anything_below(query: str, answers: bool) -> None:
    faint = {**POTASSIUM, "valueQuantity": {"value": 0.5, "comparator": "<"}}
    assert parse("Observation", asked(query)).matches(exact(faint)) is answers


def test_a_search_for_a_substance_looks_at_reactions_too() -> None:
    assert parse("AllergyIntolerance", asked("code:text=peanut")).matches(ALLERGY)


def test_a_resource_on_another_server_is_not_ours() -> None:
    elsewhere = {**POTASSIUM, "subject": {"reference": "https://other.example/fhir/Patient/p1"}}
    assert not parse("Observation", asked("patient=p1"), base="http://embedded/fhir").matches(elsewhere)
    assert parse("Observation", asked("patient=http://embedded/fhir/Patient/p1"), base="http://embedded/fhir").matches(
        POTASSIUM
    )


@pytest.mark.parametrize(
    ("query", "patients"),
    [
        ("patient=p1", ("p1",)),
        ("subject=Patient/p1", ("p1",)),
        ("patient:Patient=p1&status=final", ("p1",)),
        ("subject=Group/p1", None),
        ("subject=p1", None),
        ("patient=p1,p2", ("p1", "p2")),
        ("status=final", None),
        ("patient:missing=true", None),
    ],
)
def test_a_search_knows_whose_charts_it_needs(query: str, patients: tuple[str, ...] | None) -> None:
    assert parse("Observation", asked(query)).patients == patients


@pytest.mark.parametrize(
    ("kind", "query", "narrow"),
    [
        ("Patient", "name=Márta García", [Narrow("name", ("marta",), True), Narrow("name", ("garcia",), True)]),
        ("Patient", "name=al b,cy", [Narrow("name", ("al", "cy"), True)]),
        ("Patient", "birthdate=1980", [Narrow("birthdate", ("1980",), True)]),
        ("Patient", "birthdate=ge1980", []),
        ("Patient", "identifier=urn:mrn|7", [Narrow("identifier", ("urn:mrn|7",))]),
        ("Patient", "identifier=7", [Narrow("identifier", ("|7",))]),
        ("Patient", "identifier=urn:mrn|", [Narrow("identifier", ("urn:mrn|",), True)]),
        ("Patient", "identifier:not=7", []),
        ("Patient", "name:contains=art", []),
        ("Observation", "code=6298-4", []),
        ("Provenance", "target=Observation/o1", [Narrow("target", ("Observation/o1",))]),
    ],
)
def test_what_the_index_is_asked(kind: str, query: str, narrow: list[Narrow]) -> None:
    assert list(parse(kind, asked(query)).narrow) == narrow


@pytest.mark.parametrize(
    ("kind", "query", "says"),
    [
        ("Patient", "shoe-size=44", "'shoe-size'.*Supported:.*birthdate"),
        ("Patient", "subject.name=x", "'subject.name'"),
        ("Patient", "_has:Observation:patient:code=1", "'_has'"),
        ("Patient", "name:soundex=x", "'soundex'.*:exact"),
        ("Patient", "birthdate:exact=1980", "'exact'"),
        ("Patient", "name=", "has no value"),
        ("Patient", "name=,", "takes 1 to"),
        ("Patient", "name=…", "a letter or a digit"),
        ("Patient", "birthdate=yesterday", "takes a date"),
        ("Patient", "birthdate=2019-02-30", "takes a date"),
        ("Patient", "birthdate=gt", "takes a date"),
        ("Patient", "active:missing=perhaps", "true or false"),
        ("Patient", "deceased=perhaps", "true or false"),
        ("Patient", "identifier=a|b|c", "system|code"),
        ("Patient", "identifier=|", "system|code"),
        ("Observation", "patient=Group/p1", "Kind/id"),
        ("Observation", "patient=no such id", "Kind/id"),
        ("Observation", "value-quantity=high", "takes a number"),
        ("Observation", "value-quantity=5|mg", "takes a number"),
        ("Observation", "value-quantity=1e999", "takes a number"),
        ("Patient", "_count=few", "whole number"),
        ("Patient", "_sort=shoe-size", "sort by"),
        ("Observation", "_sort=value-quantity", "cannot be sorted"),
        ("Patient", "_total=roughly", "one of"),
        ("Patient", "_summary=text", "one of"),
        ("Observation", "_include=*", "follows references"),
        ("Observation", "_include=Observation:code", "no reference"),
        ("Observation", "_revinclude=Provenance:target", "_revinclude"),
    ],
)
def test_what_is_not_understood_is_refused_by_name(kind: str, query: str, says: str) -> None:
    with pytest.raises(FhirFault, match=says) as refused:
        parse(kind, asked(query))
    assert refused.value.status == 400


def test_a_refusal_repeats_no_value_and_no_crooked_name() -> None:
    with pytest.raises(FhirFault) as refused:
        parse("Patient", [("Marta García, born 1980", "x")])
    assert "Marta" not in str(refused.value)


def test_the_tenth_of_the_way_from_now() -> None:
    now = datetime(2020, 1, 1, tzinfo=UTC)
    born = {"resourceType": "Patient", "birthDate": "1982-01-01"}
    assert parse("Patient", [("birthdate", "ap1980")], now=now).matches(born)
    assert not parse("Patient", [("birthdate", "ap1970-01-01")], now=now).matches(born)


@given(
    st.sampled_from(["Patient", "Observation", "AllergyIntolerance", "Binary"]),
    st.lists(
        st.tuples(
            st.one_of(
                st.text(max_size=12),
                st.sampled_from(["name", "birthdate", "patient", "code:text", "value-quantity", "_sort", "_include"]),
            ),
            st.text(max_size=20) | st.from_regex(r"(eq|ap|sa|)[0-9T:\-.e|+]{0,12}", fullmatch=True),
        ),
        max_size=4,
    ),
)
def test_any_search_is_read_or_refused(kind: str, params: list[tuple[str, str]]) -> None:
    try:
        query = parse(kind, params)
    except FhirFault as refused:
        assert refused.status == 400
        return
    for resource in (MARTA, exact(POTASSIUM), ALLERGY):
        query.matches(resource)
        query.sort_key(resource)


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.decimals(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


@given(
    st.sampled_from(
        [
            ("Patient", "name=a&birthdate=1980&telecom=x&deceased=true"),
            ("Observation", "date=ge1980&value-quantity=gt5&code=x&patient=p1"),
            ("Observation", "code:text=x&_sort=-date,code"),
        ]
    ),
    st.dictionaries(
        st.sampled_from(
            ["name", "birthDate", "telecom", "deceasedBoolean", "subject", "code", "valueQuantity", "effectivePeriod"]
        ),
        _JSON,
    ),
)
def test_no_shape_of_a_resource_breaks_a_search(search: tuple[str, str], fields: dict[str, Any]) -> None:
    kind, query = search
    resource = {"resourceType": kind, "id": "x", **fields}
    read = parse(kind, asked(query))
    read.matches(resource)
    read.sort_key(resource)


def test_every_parameter_looks_at_an_element_of_r4() -> None:
    """The table is written by hand; the definitions of FHIR say whether it is right."""
    lost = [
        f"{kind}.{'.'.join(path)}"
        for kind, known in tables().items()
        if kind != "*"
        for parameter in known.values()
        for path in parameter.paths
        if parameter.name != "identifier" and not _is_there(kind, path)
    ]
    assert lost == []


@pytest.mark.parametrize("kind", sorted(kind for kind in tables() if kind != "*"))
def test_whose_chart_a_search_reads_is_whose_chart_the_store_keeps_it_in(kind: str) -> None:
    for parameter in tables()[kind].values():
        if parameter.owner:
            [[element]] = parameter.paths
            resource = {"resourceType": kind, "id": "x", element: {"reference": "Patient/p1"}}
            assert patient_of(resource, lambda *_: "") == "p1"


def _is_there(kind: str, path: tuple[str, ...]) -> bool:
    for step in path:
        element = structure(kind).elements.get(step)
        if element is None:
            return False
        kind = element.type
    return True
