"""Clinicians' sentences, and what the register is asked for each of them. The table was read line by line."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from docgemma.entities.extract import extract
from docgemma.sources.trials.contract import Sought
from docgemma.sources.trials.sought import Understood, sought_in
from tests.support.tables import each_of

CLOSED = ("ACTIVE_NOT_RECRUITING", "COMPLETED", "SUSPENDED", "TERMINATED", "WITHDRAWN")
RECRUITING = ("RECRUITING",)
CHILDREN = {"age_years": 0.0, "age_to": 17.0}
ELDERLY = {"age_years": 65.0, "age_to": 120.0}


def asked(question: str) -> Understood:
    """As the agent asks: condition and status by rule, and the whole question beside them."""
    found = extract(question)
    condition = found.conditions[0].value if found.conditions else ""
    return sought_in(condition, found.trial_statuses[0].value if found.trial_statuses else None, question)


@each_of(
    ("question", "expected"),
    [
        ("trials of pembrolizumab in melanoma", {"condition": "melanoma", "intervention": "pembrolizumab"}),
        ("semaglutide for NASH trials", {"condition": "NASH", "intervention": "semaglutide"}),
        (
            "clinical trials pembrolizumab NSCLC phase 3",
            {"condition": "NSCLC", "intervention": "pembrolizumab", "phases": ("PHASE3",)},
        ),
        (
            "tirzepatide vs semaglutide trials for obesity",
            {"condition": "obesity", "intervention": "tirzepatide semaglutide"},
        ),
        ("gene therapy trials for haemophilia B", {"condition": "haemophilia B", "intervention": "gene therapy"}),
        ("trials of CAR-T in myeloma", {"condition": "myeloma", "intervention": "CAR-T"}),
        (
            "Please look for upcoming vaccine trials in Ebola",
            {"condition": "Ebola", "intervention": "vaccine", "statuses": ("NOT_YET_RECRUITING",)},
        ),
        (
            "my 45 yo patient on metformin has NASH, any recruiting trials?",
            {"condition": "NASH", "statuses": RECRUITING, "age_years": 45.0},
        ),
        ("trials for trastuzumab-resistant breast cancer", {"condition": "trastuzumab-resistant breast cancer"}),
        (
            "Any recruiting trials for breast cancer in Vietnam?",
            {"condition": "breast cancer", "statuses": RECRUITING, "place": "Vietnam"},
        ),
        ("Find trials near Boston for ALS", {"condition": "ALS", "place": "Boston"}),
        ("Are there trials at Mayo for pancreatic cancer", {"condition": "pancreatic cancer", "place": "Mayo Clinic"}),
        ("trials for gout recruiting in Leeds", {"condition": "gout", "statuses": RECRUITING, "place": "Leeds"}),
        (
            "lung cancer trials, any phase, in Ho Chi Minh City",
            {"condition": "lung cancer", "place": "Ho Chi Minh City"},
        ),
        (
            "Is there a study recruiting for CAR-T in lupus near London?",
            {"condition": "lupus", "intervention": "CAR-T", "statuses": RECRUITING, "place": "London"},
        ),
        ("lady with MND asked about trials in Leeds", {"condition": "MND", "place": "Leeds", "sex": "female"}),
        ("trials for ductal carcinoma in situ", {"condition": "ductal carcinoma in situ"}),
        ("trials in AML patients in remission", {"condition": "AML in remission"}),
        ("asthma trials in children", {"condition": "asthma", **CHILDREN}),
        ("Any trials for relapsed ALL in children", {"condition": "relapsed ALL", **CHILDREN}),
        (
            "trials for a 64-year-old woman with lung cancer",
            {"condition": "lung cancer", "age_years": 64.0, "sex": "female"},
        ),
        (
            "Trials for infants 6 months old with spinal muscular atrophy",
            {"condition": "spinal muscular atrophy", "age_years": 0.5},
        ),
        (
            "trials for men over 65 with prostate cancer in Boston",
            {"condition": "prostate cancer", "place": "Boston", "sex": "male", **ELDERLY},
        ),
        (
            "recruiting studies for sickle cell disease in Ghana for a 7 year old boy",
            {
                "condition": "sickle cell disease",
                "statuses": RECRUITING,
                "place": "Ghana",
                "age_years": 7.0,
                "sex": "male",
            },
        ),
        (
            "trials for type 2 diabetes in elderly patients that have stopped early",
            {"condition": "type 2 diabetes", "statuses": ("TERMINATED",), **ELDERLY},
        ),
        ("trials for post-stroke depression in men", {"condition": "post-stroke depression", "sex": "male"}),
        ("What trials exist for male breast cancer?", {"condition": "male breast cancer", "sex": "male"}),
        ("phase 3 trials for glioblastoma", {"condition": "glioblastoma", "phases": ("PHASE3",)}),
        ("early phase 1 trials for sarcoma", {"condition": "sarcoma", "phases": ("EARLY_PHASE1",)}),
        (
            "phase II/III trials of olaparib for ovarian cancer in the UK",
            {
                "condition": "ovarian cancer",
                "intervention": "olaparib",
                "phases": ("PHASE2", "PHASE3"),
                "place": "United Kingdom",
            },
        ),
        ("Which trials are no longer recruiting for psoriasis?", {"condition": "psoriasis", "statuses": CLOSED}),
        (
            "completed trials of metformin in pregnancy",
            {"condition": "pregnancy", "intervention": "metformin", "statuses": ("COMPLETED",)},
        ),
        ("expanded access for ALS trials", {"condition": "ALS", "statuses": ("AVAILABLE",)}),
        (
            "open trials for heart failure with preserved ejection fraction in Germany",
            {"condition": "heart failure with preserved ejection fraction", "statuses": RECRUITING, "place": "Germany"},
        ),
        (
            "my patient Ann Lee has NASH, any trials of semaglutide in Hanoi?",
            {"intervention": "semaglutide", "place": "Hanoi"},
        ),
        (
            "trial options for a 3-year-old with neuroblastoma in Toronto",
            {"condition": "neuroblastoma", "place": "Toronto", "age_years": 3.0},
        ),
        (
            "completed phase III trials of empagliflozin in HFpEF",
            {
                "condition": "HFpEF",
                "intervention": "empagliflozin",
                "statuses": ("COMPLETED",),
                "phases": ("PHASE3",),
            },
        ),
        (
            "psilocybin for depression - are there open trials in Oregon?",
            {"condition": "depression", "intervention": "psilocybin", "statuses": RECRUITING, "place": "Oregon"},
        ),
        (
            "stage 4 pancreatic cancer trials for a 59 year old gentleman in Ohio or Michigan",
            {"condition": "pancreatic cancer", "place": "Ohio or Michigan", "age_years": 59.0, "sex": "male"},
        ),
        (
            "are there any trials in australia for idiopathic pulmonary fibrosis",
            {"condition": "idiopathic pulmonary fibrosis", "place": "Australia"},
        ),
        ("What does NCT02576665 study?", {"condition": "NCT02576665"}),
    ],
)
def test_a_sentence_becomes_a_search(question: str, expected: dict[str, Any]) -> None:
    found = asked(question)
    assert found.sought == Sought(**{"condition": "", **expected})
    assert found.notes == ()


@each_of(
    ("question", "note"),
    [
        ("trials for melanoma after pembrolizumab failure", "“after pembrolizumab failure” was not searched for"),
        ("any trials near me for COPD", "“near me” names no place"),
    ],
)
def test_what_is_not_searched_for_is_said(question: str, note: str) -> None:
    found = asked(question)
    assert found.sought.condition in ("melanoma", "COPD")
    assert len(found.notes) == 1
    assert found.notes[0].startswith(note)


def test_arguments_count_before_the_sentence() -> None:
    found = sought_in(
        "gout",
        "completed",
        "recruiting phase 2 trials for gout in women in France, and completed ones",
        intervention="colchicine",
        place="the UK",
        age="8 months",
        sex="male",
        phase="3",
        page=2,
    )
    assert found.notes == ()
    assert found.sought == Sought(
        "gout", "colchicine", ("COMPLETED",), ("PHASE3",), "United Kingdom", 8 / 12, "male", 2
    )


def test_words_that_are_not_understood_are_said_and_filter_nothing() -> None:
    found = sought_in("gout", "xyz", age="old enough", sex="blue", phase="nine")
    assert found.sought == Sought("gout")
    assert found.notes[0] == "“xyz” is no status I know; all statuses were searched."
    assert {note.split("”")[0].lstrip("“") for note in found.notes} == {"xyz", "old enough", "blue", "nine"}


@each_of(
    "question",
    [
        "trials for Ann Lee with melanoma",
        "Find trials for my patient Maria Garcia, she has melanoma",
        "melanoma trials for John Smith, MRN 4471123, born 12/03/1961",
    ],
)
def test_no_name_gets_into_a_search(question: str) -> None:
    sought = asked(question).sought
    said = f"{sought.condition} {sought.intervention} {sought.place}".lower()
    assert not any(name in said for name in ("ann", "lee", "maria", "garcia", "john", "smith", "4471123", "1961"))


@settings(max_examples=80, deadline=None)
@given(st.text(max_size=60), st.text(max_size=20), st.text(max_size=120), st.text(max_size=10))
def test_no_text_breaks_it(condition: str, status: str, question: str, other: str) -> None:
    found = sought_in(condition, status, question, age=other, sex=other, phase=other, place=other)
    assert found.sought.page == 1
    assert all(len(note) < 200 for note in found.notes)


@each_of(
    ("question", "place"),
    [
        ("gout trials for Mr London", ""),
        ("gout trials, Mrs Paris", ""),
        ("gout trials for Jack London", ""),
        ("gout trials houston", "Houston"),
        ("gout trials, recruiting, europe", "Europe"),
        ("any gout trials in London", "London"),
    ],
)
def test_a_place_without_its_preposition_is_one_unless_it_is_somebodys_name(question: str, place: str) -> None:
    assert sought_in("gout", None, question).sought == Sought(
        "gout", place=place, statuses=RECRUITING if "recruiting" in question else ()
    )
