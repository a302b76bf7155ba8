"""Which tools a message asks for, in order."""

from __future__ import annotations

import pytest

from docgemma.agent.examples import example_for
from docgemma.agent.requests.patterns import Need, candidates, left_over, needs
from docgemma.entities import extract
from docgemma.tools.registry import TOOL_NAMES


def _needs(text: str, *, has_image: bool = False, patient_known: bool = False) -> list[tuple[str, str | None]]:
    found = needs(text, extract(text), has_image=has_image, patient_known=patient_known)
    return [(need.tool, need.subject) for need in found]


def _tools(text: str, *, has_image: bool = False, patient_known: bool = False) -> list[str]:
    return [tool for tool, _ in _needs(text, has_image=has_image, patient_known=patient_known)]


@pytest.mark.parametrize(
    ("text", "tools"),
    [
        (
            "Find patient John Smith, check his chart, and verify metformin safety",
            ["search_patient", "get_patient_chart", "check_drug_safety"],
        ),
        ("Find patient Maria Garcia and check her chart", ["search_patient", "get_patient_chart"]),
        ("Find patient John Smith and check his meds", ["search_patient", "get_patient_chart"]),
        ("Search for patient James Wilson", ["search_patient"]),
        ("Check FDA warnings for dofetilide", ["check_drug_safety"]),
        ("Check FDA warnings for xyzumab", ["check_drug_safety"]),
        ("Check amoxicillin info for my patient", ["check_drug_safety"]),
        ("Is ibuprofen safe in CKD?", ["check_drug_safety"]),
        ("Can she have ibuprofen?", ["check_drug_safety"]),
        ("hello, check warfarin", ["check_drug_safety"]),
        ("Check interactions between warfarin, aspirin, and ibuprofen", ["check_drug_interactions"]),
        ("Is warfarin safe with ibuprofen?", ["check_drug_interactions"]),
        ("Can she take ibuprofen with warfarin?", ["check_drug_interactions"]),
        ("ibuprofen with warfarin?", ["check_drug_interactions"]),
        ("Check interactions of ibuprofen with her meds", ["get_patient_chart", "check_drug_interactions"]),
        ("Do not prescribe anything, just check interactions", ["check_drug_interactions"]),
        ("What are her meds?", ["get_patient_chart"]),
        ("What allergies does she have?", ["get_patient_chart"]),
        ("Is she on any anticoagulants?", ["get_patient_chart"]),
        ("Read the note for patient abc-123", ["get_patient_chart"]),
        ("pull up abc-123", ["get_patient_chart"]),
        ("Give me a summary of abc-123", ["get_patient_chart"]),
        ("Find recent studies on SGLT2 inhibitors", ["search_medical_literature"]),
        ("Is there evidence for aspirin in primary prevention?", ["search_medical_literature"]),
        ("Find recruiting trials for melanoma", ["find_clinical_trials"]),
        ("Any experimental treatments for ALS?", ["find_clinical_trials"]),
        ("Write a note for patient abc-123", ["save_clinical_note"]),
        ("Prescribe metformin 500mg for abc-123", ["prescribe_medication"]),
        ("Give John Smith his usual", ["search_patient", "prescribe_medication"]),
        ("Add an allergy to penicillin to her chart", ["add_allergy"]),
        (
            "Check her potassium and prescribe lisinopril 10 mg daily for abc-123",
            ["get_patient_chart", "prescribe_medication"],
        ),
    ],
)
def test_the_union_of_what_is_asked_in_order(text: str, tools: list[str]) -> None:
    assert _tools(text) == tools


@pytest.mark.parametrize(
    "text",
    [
        "Hello, how are you?",
        "What is hypertension?",
        "Explain metformin MOA",
        "In order to start metformin, what do I need?",
        "She did a trial of metformin",
        "record low temperatures this winter",
        "Please note that she is stable",
        "What is evidence-based medicine?",
        "no evidence of pneumonia",
        "What are the warning signs of stroke?",
        "Review patient safety goals",
        "Put the labs in chronological order",
        "What are statins and do they have side effects?",
        "Translate 'check interactions of warfarin and aspirin' to Spanish",
        "Don't check interactions of warfarin and aspirin",
        "",
    ],
)
def test_words_that_only_look_like_requests(text: str) -> None:
    assert _tools(text) == []


