"""Several drugs or substances in one request: each has its own details, and none is lost or mixed up."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docgemma.entities import extract
from docgemma.entities.entries.fields import allergy_fields, prescription_fields
from docgemma.entities.people.choice import fill

_DRUGS = ["metformin", "lisinopril", "atorvastatin", "amlodipine", "sertraline"]
_DOSES = ["5 mg", "10 mg", "20 mg", "40 mg", "500 mg"]
_OFTEN = ["once daily", "twice daily", "three times daily", "at bedtime", "once weekly"]


def _orders(text: str) -> list[tuple[str, str | None, str | None]]:
    found = extract(text)
    fields = [prescription_fields(found, order.drug.value) for order in found.orders]
    names = ("medication_name", "dosage", "frequency")
    return [tuple(each[name].value if name in each else None for name in names) for each in fields]  # type: ignore[misc]


def _allergies(text: str) -> list[tuple[str, str | None, str | None]]:
    found = extract(text)
    fields = [allergy_fields(found, entry.substance.value) for entry in found.allergies]
    names = ("substance", "reaction", "severity")
    return [tuple(each[name].value if name in each else None for name in names) for each in fields]  # type: ignore[misc]


_TWO = [("metformin", "500 mg", "twice daily"), ("lisinopril", "10 mg", "once daily")]


@pytest.mark.parametrize(
    ("text", "orders"),
    [
        ("prescribe metformin 500mg bid and lisinopril 10mg daily for abc-123", _TWO),
        ("prescribe 500 mg metformin bid and 10 mg of lisinopril daily for abc-123", _TWO),
        ("prescribe metformin 500 mg bid for diabetes and lisinopril 10 mg daily for hypertension, abc-123", _TWO),
        ("Prescribe metformin 500 mg bid for abc-123 and start lisinopril 10 mg daily", _TWO),
        ("Prescribe for abc-123:\nmetformin 500 mg bid\nlisinopril 10 mg daily", _TWO),
        ("start twice daily metformin 500 mg and once daily lisinopril 10 mg for abc-123", _TWO),
        ("prescribe metformin 500 mg lisinopril 10 mg", [("metformin", "500 mg", None), ("lisinopril", "10 mg", None)]),
        ("Prescribe metformin and lisinopril 10 mg daily", [("metformin", None, None), _TWO[1]]),
        ("Prescribe metformin 500 mg bid and lisinopril", [_TWO[0], ("lisinopril", None, None)]),
        ("Prescribe metformin 500 mg bid and xyzumab 10 mg daily", [_TWO[0], ("xyzumab", "10 mg", "once daily")]),
        # could go with either drug: with neither
        (
            "Prescribe metformin 500 mg, twice daily lisinopril 10 mg",
            [("metformin", "500 mg", None), ("lisinopril", "10 mg", None)],
        ),
        # background, not ordered
        ("Prescribe metformin 500 mg bid for abc-123, she is on lisinopril 10 mg daily", _TWO[:1]),
        ("Prescribe metformin 500 mg bid instead of glipizide for abc-123", _TWO[:1]),
        ("Prescribe metformin 500 mg bid for abc-123\nHer meds:\nlisinopril 10 mg daily", _TWO[:1]),
        # only the user can say which
        ("Prescribe metformin or glipizide 5 mg daily for abc-123", []),
        # the same drug twice is one order with two doses: asked about
        ("Prescribe metformin 500 mg daily and metformin 1000 mg daily", [("metformin", None, "once daily")]),
    ],
)
def test_each_drug_has_its_own_amounts(text: str, orders: list[tuple[str, str | None, str | None]]) -> None:
    assert _orders(text) == orders


@given(st.lists(st.sampled_from(range(5)), min_size=1, max_size=5, unique=True), st.booleans())
def test_a_list_of_orders_is_read_back_as_it_was_written(chosen: list[int], dose_first: bool) -> None:
    wanted = [(_DRUGS[i], _DOSES[i], _OFTEN[i]) for i in chosen]
    items = [f"{dose} {drug} {often}" if dose_first else f"{drug} {dose} {often}" for drug, dose, often in wanted]
    assert _orders(f"Prescribe {', '.join(items)} for abc-123") == wanted
    assert _orders(f"Prescribe {' and '.join(items)} for abc-123") == wanted


def test_an_unclear_drug_leaves_no_dose_behind() -> None:
    assert prescription_fields(extract("Prescribe metformin or glipizide 5 mg daily for abc-123")) == {}


@pytest.mark.parametrize(
    ("text", "entries"),
    [
        (
            "Add allergies to penicillin (rash) and sulfa (hives) for abc-123",
            [("penicillin", "rash", None), ("sulfa", "hives", None)],
        ),
        (
            "Add allergies: penicillin - rash; sulfa - hives for abc-123",
            [("penicillin", "rash", None), ("sulfa", "hives", None)],
        ),
        (
            "Add penicillin (severe rash) and sulfa (mild hives) to her allergies",
            [("penicillin", "rash", "severe"), ("sulfa", "hives", "mild")],
        ),
        (
            "Record that abc-123 gets rash after penicillin and hives after sulfa",
            [("penicillin", "rash", None), ("sulfa", "hives", None)],
        ),
        (
            "Add allergy to penicillin (rash) for abc-123 and add allergy to sulfa (hives)",
            [("penicillin", "rash", None), ("sulfa", "hives", None)],
        ),
        (
            "abc-123 is allergic to penicillin (anaphylaxis, hives), codeine (nausea), and latex",
            [("penicillin", "anaphylaxis, hives", None), ("codeine", "nausea", None), ("latex", None, None)],
        ),
        # which is whose is not said: each is asked for
        (
            "Record allergies to penicillin and sulfa, rash and hives, for abc-123",
            [("penicillin", None, None), ("sulfa", None, None)],
        ),
        ("Add an allergy to penicillin for abc-123, rash and hives", [("penicillin", "rash, hives", None)]),
    ],
)
def test_each_substance_has_its_own_reaction(text: str, entries: list[tuple[str, str | None, str | None]]) -> None:
    assert _allergies(text) == entries


def test_an_answer_with_two_substances_gives_no_reaction() -> None:
    text = "rash for penicillin, hives for sulfa"
    assert fill(text, ["reaction"], extract(text)).get("reaction") is None


class TestShorthand:
    @pytest.mark.parametrize(
        ("text", "drugs"),
        [
            ("Does warf interact with ASA?", ("warfarin", "aspirin")),
            ("is hctz safe with MTX", ("hydrochlorothiazide", "methotrexate")),
            ("Vanc and pip-tazo together?", ("vancomycin", "zosyn")),
            ("MgSO4 safety", ("magnesium sulfate",)),
            ("Find patient Asa Keller", ()),
            ("She is ASA class III", ()),
            ("CTX safety", ()),
        ],
    )
    def test_a_look_up_reads_it(self, text: str, drugs: tuple[str, ...]) -> None:
        assert extract(text).drug_names() == drugs

    @pytest.mark.parametrize("short", ["MTX", "HCTZ", "MSO4", "MgSO4", "ASA"])
    def test_an_order_keeps_it_as_written(self, short: str) -> None:
        found = extract(f"Prescribe {short} 15 mg weekly for abc-123")
        assert found.drugs == ()
        assert [drug.value for drug in found.unlisted_drugs] == [short]
        assert prescription_fields(found)["medication_name"].value == short

    def test_an_allergy_keeps_it_as_written(self) -> None:
        assert _allergies("Add PCN allergy for abc-123, hives") == [("PCN", "hives", None)]

    def test_an_answer_keeps_it_as_written(self) -> None:
        assert fill("MTX", ["medication_name"], extract("MTX"))["medication_name"].value == "MTX"


@pytest.mark.parametrize(
    ("text", "substance", "reaction"),
    [
        ("f47ac10b reacted to the cefazolin just now, wheezing. log it as an allergy pls", "cefazolin", "wheezing"),
        ("Siobhan O'Connor says codeine brings her out in hives. Please add it to her allergies", "codeine", "hives"),
        ("def-456 had hives with ibuprofen last night, put it down as an allergy", "ibuprofen", "hives"),
        ("abc-123 is having allergy to diclofenac, swelling of lips came after it", "diclofenac", "swelling of lips"),
        ("she's on ramipril and aspirin. one gave her a cough. add it as an allergy", None, "cough"),
    ],
)
def test_what_it_points_at_is_the_substance_named_before(text: str, substance: str | None, reaction: str) -> None:
    fields = {name: mention.value for name, mention in allergy_fields(extract(text)).items()}
    assert (fields.get("substance"), fields["reaction"]) == (substance, reaction)


def test_the_drug_ordered_afterwards_is_the_one_with_the_dose() -> None:
    found = extract("she forgot her thyroxine so levothyroxine 75 mcg daily for abc-123, if you could prescribe that")
    assert [(order.drug.value, len(order.doses)) for order in found.orders] == [("levothyroxine", 1)]
