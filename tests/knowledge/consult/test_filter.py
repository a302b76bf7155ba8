"""Choosing: by number, among those that fit."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from docgemma.knowledge.consult.nodes.filter import MOST_BY_RULE, filter
from docgemma.knowledge.consult.schemas import selection
from docgemma.knowledge.search.found import Found
from tests.knowledge.consult.library import ENTRIES, Model, runtime, state


def candidates(*fits: bool) -> tuple[Found, ...]:
    return tuple(
        Found(entry, 1 - place / 100, fit) for place, (entry, fit) in enumerate(zip(ENTRIES, fits, strict=False))
    )


def ids(update: Any) -> list[str]:
    return [next(n for n, each in enumerate(ENTRIES, 1) if each.id == id) for id in update["selected_ids"]]


async def test_a_few_pass_without_a_model() -> None:
    model = Model()
    given = state("Why?", retrieved_candidates=candidates(True, True, True))
    assert ids(await filter(given, runtime(llm=model, shortcuts=False))) == [1, 2, 3]
    assert model.asked == []


async def test_the_model_chooses_among_many() -> None:
    given = state("Why?", retrieved_candidates=candidates(*[True] * 7))
    assert ids(await filter(given, runtime(llm=Model(filter={"numbers": [6, 2, 2]})))) == [2, 6]


async def test_what_does_not_fit_is_never_selected() -> None:
    given = state("Why?", retrieved_candidates=candidates(True, True, False, False, False))
    update = await filter(given, runtime(llm=Model(filter={"numbers": [2, 3, 4]}), shortcuts=False))
    assert ids(update) == [2]
    update = await filter(given, runtime(llm=Model(filter={"numbers": [3, 4]}), shortcuts=False))
    assert ids(update) == [1, 2]


async def test_without_a_model_the_best_are_taken() -> None:
    given = state("Why?", retrieved_candidates=candidates(*[True] * 9))
    assert ids(await filter(given, runtime())) == list(range(1, MOST_BY_RULE + 1))


async def test_nothing_fits_selects_nothing() -> None:
    given = state("Why?", retrieved_candidates=candidates(False, False, False, False))
    assert ids(await filter(given, runtime(llm=Model(), shortcuts=False))) == []


@pytest.mark.parametrize("numbers", [[], [0], [6], ["gums-bleed"], list(range(1, 12))], ids=str)
def test_only_numbers_of_candidates_are_valid(numbers: list[Any]) -> None:
    with pytest.raises(ValidationError):
        selection(5).model_validate({"numbers": numbers})


def near(*numbers: float) -> tuple[Found, ...]:
    return tuple(Found(entry, value, False, True) for entry, value in zip(ENTRIES, numbers, strict=False))


async def test_what_comes_near_needs_a_models_word() -> None:
    given = state("Why?", retrieved_candidates=near(0.5, 0.4, 0.4))
    assert ids(await filter(given, runtime())) == []
    update = await filter(given, runtime(llm=Model(filter={"numbers": [2]})))
    assert ids(update) == [2]
    assert any("the language model chose" in notice for notice in update["notices"])


@pytest.mark.parametrize("said", [{"numbers": [0]}, {"numbers": [0, 1]}, "junk"], ids=str)
async def test_a_model_may_say_that_nothing_near_answers(said: Any) -> None:
    given = state("Why?", retrieved_candidates=near(0.5, 0.4))
    model = Model({"filter": said}) if isinstance(said, str) else Model(filter=said)
    assert ids(await filter(given, runtime(llm=model))) == []
