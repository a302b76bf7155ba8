"""What a question asks for in particular stands first in the answer; and where nothing speaks of it, that is said."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docgemma.agent.answer.asked import silent, told, topics
from docgemma.clinical import ToolResult
from docgemma.tools.results import DrugSafetyReport, InteractionReport

REPORT = DrugSafetyReport(
    status="found",
    drug="examplol (brand)",
    boxed_warnings=("Sudden stopping can be fatal.",),
    contraindications=("Asthma.", "Severe kidney disease."),
    alerts=("An older study saw more deaths.", "Low blood sugar in newborns after use in pregnancy."),
    populations=("Pregnancy: Only when nothing else will do.", "Renal impairment: Half the dose."),
    read="No word on where this was read.",
)
SILENT = "On {}: nothing that was found on examplol speaks of it. That does not make it safe."


@pytest.mark.parametrize(
    ("question", "wanted"),
    [
        ("Is examplol safe in pregnancy?", ("pregnancy",)),
        ("can women of childbearing age take examplol", ("pregnancy",)),
        ("examplol in CKD 4?", ("the kidneys",)),
        ("Is examplol ok for a child with liver disease?", ("the liver", "children")),
        ("Can I drink with examplol?", ("alcohol",)),
        ("any black box warning on examplol", ("boxed warnings",)),
        ("Is examplol safe?", ()),
        ("Is examplol safe for Mr Kidman?", ()),
    ],
)
def test_what_a_question_asks_besides_the_drug(question: str, wanted: tuple[str, ...]) -> None:
    assert topics(question) == wanted


def test_what_was_asked_stands_first_and_nothing_is_lost_or_doubled() -> None:
    lines = told(REPORT, "Is examplol safe in pregnancy with weak kidneys?").splitlines()
    assert lines[:7] == [
        "examplol (brand):",
        "On pregnancy:",
        "Warning: Low blood sugar in newborns after use in pregnancy.",
        "Pregnancy: Only when nothing else will do.",
        "On the kidneys:",
        "Contraindicated: Severe kidney disease.",
        "Renal impairment: Half the dose.",
    ]
    rest = [line for line in lines if not line.startswith("On ") and line != "Besides:"]
    assert sorted(rest) == sorted(REPORT.text().splitlines())


@pytest.mark.parametrize(
    ("question", "topic"),
    [
        ("Is examplol safe while breastfeeding?", "breastfeeding"),
        ("examplol and grapefruit?", "grapefruit"),
        ("Is examplol ok in the elderly?", "older people"),
        ("Can I give the MMR vaccine with examplol?", "vaccines"),
    ],
)
def test_a_report_without_a_word_on_it_says_so(question: str, topic: str) -> None:
    line = SILENT.format(topic)
    assert silent(REPORT, question) == (line,)
    assert told(REPORT, question).splitlines()[1] == line
    assert "Boxed warning: Sudden stopping can be fatal." in told(REPORT, question)


@pytest.mark.parametrize(
    "result",
    [
        DrugSafetyReport(status="unavailable", message="The service did not answer."),
        InteractionReport(status="none", message="Neither label speaks of the other."),
        ToolResult(status="found", message="Something else."),
    ],
)
def test_other_results_stay_as_they_are(result: ToolResult) -> None:
    question = "Is it safe in pregnancy?"
    assert told(result, question) == result.text()
    assert silent(result, question) == ()


@given(st.text(max_size=300))
def test_no_question_loses_a_finding(question: str) -> None:
    shown = told(REPORT, question).splitlines()
    assert set(REPORT.text().splitlines()) <= set(shown)
