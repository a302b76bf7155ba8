"""Arguments with their sources: what was said is found, what was not is missing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from docgemma.agent.arguments import Context, Found, check_model_args, find
from docgemma.agent.understanding.needs import needs
from docgemma.agent.understanding.reading import read_earlier
from docgemma.clinical import Patient
from docgemma.reader.loading import PACKAGED
from docgemma.tools.registry import REGISTRY, ToolName
from tests.support.reading import understood

_PIN = Patient(id="p-9", banner="Maria Garcia, born 1960-01-01, female")


def _find(
    tool: ToolName,
    text: str,
    *,
    earlier: Sequence[str] = (),
    pinned: Patient | None = None,
    known_ids: Sequence[str] = (),
    subject: str | None = None,
) -> Found:
    before = read_earlier(PACKAGED, earlier)
    return find(tool, Context(understood(text, *earlier), subject, before, pinned, known_ids))


def check(
    tool: ToolName, args: dict[str, Any], message: str, earlier: Sequence[str] = (), ids: Sequence[str] = ()
) -> Found:
    return check_model_args(tool, args, Context(understood(message), None, read_earlier(PACKAGED, earlier), None, ids))


@pytest.mark.parametrize(
    ("text", "missing"),
    [
        ("Prescribe metformin 500mg for abc-123", ["frequency"]),
        ("Prescribe metformin for abc-123", ["dosage", "frequency"]),
        ("Start her on lisinopril 10 mg daily", ["patient_id"]),
        ("Add an allergy for abc-123", ["substance", "reaction"]),
        ("She's allergic to sulfa, abc-123", ["reaction"]),
        ("Save a note for abc-123", ["note_type", "note_text"]),
        ("Prescribe 500 mg twice daily for abc-123", ["medication_name"]),
    ],
)
def test_exactly_the_unstated_fields_are_missing(text: str, missing: list[str]) -> None:
    found = understood(text)
    need = needs(found, has_image=False, patient_known=False)[-1]
    assert REGISTRY[need.tool].writes
    assert list(find(need.tool, Context(found, need.subject)).missing) == missing


@pytest.mark.parametrize(
    ("tool", "text", "values"),
    [
        ("check_drug_safety", "Check FDA warnings for dofetilide", {"drug_name": "dofetilide"}),
        ("check_drug_safety", "Check FDA warnings for xyzumab", {"drug_name": "xyzumab"}),
        (
            "check_drug_interactions",
            "Check interactions between warfarin, aspirin, and ibuprofen",
            {"drug_names": ["warfarin", "aspirin", "ibuprofen"]},
        ),
        (
            "check_drug_interactions",
            "interactions between warfarin and xyzumab",
            {"drug_names": ["warfarin", "xyzumab"]},
        ),
        ("search_medical_literature", "Find studies on gout", {"query": "gout"}),
        ("find_clinical_trials", "recruiting trials for ALS", {"condition": "ALS", "status": "recruiting"}),
        ("search_patient", "Find patient John Smith", {"name": "John Smith"}),
        ("get_patient_chart", "Show me the chart of abc-123", {"patient_id": "abc-123"}),
        ("analyze_medical_image", "Is there a\nfracture?", {"query": "Is there a fracture?"}),
        (
            "prescribe_medication",
            "Prescribe acetaminophen 650 mg every 6 hours prn for abc-123",
            {
                "patient_id": "abc-123",
                "medication_name": "acetaminophen",
                "dosage": "650 mg",
                "frequency": "every 6 hours as needed",
            },
        ),
        (
            "add_allergy",
            "Add an allergy to penicillin for abc-123, reaction: hives, severe",
            {"patient_id": "abc-123", "substance": "penicillin", "reaction": "hives", "severity": "severe"},
        ),
        (
            "save_clinical_note",
            "Save a progress note for abc-123: stable, continue meds",
            {"patient_id": "abc-123", "note_type": "progress note", "note_text": "stable, continue meds"},
        ),
    ],
)
def test_complete_requests_are_found_whole(tool: ToolName, text: str, values: dict[str, object]) -> None:
    found = _find(tool, text)
    assert found.values() == values
    assert found.missing == ()
    assert {sourced.source for sourced in found.args.values()} == {"message"}


@pytest.mark.parametrize(
    ("text", "values"),
    [
        (
            "She's on lisinopril 10 mg daily. Prescribe metformin 500 mg twice daily for abc-123",
            ("metformin", "500 mg", "twice daily"),
        ),
        (
            "Prescribe metformin 500 mg bid and lisinopril 10 mg daily for abc-123",
            ("metformin", "500 mg", "twice daily"),
        ),
        ("She's on lisinopril 10 mg daily. Prescribe metformin for abc-123", ("metformin", None, None)),
        ("Prescribe metformin for abc-123. 500 mg twice daily.", ("metformin", "500 mg", "twice daily")),
        ("Prescribe metformin 500 mg or 1000 mg daily for abc-123", ("metformin", None, "once daily")),
        ("Prescribe something for pain for abc-123, she is allergic to codeine", (None, None, None)),
    ],
)
def test_an_order_takes_nothing_from_its_neighbours(text: str, values: tuple[str | None, ...]) -> None:
    found = _find("prescribe_medication", text).values()
    assert tuple(found.get(name) for name in ("medication_name", "dosage", "frequency")) == values


@pytest.mark.parametrize(
    ("tool", "subject", "text", "values"),
    [
        (
            "prescribe_medication",
            "lisinopril",
            "prescribe metformin 500mg bid and lisinopril 10mg daily",
            {"medication_name": "lisinopril", "dosage": "10 mg", "frequency": "once daily"},
        ),
        (
            "prescribe_medication",
            "metformin",
            "prescribe metformin and lisinopril 10mg daily",
            {"medication_name": "metformin"},
        ),
        (
            "add_allergy",
            "sulfa",
            "Add allergies to penicillin (rash) and sulfa (hives)",
            {"substance": "sulfa", "reaction": "hives"},
        ),
        ("add_allergy", "penicillin", "Add allergies to penicillin and sulfa (hives)", {"substance": "penicillin"}),
        ("search_patient", "John Smith", "Compare Maria Garcia and John Smith", {"name": "John Smith"}),
        ("get_patient_chart", "mgr-204", "charts of abc-123 and mgr-204", {"patient_id": "mgr-204"}),
        ("get_patient_chart", "John Smith", "charts of abc-123 and John Smith", {}),
        ("search_medical_literature", "lupus", "Find studies on gout. Find papers on lupus.", {"query": "lupus"}),
        (
            "find_clinical_trials",
            "ALS",
            "Find trials for melanoma. Find completed trials for ALS.",
            {"condition": "ALS", "status": "completed"},
        ),
        (
            "find_clinical_trials",
            "melanoma",
            "Find trials for melanoma. Find completed trials for ALS.",
            {"condition": "melanoma"},
        ),
        ("search_medical_literature", None, "Find the article PMID 22663011", {"query": "PMID 22663011"}),
        ("find_clinical_trials", None, "Find the trial NCT02576665", {"condition": "NCT02576665"}),
        ("check_drug_interactions", None, "on warf, can i give him cipro?", {"drug_names": ["warfarin", "cipro"]}),
    ],
)
def test_a_subject_gets_its_own_details(
    tool: ToolName, subject: str | None, text: str, values: dict[str, object]
) -> None:
    assert _find(tool, text, subject=subject).values() == values


def test_the_chart_of_a_name_is_the_one_its_search_found() -> None:
    text = "Compare the charts of Maria Garcia and John Smith"
    assert _find("get_patient_chart", text, subject="John Smith", pinned=_PIN).missing == ("patient_id",)
    found = _find("get_patient_chart", text, subject="John Smith", known_ids=["r-2"])
    assert found.values() == {"patient_id": "r-2"}


def test_shorthand_of_an_earlier_message_is_not_ordered() -> None:
    earlier = ["Check FDA warnings for MTX"]
    assert "medication_name" in _find("prescribe_medication", "Prescribe it 15 mg weekly", earlier=earlier).missing
    assert _find("check_drug_safety", "Is it safe?", earlier=earlier).values() == {"drug_name": "methotrexate"}


def test_a_span_points_at_the_words() -> None:
    text = "Prescribe metformin 500mg for abc-123"
    span = _find("prescribe_medication", text).args["dosage"].span
    assert span is not None
    assert text[slice(*span)] == "500mg"


class TestPatient:
    def test_reads_use_the_turns_result_then_the_pin_then_earlier_words(self) -> None:
        text = "Show me the chart"
        earlier = ["Look at abc-123", "thanks"]
        assert _find("get_patient_chart", text, known_ids=["r-1"], pinned=_PIN).args["patient_id"].source == "result"
        assert _find("get_patient_chart", text, pinned=_PIN, earlier=earlier).args["patient_id"].source == "pin"
        from_earlier = _find("get_patient_chart", text, earlier=earlier).args["patient_id"]
        assert (from_earlier.value, from_earlier.source) == ("abc-123", "earlier")

    def test_two_results_are_no_answer(self) -> None:
        assert _find("get_patient_chart", "Show me the chart", known_ids=["r-1", "r-2"]).missing == ("patient_id",)

    def test_a_write_never_takes_the_id_from_a_look_up(self) -> None:
        text = "Prescribe metformin 500 mg bid for John Smith"
        assert _find("prescribe_medication", text, known_ids=["r-1"]).missing == ("patient_id",)

    def test_another_name_does_not_fall_back_to_the_pin(self) -> None:
        text = "Prescribe metformin 500 mg bid for John Smith"
        assert _find("prescribe_medication", text, pinned=_PIN).missing == ("patient_id",)
        same = _find("prescribe_medication", "Prescribe metformin 500 mg bid for Maria Garcia", pinned=_PIN)
        assert same.args["patient_id"].source == "pin"

    def test_two_ids_are_one_too_many_for_a_write(self) -> None:
        text = "Prescribe metformin 500 mg bid for abc-123 and abd-124"
        assert _find("prescribe_medication", text).missing == ("patient_id",)

    def test_a_later_name_hides_an_earlier_id(self) -> None:
        earlier = ["Open abc-123", "Find patient John Smith"]
        assert _find("prescribe_medication", "Prescribe metformin 500 mg bid", earlier=earlier).missing == (
            "patient_id",
        )


def test_it_stands_for_the_drug_of_an_earlier_message() -> None:
    earlier = ["Check FDA warnings for warfarin"]
    assert _find("check_drug_safety", "Is it safe in pregnancy?", earlier=earlier).values() == {"drug_name": "warfarin"}
    both = _find("check_drug_interactions", "Does it interact with aspirin?", earlier=earlier)
    assert both.values() == {"drug_names": ["warfarin", "aspirin"]}


class TestModelArguments:
    @pytest.mark.parametrize(
        ("tool", "message", "said"),
        [
            ("add_allergy", "add a new allergy for abc-123", {"substance": "new allergy", "reaction": "abc-123"}),
            ("add_allergy", "abc-123 is allergic to latex", {"substance": "latex", "reaction": "latex"}),
            ("save_clinical_note", "note on abc-123: declined flu jab", {"note_text": "The patient is dying."}),
            ("prescribe_medication", "Prescribe metformin 500mg for abc-123", {"dosage": "500 mg", "frequency": "bid"}),
        ],
    )
    def test_of_an_entry_a_model_fills_nothing_in(self, tool: ToolName, message: str, said: dict[str, str]) -> None:
        assert check(tool, said, message).args == {}

    def test_a_read_may_rephrase_but_not_invent_a_patient(self) -> None:
        query = check("search_medical_literature", {"query": "gliflozins"}, "studies on SGLT2 inhibitors")
        assert query.args["query"].source == "model"
        chart = check("get_patient_chart", {"patient_id": "zzz-999"}, "show her chart", [], ["r-1"])
        assert chart.missing == ("patient_id",)
        seen = check("get_patient_chart", {"patient_id": "r-2"}, "show her chart", [], ["r-1", "r-2"])
        assert seen.args["patient_id"].source == "result"

    def test_no_drug_of_the_message_is_left_out_of_a_check(self) -> None:
        args = {"drug_names": ["aspirin", "ibuprofen"]}
        found = check("check_drug_interactions", args, "interactions of warfarin?")
        assert found.values() == {"drug_names": ["warfarin", "aspirin", "ibuprofen"]}

    def test_one_drug_is_no_pair(self) -> None:
        found = check("check_drug_interactions", {"drug_names": ["warfarin", " "]}, "warfarin?")
        assert found.missing == ("drug_names",)
