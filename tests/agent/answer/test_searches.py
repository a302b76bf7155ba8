"""Answers to a search without a model: what was searched, how much there is, each finding with its number."""

from __future__ import annotations

from typing import Any

from docgemma.agent.answer.compose import compose
from docgemma.agent.answer.searches import ASK_SITE, MORE, NARROWER, NOT_WHOLE
from docgemma.clinical import ToolResult
from docgemma.tools.results import Article, LiteratureResult, Trial, TrialsResult

REVIEW = Article(
    title="Apixaban in atrial fibrillation",
    pmid="90000001",
    journal="Fictional Heart Journal",
    year=2025,
    kind="Meta-analysis",
    conclusion="Apixaban lowered the rate of stroke by 21 %.",
)
PREPRINT = Article(title="Apixaban once more", doi="10.5555/own.1", year=2026, preprint=True)
OPEN = Trial(
    nct_id="NCT90000001",
    title="A trial of a fictional vaccine",
    status="recruiting",
    phase="phase 3",
    ages="18 years and older",
    sites=("Fictional Hospital, Boston",),
    site_count=4,
    summary="It compares a vaccine with none.",
)


def composed(result: ToolResult, label: str) -> list[str]:
    given: dict[str, Any] = {"direct": False, "small_talk": False, "model_available": False}
    return compose("a question", [(label, result)], (), (), **given).splitlines()


def papers(**more: Any) -> LiteratureResult:
    given: dict[str, Any] = {"status": "found", "articles": (REVIEW, PREPRINT), "total": 1234, "origin": "live"}
    return LiteratureResult(**{**given, "searched": "atrial fibrillation, apixaban", **more})


def found(**more: Any) -> TrialsResult:
    given: dict[str, Any] = {"status": "found", "trials": (OPEN,), "total": 480, "more": True, "origin": "live"}
    return TrialsResult(**{**given, "searched": "melanoma, recruiting", **more})


def test_articles_are_numbered_with_their_conclusions_in_quotation_marks() -> None:
    lines = composed(papers(), "Medical Literature")
    assert lines[:5] == [
        "[Medical Literature]",
        "Searched: atrial fibrillation, apixaban. 2 of 1,234 articles are shown.",
        "1. Apixaban in atrial fibrillation (Fictional Heart Journal, 2025) [Meta-analysis]. PMID 90000001.",
        "   “Apixaban lowered the rate of stroke by 21 %.”",
        "2. Apixaban once more (2026) [preprint, not peer-reviewed]. DOI 10.5555/own.1. No conclusion in the abstract.",
    ]
    assert lines[5:7] == [NOT_WHOLE, NARROWER]


def test_a_wider_search_and_the_age_of_a_pack_are_said() -> None:
    lines = composed(papers(wider=True, origin="pack", data_date="2026-08-01"), "Medical Literature")
    assert "Nothing fitted all of it. This is what a wider search found:" in lines
    assert "From the pack of 2026-08-01; what is newer is not in it." in lines


def test_nothing_is_offered_where_all_is_shown() -> None:
    lines = composed(papers(articles=(PREPRINT,), total=1), "Medical Literature")
    assert lines[1] == "Searched: atrial fibrillation, apixaban. 1 article is shown."
    assert NARROWER not in lines and NOT_WHOLE not in lines


def test_trials_come_with_status_people_and_places_and_the_next_page_is_offered() -> None:
    lines = composed(found(), "Clinical Trials")
    assert lines[:4] == [
        "[Clinical Trials]",
        "Searched: melanoma, recruiting. 1 of 480 trials is shown.",
        "- NCT90000001: A trial of a fictional vaccine (recruiting, phase 3). Who: 18 years and older. "
        "Where: Fictional Hospital, Boston and 3 more.",
        "  It compares a vaccine with none.",
    ]
    assert lines[4:6] == [MORE, ASK_SITE]


def test_a_later_page_says_so_and_the_last_offers_no_other() -> None:
    lines = composed(found(page=3, more=False, total=None, origin="cache", data_date="2026-11-15"), "Clinical Trials")
    assert lines[1] == "Searched: melanoma, recruiting. 1 trial is shown (page 3)."
    assert MORE not in lines
    assert "As answered on 2026-11-15." in lines


def test_what_is_offered_stands_below_findings_that_were_cut() -> None:
    many = tuple(OPEN.model_copy(update={"summary": "A long sentence. " * 60}) for _ in range(9))
    lines = composed(found(trials=many), "Clinical Trials")
    assert any(line.startswith("… (") for line in lines)
    assert MORE in lines and ASK_SITE in lines


def test_nothing_found_is_told_in_the_words_of_the_search() -> None:
    lines = composed(
        LiteratureResult(status="none", message="Europe PMC has no article on this."), "Medical Literature"
    )
    assert lines[1] == "Europe PMC has no article on this."
    assert NOT_WHOLE not in lines
