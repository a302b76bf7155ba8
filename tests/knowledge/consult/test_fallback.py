"""Without the model: what was found so far, or what a search by code finds."""

from __future__ import annotations

from docgemma.knowledge.consult.nodes.fallback import fallback
from docgemma.knowledge.search.found import Found
from tests.knowledge.consult.library import ENTRIES, SAYS_CLOSED, Library, runtime, state, turns

LOST = "The language model could not be reached; these are the entries of the knowledge base, word for word."


async def test_it_searches_when_nothing_was_searched() -> None:
    update = await fallback(state("Why do my gums bleed?"), runtime())
    assert ENTRIES[0].answer in update["explain"]
    assert LOST in update["notices"]
    assert update["retrieve_attempts"] == 1


async def test_it_searches_with_the_context_of_a_question_that_leans() -> None:
    before = turns("Why do gums bleed in pregnancy?", "Hormones.")
    update = await fallback(state("And in children?", conversation_history=before), runtime())
    assert "pregnancy" in update["retrieval_query"]


async def test_it_uses_what_was_selected() -> None:
    library = Library()
    found = (Found(ENTRIES[5], 0.8, True),)
    given = state(
        "Why do my gums bleed?", retrieved_candidates=found, selected_ids=(ENTRIES[5].id,), retrieve_attempts=1
    )
    update = await fallback(given, runtime(library))
    assert ENTRIES[5].answer in update["explain"]


async def test_a_first_search_in_vain_is_followed_by_one_more() -> None:
    near = (Found(ENTRIES[4], 0.2, False),)
    given = state("How long do fillings last?", retrieved_candidates=near, retrieve_attempts=1)
    update = await fallback(given, runtime())
    assert (update["retrieve_attempts"], update["found"][0].entry.id) == (2, "fillings-last")


async def test_no_third_search() -> None:
    library = Library()
    update = await fallback(state("How long do fillings last?", retrieve_attempts=2), runtime(library))
    assert library.searches == []
    assert "no entry" in update["explain"]
    assert update["notices"] == ["The language model could not be reached."]


async def test_a_greeting_needs_no_model() -> None:
    assert (await fallback(state("Hello"), runtime()))["answering"] == "direct_response"


async def test_a_base_that_is_closed_here_is_said() -> None:
    update = await fallback(state("Why do my gums bleed?"), runtime(Library(closed=frozenset({"search"}))))
    assert "cannot be read right now" in update["explain"]
    assert update["notices"] == [SAYS_CLOSED]
