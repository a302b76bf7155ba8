"""What a model says of a trial's status and phase is held against the register."""

from __future__ import annotations

from docgemma.agent.answer.check import check
from docgemma.agent.answer.evidence import Evidence
from docgemma.tools.results import Article, LiteratureResult, Trial, TrialsResult
from tests.support.tables import each_of

FOUND = TrialsResult(
    status="found",
    trials=(
        Trial(nct_id="NCT90000001", title="One", status="recruiting", phase="phase 3"),
        Trial(nct_id="NCT90000002", title="Two", status="completed", phase="phase 1/phase 2"),
        Trial(nct_id="NCT90000003", title="Three", status="active, not recruiting"),
        Trial(nct_id="NCT90000004", title="Four", status="status not known; recruiting when last heard of, 2019"),
        Trial(nct_id="NCT90000005", title="Five", phase="phase 2"),
    ),
)
DONE = TrialsResult(status="found", trials=(FOUND.trials[1],))
PAPER = LiteratureResult(status="found", articles=(Article(title="A paper", pmid="90000001", doi="10.5555/own.1"),))


@each_of(
    "sentence",
    [
        "NCT90000001 is recruiting.",
        "NCT90000001 is a phase III trial that is open to adults.",
        "NCT90000002 is completed.",
        "NCT90000002 was a phase 1/2 study.",
        "NCT90000002 is no longer recruiting.",
        "NCT90000003 is not recruiting.",
        "NCT90000001 is recruiting and NCT90000002 is completed.",
        "One of the trials is recruiting.",
        "Ask the site whether NCT90000002 is recruiting again.",
    ],
)
def test_what_the_register_says_is_released(sentence: str) -> None:
    assert check(sentence, Evidence.of([FOUND])).text == sentence


@each_of(
    "sentence",
    [
        "NCT90000001 is completed.",
        "NCT90000001 is not yet recruiting.",
        "NCT90000001 is no longer recruiting.",
        "NCT90000001 is a phase 2 trial.",
        "NCT90000002 is recruiting.",
        "NCT90000002 is currently enrolling adults.",
        "NCT90000002 was a phase III study.",
        "NCT90000002 was terminated.",
        "NCT90000003 is recruiting.",
        "NCT90000003 is a phase 2 trial.",
        "NCT90000004 is recruiting.",
        "NCT90000004 is not recruiting.",
        "NCT90000005 is recruiting.",
    ],
)
def test_what_the_register_denies_or_does_not_tell_is_left_out(sentence: str) -> None:
    assert check(sentence, Evidence.of([FOUND])).dropped == "not what the register says"


def test_trials_without_a_number_are_all_that_were_found() -> None:
    assert check("Both trials are recruiting.", Evidence.of([DONE])).dropped == "not what the register says"
    assert check("The trial was completed.", Evidence.of([DONE])).dropped is None


def test_a_trial_that_an_article_reports_is_not_one_of_the_register() -> None:
    sentence = "A phase 3 trial was terminated early."
    assert check(sentence, Evidence.of([DONE])).dropped == "not what the register says"
    assert check(sentence, Evidence.of([DONE, PAPER])).dropped is None


def test_retrieved_numbers_may_be_cited_and_others_not() -> None:
    evidence = Evidence.of([PAPER, FOUND])
    for known in ("PMID 90000001", "DOI 10.5555/OWN.1", "NCT90000005"):
        assert check(f"See {known} for it.", evidence).dropped is None, known
    for unknown in ("PMID 90000009", "doi:10.5555/own.2", "NCT90000009"):
        assert check(f"See {unknown} for it.", evidence).dropped == "citation not retrieved", unknown