_TEN = "warfarin, aspirin, ibuprofen, digoxin, lithium, metformin, amlodipine, lisinopril, sertraline and tramadol"


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("Boxed warnings for warfarin and digoxin?", [("check_drug_safety", d) for d in ("warfarin", "digoxin")]),
        ("Check warfarin, digoxin and lithium", [("check_drug_safety", d) for d in ("warfarin", "digoxin", "lithium")]),
        (
            "safety of warfarin, digoxin, lithium, metformin, aspirin and ibuprofen",
            [
                ("check_drug_safety", drug)
                for drug in ("warfarin", "digoxin", "lithium", "metformin", "aspirin", "ibuprofen")
            ],
        ),
        (
            "prescribe metformin 500mg bid and lisinopril 10mg qd for abc-123",
            [("prescribe_medication", "metformin"), ("prescribe_medication", "lisinopril")],
        ),
        (
            "Add allergies to penicillin (rash) and sulfa (hives) for abc-123",
            [("add_allergy", "penicillin"), ("add_allergy", "sulfa")],
        ),
        (
            "Compare the charts of Maria Garcia and John Smith",
            [
                ("search_patient", "Maria Garcia"),
                ("get_patient_chart", "Maria Garcia"),
                ("search_patient", "John Smith"),
                ("get_patient_chart", "John Smith"),
            ],
        ),
        (
            "Find patients Maria Garcia and John Smith",
            [("search_patient", "Maria Garcia"), ("search_patient", "John Smith")],
        ),
        ("charts of abc-123 and mgr-204", [("get_patient_chart", "abc-123"), ("get_patient_chart", "mgr-204")]),
        ("Compare abc-123 and mgr-204", [("get_patient_chart", "abc-123"), ("get_patient_chart", "mgr-204")]),
        (
            "Compare the charts of abc-123 and John Smith",
            [("get_patient_chart", "abc-123"), ("search_patient", "John Smith"), ("get_patient_chart", "John Smith")],
        ),
        ("Show the chart of John Smith, abc-123", [("get_patient_chart", None)]),
        (
            "Show the chart of abc-123 and prescribe metformin 500 mg bid for mgr-204",
            [("get_patient_chart", "abc-123"), ("prescribe_medication", None)],
        ),
        (
            "Find studies on gout and find papers on lupus",
            [("search_medical_literature", "gout"), ("search_medical_literature", "lupus")],
        ),
        (
            "Find trials for melanoma and find completed trials for ALS",
            [("find_clinical_trials", "melanoma"), ("find_clinical_trials", "ALS")],
        ),
        (
            "find recent studies on DOACs in AF, and any recruiting trials for atrial fibrillation",
            [("search_medical_literature", None), ("find_clinical_trials", None)],
        ),
        ("Show PMID 22663011", [("search_medical_literature", None)]),
        ("What does NCT02576665 study?", [("find_clinical_trials", None)]),
        ("on warf, can i give him cipro?", [("check_drug_interactions", None)]),
        ("Is it safe to give ibuprofen to a patient on warfarin?", [("check_drug_interactions", None)]),
    ],
)
def test_nothing_that_is_asked_for_is_dropped(text: str, wanted: list[tuple[str, str | None]]) -> None:
    assert _needs(text) == wanted


def test_drugs_that_do_not_fit_into_the_check_are_named() -> None:
    text = f"check interactions of {_TEN}"
    found = extract(text)
    wanted = needs(text, found, has_image=False, patient_known=False)
    assert left_over(text, found, wanted) == ("sertraline", "tramadol")
    few = "check interactions of warfarin and aspirin"
    assert left_over(few, extract(few), wanted) == ()


@pytest.mark.parametrize(
    ("text", "tools"),
    [
        ("stop metformin for abc-123", []),
        ("abc-123: stop metformin", []),
        ("Stop metformin for John Smith", []),
        ("remove the penicillin allergy for abc-123", []),
        ("Send metformin 500 mg bid to pharmacy for abc-123", []),
        ("Change metformin to 1000 mg twice daily for abc-123", []),
        ("Order a CT for abc-123", []),
        ("Stop metformin for abc-123 and show her labs", ["get_patient_chart"]),
        ("Stop lisinopril and check losartan safety", ["check_drug_safety"]),
        ("Stop lisinopril for abc-123 and start losartan 50 mg daily", ["prescribe_medication"]),
    ],
)
def test_what_cannot_be_done_is_not_answered_with_a_look_up(text: str, tools: list[str]) -> None:
    assert _tools(text) == tools


def test_each_allergy_is_its_own_entry() -> None:
    assert _needs("not only allergic to penicillin but also to sulfa") == [
        ("add_allergy", "penicillin"),
        ("add_allergy", "sulfa"),
    ]


def test_the_pinned_patient_makes_short_commands_clear() -> None:
    assert _tools("Show me the last progress note") == []
    assert _tools("Show me the last progress note", patient_known=True) == ["get_patient_chart"]


@pytest.mark.parametrize(
    ("text", "tools"),
    [
        ("What do you see?", []),
        ("Describe this chest x-ray", []),
        ("Is there a pneumothorax?", ["analyze_medical_image"]),
        ("Any fracture on the film?", ["analyze_medical_image"]),
        ("Prescribe metformin 500 mg bid for abc-123", ["prescribe_medication"]),
    ],
)
def test_an_image_is_analysed_for_a_specific_question(text: str, tools: list[str]) -> None:
    assert _tools(text, has_image=True) == tools


def test_the_next_need_leaves_nothing_to_choose() -> None:
    left = (Need("get_patient_chart"), Need("check_drug_safety", "metformin"))
    message = "anything"
    assert candidates(message, extract(message), left, has_image=False, patient_known=False, done=()) == (
        "get_patient_chart",
    )


def test_candidates_are_only_tools_that_can_make_sense() -> None:
    text = "Tell me about warfarin"
    plain = candidates(text, extract(text), (), has_image=False, patient_known=False, done=())
    assert plain[0] == "check_drug_safety"
    closed = {"analyze_medical_image", "get_patient_chart", "prescribe_medication", "add_allergy", "save_clinical_note"}
    assert not closed & {*plain}
    with_patient = candidates(text, extract(text), (), has_image=True, patient_known=True, done=["check_drug_safety"])
    assert {"analyze_medical_image", "get_patient_chart"} <= {*with_patient}
    assert "check_drug_safety" not in with_patient


def test_a_write_is_open_only_to_a_write_request() -> None:
    text = "Prescribe metformin 500mg for abc-123"
    assert candidates(text, extract(text), (), has_image=False, patient_known=False)[0] == "prescribe_medication"


@pytest.mark.parametrize("tool", TOOL_NAMES)
def test_every_example_asks_for_its_own_tool(tool: str) -> None:
    query, name = example_for(tool)  # type: ignore[arg-type]
    assert name == tool
    assert tool in _tools(query, has_image=tool == "analyze_medical_image")
