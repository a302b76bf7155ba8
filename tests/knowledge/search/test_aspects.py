"""What a question wants to know of its subject."""

from __future__ import annotations

import pytest

from docgemma.knowledge.search.asked import asked
from docgemma.knowledge.search.aspects import aspects


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What is gout?", "definition"),
        ("What are the signs of gout?", "symptoms"),
        ("Why do I get cramps?", "causes"),
        ("How is asthma treated?", "treatment"),
        ("How do doctors test for coeliac disease?", "diagnosis"),
        ("How can I avoid varicose veins?", "prevention"),
        ("Life expectancy with cystic fibrosis", "outlook"),
        ("Does it run in the family?", "inheritance"),
        ("How common is lupus?", "frequency"),
        ("Who is at risk of stroke?", "risk"),
    ],
)
def test_english(question: str, expected: str) -> None:
    assert expected in aspects(question, "en")


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Tiểu đường là gì?", "definition"),
        ("Triệu chứng của bệnh gút", "symptoms"),
        ("trieu chung benh gut", "symptoms"),
        ("Vì sao tôi bị sâu răng?", "causes"),
        ("Cách điều trị viêm nướu", "treatment"),
        ("Làm sao phòng ngừa sâu răng?", "prevention"),
    ],
)
def test_vietnamese(question: str, expected: str) -> None:
    assert expected in aspects(question, "vi")


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("what is scleroderma", {"scleroderma"}),
        ("how is Addison disease treated", {"addison"}),
        ("can I drink on metronidazole", {"metronidazol"}),
        ("is it deadly", set()),
    ],
)
def test_names_the_disease_or_drug_without_which_nothing_fits(question: str, names: set[str]) -> None:
    assert {form for term in asked(question, "en").names for form in term.names[0]} == names
