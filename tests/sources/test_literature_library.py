from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import date

from docgemma.reader.loading import PACKAGED
from docgemma.sources.contract import SourceError
from docgemma.sources.literature.contract import LiteratureSource, Paper, Papers, Sought
from docgemma.sources.literature.library import Library, Outcome
from docgemma.sources.literature.sought import sought_in
from docgemma.sources.row import Row

TODAY = date(2026, 11, 16)
NARROW = sought_in("RCTs on melatonin for insomnia since 2024", reader=PACKAGED, today=TODAY)
LETTER = Paper("Melatonin and insomnia", types=("letter",), published="2020")
REVIEW = Paper("Melatonin in insomnia: a systematic review", types=("systematic review",), published="2021")
DOWN = SourceError("timeout", "The shelf did not answer in time.")

Said = Sequence[Paper] | SourceError | None


class Shelf:
    """A source that says what it is told to, one answer after the other, the last one for ever."""

    def __init__(self, *said: Said, name: str = "shelf", takes_s: float = 0.0) -> None:
        self.said = list(said)
        self.name = name
        self.takes_s = takes_s
        self.asked: list[Sought] = []

    async def search(self, sought: Sought, *, ends_at: float) -> Papers | None:
        self.asked.append(sought)
        await asyncio.sleep(self.takes_s)
        said = self.said.pop(0) if len(self.said) > 1 else self.said[0]
        if isinstance(said, SourceError):
            raise said
        return Papers(tuple(said), self.name, "live", total=len(said)) if said else None


async def search(*live: Shelf, seconds: float = 5.0, sought: Sought = NARROW) -> Outcome:
    row: Row[LiteratureSource] = Row(live, ())
    ends_at = asyncio.get_running_loop().time() + seconds
    return await Library(row, today=lambda: TODAY).search(sought, ends_at=ends_at)


async def test_what_is_found_comes_in_order() -> None:
    found = await search(Shelf([LETTER, REVIEW]))
    assert found.papers is not None
    assert found.papers.papers == (REVIEW, LETTER)
    assert (found.narrow, found.failures, found.sought) == (None, (), NARROW)


async def test_the_second_source_is_asked_when_the_first_has_none_or_fails() -> None:
    for first in (None, DOWN):
        found = await search(Shelf(first), Shelf([LETTER], name="second"))
        assert found.papers is not None
        assert found.papers.source == "second"
        assert found.failures == (() if first is None else (DOWN,))
        assert found.narrow is None


async def test_nothing_anywhere_is_tried_once_more_and_wider() -> None:
    one, other = Shelf(None), Shelf(None, [LETTER])
    found = await search(one, other)
    assert found.papers is not None
    assert found.narrow == NARROW
    assert (found.sought.kinds, found.sought.since) == ((), None)
    assert [len(shelf.asked) for shelf in (one, other)] == [2, 2]


async def test_nothing_in_the_wider_search_either_is_said() -> None:
    shelf = Shelf(None)
    found = await search(shelf)
    assert found.papers is None
    assert found.failures == ()
    assert found.tried is not None
    assert len(shelf.asked) == 2


async def test_a_wider_search_that_fails_leaves_the_first_answer_standing() -> None:
    found = await search(Shelf(None, DOWN))
    assert (found.papers, found.failures, found.tried) == (None, (), None)
    assert found.untried == "The shelf did not answer in time"


async def test_failures_of_the_first_round_are_not_forgotten() -> None:
    found = await search(Shelf(DOWN, None), Shelf(None, [LETTER], name="second"))
    assert found.papers is not None
    assert found.failures == (DOWN,)


async def test_who_only_failed_is_not_asked_for_more() -> None:
    shelf = Shelf(DOWN)
    found = await search(shelf)
    assert (found.failures, len(shelf.asked)) == ((DOWN,), 1)


async def test_without_time_there_is_no_wider_search() -> None:
    shelf = Shelf(None, takes_s=0.15)
    found = await search(shelf, seconds=0.4)
    assert (found.papers, len(shelf.asked)) == (None, 1)
