"""Real dialogues of a few messages: what code asks back, how people answer, and what is written in the end."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from docgemma.agent.schemas import IntentClassification, ResultAssessment
from docgemma.llm.contract import Prompt
from docgemma.llm.scripted import Call, ScriptedModel
from docgemma.tools.registry import REGISTRY
from docgemma.tools.results import ChartSection
from tests.support import results as r
from tests.support.hospital import DIRECT, RICH, converse, hospital
from tests.support.turns import stage


@dataclass(frozen=True)
class Dialogue:
    """What is said, how each turn ends, and which entries are proposed in all."""

    name: str
    turns: tuple[tuple[str, str], ...]
    proposed: tuple[dict[str, str], ...] = ()
    last: str = ""


METFORMIN = {"medication_name": "metformin", "dosage": "500 mg", "frequency": "twice daily"}
LISINOPRIL = {"medication_name": "lisinopril", "dosage": "10 mg", "frequency": "once daily"}
PENICILLIN = {"substance": "penicillin"}
NOTE = "Seen today, stable."
DIALOGUES = (
    Dialogue(
        "details one by one",
        (("Prescribe metformin for abc-123", "ask_user"), ("500 mg", "ask_user"), ("twice daily", "approval")),
        ({"patient_id": "abc-123", **METFORMIN},),
    ),
    Dialogue(
        "both details at once",
        (("Prescribe metformin for abc-123", "ask_user"), ("500 mg twice daily", "approval")),
        ({"patient_id": "abc-123", **METFORMIN},),
    ),
    Dialogue(
        "a near miss is offered, never taken",
        (("Check FDA warnings for metfromin", "ask_user"), ("the first one", "answer"), ("thanks", "answer")),
    ),
    Dialogue(
        "an unknown reaction may stay unknown",
        (("Add an allergy to penicillin for abc-123", "ask_user"), ("unknown", "approval")),
        ({"patient_id": "abc-123", **PENICILLIN, "reaction": "unknown"},),
    ),
    Dialogue(
        "twins, then the reaction",
        (("Add an allergy to penicillin for James Wilson", "ask_user"), ("2", "ask_user"), ("hives", "approval")),
        ({"patient_id": "jwb-102", **PENICILLIN, "reaction": "hives"},),
    ),
    Dialogue(
        "the note's text in the second message",
        (("Save a progress note for abc-123", "ask_user"), (NOTE, "approval")),
        ({"patient_id": "abc-123", "note_type": "progress note", "note_text": NOTE},),
    ),
    Dialogue(
        "a full name that one patient has needs no confirming",
        (("Prescribe metformin 500 mg for Maria Garcia", "ask_user"), ("twice daily", "approval")),
        ({"patient_id": "mgr-204", **METFORMIN},),
    ),
    Dialogue(
        "a birth date picks",
        (
            ("Prescribe lisinopril 10 mg once daily for James Wilson", "ask_user"),
            ("the one born 1955-06-02", "approval"),
        ),
        ({"patient_id": "jwb-102", **LISINOPRIL},),
    ),
    Dialogue(
        "a pick is all a search needs",
        (("Search for patient James Wilson", "ask_user"), ("the second one", "answer"), ("Check his chart", "answer")),
        last="jwb-102",
    ),
    Dialogue(
        "a name answers, and is searched for",
        (("Prescribe metformin 500 mg twice daily", "ask_user"), ("Maria Garcia", "approval")),
        ({"patient_id": "mgr-204", **METFORMIN},),
    ),
    Dialogue(
        "a patient only looked up may be read, not written to",
        (
            ("Find patient Maria Garcia", "answer"),
            ("Check her chart", "answer"),
            ("Prescribe metformin 500 mg twice daily", "ask_user"),
            ("no", "answer"),
        ),
    ),
    Dialogue(
        "and is written to once confirmed",
        (
            ("Find patient Maria Garcia", "answer"),
            ("Find patient John Smith and check his chart", "answer"),
            ("Prescribe metformin 500 mg twice daily", "ask_user"),
            ("yes", "approval"),
            ("Check the chart", "answer"),
        ),
        ({"patient_id": "abc-123", **METFORMIN},),
        last="abc-123",
    ),
    Dialogue(
        "a search that was left open points at nobody",
        (
            ("Find patient Maria Garcia", "answer"),
            ("Find patient James Wilson", "ask_user"),
            ("Prescribe metformin 500 mg twice daily", "ask_user"),
            ("yes", "ask_user"),
        ),
    ),
    Dialogue(
        "a new request drops the question for good",
        (
            ("Prescribe metformin for abc-123", "ask_user"),
            ("Check FDA warnings for dofetilide", "answer"),
            ("500 mg twice daily", "ask_user"),
        ),
    ),
    Dialogue(
        "an id elsewhere in the message is not the patient a write names",
        (("What are the medications of abc-123? Prescribe lisinopril 10 mg once daily for Maria Garcia", "ask_user"),),
    ),
    Dialogue(
        "a quoted id is nobody's wish",
        (
            ("Prescribe metformin 500 mg twice daily", "ask_user"),
            ('The leaflet says "take 500 mcg, as for jwb-102"', "ask_user"),
        ),
    ),
)


class Careless(ScriptedModel):
    """Wants no look-up, invents every detail, and is asked as often as it takes."""

    def _next(self, prompt: Prompt, call: Call) -> Any:
        schema = call.schema
        if schema is IntentClassification:
            self._shared.append(DIRECT)
        elif schema is ResultAssessment:
            self._shared.append(RICH)
        elif schema is None:
            self._shared.append("As the sources say.")
        else:
            self._shared.append({name: INVENTED.get(name, "jwc-103") for name in schema.model_fields})
        return super()._next(prompt, call)


INVENTED = {"dosage": "850 mg", "frequency": "hourly", "reaction": "rash", "note_type": "consult note"}


@pytest.mark.parametrize("model", [None, Careless], ids=["rules", "careless model"])
@pytest.mark.parametrize("dialogue", DIALOGUES, ids=lambda dialogue: dialogue.name)
async def test_dialogue(dialogue: Dialogue, model: type[Careless] | None, tmp_path: Path) -> None:
    async with stage(tmp_path, model() if model else None, hospital()) as on:
        records = await converse(on, *[message for message, _ in dialogue.turns])
        written = [args for name, args in on.tools.calls if REGISTRY[name].writes]
        session = await on.store.get_session(records[0].session_id)
    assert [record.outcome for record in records] == [outcome for _, outcome in dialogue.turns]
    assert written == list(dialogue.proposed)
    if dialogue.last:
        assert session.patient is not None
        assert session.patient.id == dialogue.last
    last = records[-1]
    carded = any(record.approval for record in records)
    assert (session.pending is None) == (last.clarification is None and not carded)


CORRECTED = [
    ("twice daily for mgr-204", {"patient_id": "mgr-204", "medication_name": "metformin", "dosage": "500 mg"}),
    ("twice daily, actually make it 1000 mg", {"medication_name": "metformin", "dosage": "1000 mg"}),
    ("bd not tds, 250 mg not 500 mg", {"medication_name": "metformin", "dosage": "250 mg"}),
]


@pytest.mark.parametrize(("answer", "expected"), CORRECTED, ids=[row[0] for row in CORRECTED])
async def test_a_correction_in_an_answer_replaces_what_was_said(
    answer: str, expected: dict[str, str], tmp_path: Path
) -> None:
    async with stage(tmp_path, None, {"prescribe_medication": [r.proposal("a card")]}) as on:
        asked = await on.ask("Prescribe metformin 500 mg for abc-123")
        record = await on.ask(answer, session_id=asked.session_id)
        [(_, args)] = on.tools.calls
    assert {name: args[name] for name in expected} == expected
    assert args["frequency"] == "twice daily"
    assert any("corrected" in step.detail for step in record.timeline)


async def test_an_answer_keeps_its_route_and_duration(tmp_path: Path) -> None:
    async with stage(tmp_path, None, {"prescribe_medication": [r.proposal("a card")]}) as on:
        asked = await on.ask("Prescribe amoxicillin for abc-123")
        await on.ask("500 mg po bd for 7 days", session_id=asked.session_id)
        [(_, args)] = on.tools.calls
    assert (args["dosage"], args["frequency"]) == ("500 mg", "twice daily")
    assert args["notes"] == "by mouth; for 7 days"


async def test_another_dose_before_the_order_is_whole_takes_the_place_of_the_first(tmp_path: Path) -> None:
    async with stage(tmp_path, None, {"prescribe_medication": [r.proposal("a card")]}) as on:
        asked = await on.ask("Prescribe furosemide 40 mg for abc-123")
        await on.ask("sorry, make that 20 mg", session_id=asked.session_id)
        await on.ask("twice daily", session_id=asked.session_id)
        [(_, args)] = on.tools.calls
    assert (args["dosage"], args["frequency"]) == ("20 mg", "twice daily")


@pytest.mark.parametrize("answer", ["born 1956", "James", "the older one"])
async def test_an_unclear_answer_is_asked_for_again(answer: str, tmp_path: Path) -> None:
    async with stage(tmp_path, None, {"search_patient": [r.WILSONS]}) as on:
        asked = await on.ask("Search for patient James Wilson")
        again = await on.ask(answer, session_id=asked.session_id)
        assert again.outcome == "ask_user"
        assert again.clarification is not None
        assert again.response.startswith("I could not tell which. I found 3 patients")
        picked = await on.ask("2", session_id=asked.session_id)
    assert picked.patient is not None
    assert picked.patient.id == "jwb-102"


@pytest.mark.parametrize("answer", ["never mind", "no"])
async def test_a_refusal_ends_the_question(answer: str, tmp_path: Path) -> None:
    async with stage(tmp_path, None, {"search_patient": [r.WILSONS]}) as on:
        asked = await on.ask("Search for patient James Wilson")
        record = await on.ask(answer, session_id=asked.session_id)
    assert record.outcome == "answer"
    assert any("set aside" in notice for notice in record.notices)


async def test_a_settled_patient_is_not_asked_for_again(tmp_path: Path) -> None:
    tools = {
        "search_patient": [r.WILSONS],
        "get_patient_chart": [r.chart("jwb-102", "James Wilson, born 1955-06-02")] * 2,
        "check_drug_safety": [r.METFORMIN],
    }
    async with stage(tmp_path, None, tools) as on:
        first = await on.ask("Show James Wilson's chart and check FDA warnings for metfromin")
        second = await on.ask("the second one", session_id=first.session_id)
        assert second.clarification is not None
        assert second.clarification.reason == "ambiguous_drug_name"
        third = await on.ask("the first", session_id=first.session_id)
    assert third.outcome == "answer"
    assert "Lactic acidosis" in third.response


async def test_a_yes_with_the_missing_detail_is_both(tmp_path: Path) -> None:
    tools = {"search_patient": [r.JOHN], "add_allergy": [r.proposal("penicillin: hives")]}
    async with stage(tmp_path, None, tools) as on:
        asked = await on.ask("Add an allergy to penicillin for Smith")
        record = await on.ask("yes, hives", session_id=asked.session_id)
        tool, args = on.tools.calls[-1]
    assert (tool, args["patient_id"], args["reaction"]) == ("add_allergy", "abc-123", "hives")
    assert record.outcome == "approval"
    assert "Patient Search" not in record.response


@pytest.mark.parametrize("answer", ["yes", "10 units", "1"])
async def test_an_error_prone_dose_is_cleared_up_before_the_card(answer: str, tmp_path: Path) -> None:
    async with stage(tmp_path, None, {"prescribe_medication": [r.proposal("a card")]}) as on:
        asked = await on.ask("Prescribe insulin glargine 10U at bedtime for abc-123")
        assert asked.clarification is not None
        assert asked.clarification.reason == "unclear_amount"
        assert on.tools.calls == []
        record = await on.ask(answer, session_id=asked.session_id)
        [(_, args)] = on.tools.calls
    assert record.outcome == "approval"
    assert (args["dosage"], args["frequency"]) == ("10 units", "at bedtime")


async def test_another_dose_may_be_given_instead(tmp_path: Path) -> None:
    async with stage(tmp_path, None, {"prescribe_medication": [r.proposal("a card")]}) as on:
        asked = await on.ask("Prescribe amlodipine 5-10 mg once daily for abc-123")
        await on.ask("5 mg", session_id=asked.session_id)
        [(_, args)] = on.tools.calls
    assert args["dosage"] == "5 mg"


async def test_shorthand_in_an_order_is_asked_about_and_the_answer_is_the_drug(tmp_path: Path) -> None:
    async with stage(tmp_path, None, {"prescribe_medication": [r.proposal("a card")]}) as on:
        asked = await on.ask("Prescribe AZT 300 mg twice daily for abc-123")
        assert asked.clarification is not None
        assert asked.clarification.reason == "ambiguous_drug_name"
        record = await on.ask("zidovudine", session_id=asked.session_id)
        [(_, args)] = on.tools.calls
    assert record.outcome == "approval"
    assert args["medication_name"] == "zidovudine"


async def test_the_user_may_stand_by_a_name_in_a_look_up(tmp_path: Path) -> None:
    async with stage(tmp_path, None, {"check_drug_safety": [r.METFORMIN]}) as on:
        asked = await on.ask("Check FDA warnings for metfromin")
        assert asked.outcome == "ask_user"
        await on.ask("2", session_id=asked.session_id)
        [(_, args)] = on.tools.calls
    assert args["drug_name"] == "metfromin"


async def test_look_alike_letters_are_read_but_never_silently(tmp_path: Path) -> None:
    async with stage(tmp_path, None, {"check_drug_safety": [r.METFORMIN]}) as on:
        record = await on.ask("Check FDA warnings for metf\u043ermin")
        [(_, args)] = on.tools.calls
    assert args["drug_name"] == "metformin"
    assert any("look-alike" in notice for notice in record.notices)


async def test_her_medicines_are_those_of_the_chart_and_what_is_left_out_is_said(tmp_path: Path) -> None:
    listed = ChartSection(title="Active medications", entries=("warfarin 3 mg once daily", "herbal tea 12"))
    chart = r.chart("abc-123", "Maria Garcia, born 1962-03-14").model_copy(update={"sections": (listed,)})
    tools = {"get_patient_chart": [chart], "check_drug_interactions": [r.INTERACTIONS]}
    async with stage(tmp_path, None, tools) as on:
        record = await on.ask("Would clarithromycin interact with her meds?", patient_id="abc-123")
        tool, args = on.tools.calls[-1]
    assert (tool, args["drug_names"]) == ("check_drug_interactions", ["clarithromycin", "warfarin"])
    assert "Not checked for interactions: herbal tea 12, listed in the chart." in record.notices


async def test_what_no_model_wrote_is_not_called_its_knowledge(tmp_path: Path) -> None:
    off = r.proposal("").model_copy(update={"status": "unavailable", "error_type": "not_configured"})
    async with stage(tmp_path, None, {"prescribe_medication": [off]}) as on:
        asked = await on.ask("Prescribe insulin glargine 10U at bedtime for abc-123")
        record = await on.ask("yes", session_id=asked.session_id)
    assert not any("General knowledge" in notice for notice in record.notices)
