"""A lying model, and texts that are cut: what of it reaches the reader. What still does is marked with why."""

from __future__ import annotations

import re
import unicodedata
from pathlib import Path

import pytest

from docgemma.agent.curated import as_sources
from docgemma.cli.turn_output import sources
from docgemma.entities.sentences import split
from docgemma.knowledge.demo.entries import demonstration
from docgemma.knowledge.entry import Language
from tests.knowledge.consult.library import ROLES, Library, Model, ask, entry
from tests.knowledge.test_attacks import QUESTION, TREATED, gout, open_hole, says

SHIPPED = {each.id: each for each in demonstration()}
LIES = Path(__file__).with_name("lies.txt")
"""One a line, with its entry."""


def lies() -> list[tuple[str, str]]:
    lines = [line for line in LIES.read_text("utf-8").splitlines() if line]
    return [(id, lie) for id, _, lie in (line.partition(" | ") for line in lines)]


def bare(text: str) -> str:
    cited = re.sub(r"\s*\[\d{1,3}\]", "", unicodedata.normalize("NFC", text))
    return " ".join(cited.split()).rstrip(".").lower()


async def is_shown(id: str, lie: str) -> bool:
    held = SHIPPED[id]
    honest = [each.strip() for each in split(held.answer) if each.strip()]
    model = says(f"{' '.join(honest[:2])} {lie} {honest[-1]}"[:1_500])
    answer = await ask(held.question, library=Library([held]), llm=model, role=ROLES[held.role], language=held.language)
    return bare(lie) in bare(answer.response)


@pytest.mark.parametrize(("id", "lie"), lies())
async def test_a_lie_between_true_sentences_is_not_shown(id: str, lie: str) -> None:
    assert not await is_shown(id, lie)


@pytest.mark.parametrize("text", ["", " \n", "x" * 1_500, "🙂" * 300, "[1] [2] [99]", "ok " * 400])
async def test_an_empty_or_huge_text_leaves_the_entry(text: str) -> None:
    answer = await gout(f"{TREATED}.", says(text))
    assert answer.word_for_word
    assert TREATED in answer.response


async def test_a_suggestion_is_a_question_and_no_claim() -> None:
    held = [each for each in SHIPPED.values() if (each.role, each.language) == ("patient_diabetes", "en")]
    model = says(SHIPPED["pd-metformin-en"].answer, "Your metallic taste shows kidney failure.")
    answer = await ask(
        SHIPPED["pd-metformin-en"].question, library=Library(held), llm=model, role=ROLES["patient_diabetes"]
    )
    assert "Your metallic taste shows kidney failure." not in answer.suggestions


RELATION = "Review the plan every year with the patient and the family."
XEM = "Xem lại kế hoạch mỗi năm cùng người bệnh và gia đình."


UNFRAMED = open_hole("a warning is taken from the entry without the line that calls it a myth")


@pytest.mark.parametrize("role", ["general_practitioner", "patient_diabetes"])
@pytest.mark.parametrize(
    ("answer", "lie", "language"),
    [
        ("Offer insulin when HbA1c is > 9 %.", "Offer insulin when HbA1c is < 9 %.", "en"),
        ("Offer insulin when HbA1c is ≥ 9 %.", "Offer insulin when HbA1c is ≤ 9 %.", "en"),
        ("Take 1/2 tablet with food.", "Take 1-2 tablet with food.", "en"),
        ("Keep the vaccine at -20 °C.", "Keep the vaccine at 20 °C.", "en"),
        ("Use a 0.9 % saline drip.", "Use a 0.9 saline drip.", "en"),
        ("Herbs can cure diabetes? No, nothing can.", "Herbs can cure diabetes.", "en"),
        pytest.param("“You can stop the tablets.” That is a myth.", "You can stop the tablets.", "en", marks=UNFRAMED),
        pytest.param(
            "Myth:\nYou can stop the tablets.\nFact:\nThey are for life.",
            "You can stop the tablets.",
            "en",
            marks=UNFRAMED,
        ),
        ("Dùng insulin khi HbA1c > 9 %.", "Dùng insulin khi HbA1c < 9 %.", "vi"),
        ("Uống 1/2 viên sau ăn.", "Uống 1-2 viên sau ăn.", "vi"),
    ],
    ids=["more", "at least", "half", "frost", "percent", "asked", "quoted", "myth", "more vi", "half vi"],
)
async def test_a_changed_sign_is_not_word_for_word(answer: str, lie: str, language: Language, role: str) -> None:
    further = RELATION if language == "en" else XEM
    asked = "What is the rule?" if language == "en" else "Quy tắc là gì?"
    held = entry("rule", asked, f"{answer} {further}", role=role, language=language)
    told = await ask(asked, library=Library([held]), llm=says(f"{lie} {further}"), role=ROLES[role], language=language)
    assert told.word_for_word or lie not in told.response


