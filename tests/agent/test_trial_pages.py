""" "More" after a trial search is the next page of that search, and of nothing else."""

from __future__ import annotations

from docgemma.agent.paging import Searched, next_page
from docgemma.agent.session_state import first_state
from docgemma.store.rows import Session, Turn
from tests.support.tables import each_of

SECOND = Searched("Find recruiting trials for melanoma near Boston", "melanoma", "recruiting", page=2)
ANY = Searched("Find trials for melanoma", "melanoma")


@each_of(
    "said",
    [
        "more",
        "More please",
        "any others?",
        "show me more trials",
        "can you show me the next few?",
        "next page",
        "next",
        "ok, what else?",
        "anything else?",
        "are there other trials?",
        "the rest of them please",
        "go on",
        "keep going",
        "continue",
        "more of those",
        "any more recruiting ones?",
        "more trials for melanoma",
        "more melanoma trials please",
    ],
)
def test_these_ask_for_the_next_page(said: str) -> None:
    assert next_page(said, SECOND) == 3


@each_of(
    "said",
    [
        "",
        "thanks",
        "only completed ones",
        "more completed ones",
        "more for lung cancer",
        "more lung cancer trials",
        "any more in children?",
        "what next?",
        "tell me more",
        "tell me more about NCT01234567",
        "more papers",
        "next patient please",
        "no more",
        "continue metformin",
        "go ahead and prescribe it",
        "show me the trials",
        "page 0",
        "page 101",
        "more is not always better in melanoma, so what would you do with these people now?",
    ],
)
def test_these_ask_for_something_else(said: str) -> None:
    assert next_page(said, SECOND) is None


def test_a_page_can_be_asked_for_by_its_number() -> None:
    assert (next_page("page 7", SECOND), next_page("go to page 1 please", SECOND)) == (7, 1)


def test_what_narrows_the_search_is_a_new_one() -> None:
    assert next_page("more recruiting ones", ANY) is None


def test_the_page_before_can_be_asked_for() -> None:
    assert (next_page("previous page", SECOND), next_page("go back", SECOND), next_page("back", ANY)) == (1, 1, None)


def test_a_page_that_could_not_be_had_is_asked_for_again() -> None:
    assert next_page("more", Searched("q", "gout", page=3, ended="unavailable")) == 3
    beyond = Searched("q", "gout", page=4, ended="invalid")
    assert (next_page("more", beyond), next_page("page 2", beyond)) == (4, 2)


def test_where_nothing_was_found_nothing_follows() -> None:
    assert next_page("more", Searched("q", "gout", ended="none")) is None
    assert next_page("more", None) is None


SESSION = Session("s1", "ward", "", None, None, "2026-11-16T08:00:00Z", "2026-11-16T08:00:00Z", 0)


def turn(query: str, *calls: dict[str, object], pending: dict[str, object] | None = None) -> Turn:
    waiting = {"clarification": {"reason": "missing_condition", "question": "?", "pending": pending}} if pending else {}
    record = {"tool_calls": list(calls), "response": "…", **waiting}
    return Turn(query, "s1", "done", "agent", query, None, record, "", "")


def trials(condition: str, **args: object) -> dict[str, object]:
    return {"tool": "find_clinical_trials", "args": {"condition": condition, **args}, "status": "found"}


def searched(*turns: Turn) -> Searched | None:
    return first_state("more", SESSION, None, turns).get("searched")


def test_the_search_of_the_turn_before_is_known() -> None:
    found = searched(turn("Trials for gout in Leeds", trials("gout in Leeds", status="recruiting")))
    assert found == Searched("Trials for gout in Leeds", "gout in Leeds", "recruiting")


def test_thanks_in_between_change_nothing_and_another_question_ends_it() -> None:
    gout = turn("Trials for gout", trials("gout"))
    assert searched(gout, turn("thanks")) == Searched("Trials for gout", "gout")
    drug = {"tool": "check_drug_safety", "args": {"drug_name": "lithium"}, "status": "found"}
    assert searched(gout, turn("Warnings of lithium?", drug)) is None
    assert searched(gout, turn("What is a boxed warning?")) is None


def test_a_page_remembers_the_question_of_the_first() -> None:
    second = turn("more", trials("gout", page=2, question="Trials for gout in Leeds"))
    assert searched(second) == Searched("Trials for gout in Leeds", "gout", page=2)


def test_an_answer_to_a_question_is_remembered_with_the_question() -> None:
    text = "Any trials near Leeds?"
    asked = turn(text, pending={"tool": "find_clinical_trials", "message": text})
    assert searched(asked, turn("gout", trials("gout"))) == Searched(text, "gout")


def test_more_repeats_no_order() -> None:
    text = "Prescribe allopurinol 100 mg daily for abc-123 and find trials for gout"
    order: dict[str, object] = {"tool": "prescribe_medication", "args": {}, "status": "proposed"}
    assert searched(turn(text, order, trials("gout"))) == Searched("Find trials for gout", "gout")