WARNING = "Never take it with clarithromycin: it can kill."
LONG = f"{TREATED} and is taken early in an attack. " * 24 + WARNING


@pytest.mark.parametrize("llm", [None, says(f"{TREATED} and is taken early in an attack [1].")], ids=["rules", "model"])
async def test_a_warning_at_the_end_of_a_long_entry_is_shown(llm: Model | None) -> None:
    assert WARNING in (await gout(LONG, llm)).response


@pytest.mark.parametrize(
    "answer",
    [
        f"{TREATED}. Do not take it with food. Never crush it. Avoid it at night. Go to hospital at once if you faint.",
        f"{TREATED}. Go to hospital at once if you have:\n" + "- vomiting, weakness or a burning throat\n" * 12,
    ],
    ids=["fourth", "long list"],
)
async def test_a_reworded_answer_keeps_every_warning(answer: str) -> None:
    assert "Go to hospital at once" in (await gout(answer, says(f"{TREATED} [1]."))).response


async def test_the_warnings_of_every_cited_entry_are_kept() -> None:
    one = entry("a", "Why do gums bleed?", "Gums bleed mostly because plaque inflames them.", subtopic="")
    pulled = "Gums bleed after a tooth is pulled because the wound is fresh"
    two = entry("b", "Why do gums bleed after that?", f"{pulled}. Go to hospital at once if it is heavy.", subtopic="")
    answer = await ask("Why do gums bleed", library=Library([one, two]), llm=says(f"{one.answer} [1] {pulled} [2]."))
    assert "Go to hospital at once" in answer.response


@pytest.mark.parametrize(
    ("id", "warning"),
    [
        ("de-knocked-out-adult-en", "Go to hospital first"),
        ("gp-dengue-warning-signs-en", "means hospital assessment"),
        ("gp-dengue-warning-signs-vi", "phải đánh giá tại bệnh viện"),
        ("gp-ckd-hyperkalaemia-en", "immediate hospital transfer"),
    ],
)
async def test_a_shipped_warning_survives_rewording(id: str, warning: str) -> None:
    held = SHIPPED[id]
    told = [each.strip() for each in split(held.answer) if each.strip() and warning not in each][:2]
    answer = await ask(
        held.question,
        library=Library([held]),
        llm=says(" ".join(told)),
        role=ROLES[held.role],
        language=held.language,
    )
    assert warning in answer.response


@pytest.mark.parametrize("id", ["pd-metformin-vi", "gp-hypothyroidism-what-vi", "pd-high-signs-en"])
def test_a_quoted_source_is_not_cut_inside_a_number_or_before_a_not(id: str) -> None:
    (quote,) = (line.text for line in sources(as_sources([SHIPPED[id]])) if line.text.startswith('      "'))
    left = " ".join(SHIPPED[id].answer.split()).removeprefix(quote.strip(' "…'))
    assert not re.match(r"[\d.,–-]*\d|-\d| not\b", left)


async def test_a_long_sentence_is_not_cut_between_a_number_and_its_unit() -> None:
    answer = "colchicine gout " * 68 + "no more than 4 000 mg or 15 mg a day " * 30
    shown = (await gout(answer)).response
    assert not re.search(r"\d\n", shown.partition(QUESTION)[2])
