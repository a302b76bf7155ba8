from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

import pytest

from docgemma.errors import Unavailable
from docgemma.sources.contract import Label, Labels, SourceError
from docgemma.sources.dailymed.client import DailyMed
from docgemma.sources.openfda.client import OpenFda
from docgemma.sources.row import Chain, Mode
from tests.sources.asking import asking, soon
from tests.support.fake_dailymed import BASE, FakeDailyMed
from tests.support.fake_openfda import FakeOpenFda
from tests.support.fake_service import Said
from tests.support.labels import spl

DOWN = SourceError("server_error", "The source has a fault.")


def found(source: str, *, full: bool = True) -> Labels:
    return Labels((Label("A label", {"warnings": ("Watch.",)}, full=full),), source=source, origin="live")


@dataclass
class Place:
    """A source that does what it is told, and writes down how long it was given."""

    name: str
    does: Labels | Exception | None = None
    takes_s: float = 0.0
    given: list[float] = field(default_factory=list)

    async def labels(self, drug: str, *, ends_at: float) -> Labels | None:
        self.given.append(ends_at - asyncio.get_running_loop().time())
        await asyncio.sleep(self.takes_s)
        if isinstance(self.does, Exception):
            raise self.does
        return self.does


def places(fda: object, med: object, built: object, starter: object) -> tuple[Place, Place, Place, Place]:
    names = ("openFDA", "DailyMed", "pack", "starter")
    return tuple(Place(name, does) for name, does in zip(names, (fda, med, built, starter), strict=True))  # type: ignore[arg-type,return-value]


def chain(shelf: tuple[Place, ...], mode: Mode = "auto") -> Chain:
    return Chain(shelf[:2], shelf[2:], mode=mode)


@pytest.mark.parametrize(
    ("fda", "med", "built", "answer", "asked"),
    [
        (found("openFDA"), DOWN, DOWN, "openFDA", ("openFDA",)),
        (DOWN, found("DailyMed"), DOWN, "DailyMed", ("openFDA", "DailyMed")),
        (None, found("DailyMed"), DOWN, "DailyMed", ("openFDA", "DailyMed")),
        (DOWN, None, found("pack"), "pack", ("openFDA", "DailyMed", "pack")),
        (DOWN, DOWN, DOWN, "starter", ("openFDA", "DailyMed", "pack", "starter")),
        (None, None, None, "starter", ("openFDA", "DailyMed", "pack", "starter")),
        (found("openFDA", full=False), None, None, "openFDA", ("openFDA", "DailyMed", "pack", "starter")),
        (found("openFDA", full=False), found("DailyMed"), None, "DailyMed", ("openFDA", "DailyMed")),
    ],
)
async def test_the_first_full_answer_wins(
    fda: Labels | None, med: Labels | None, built: Labels | None, answer: str, asked: tuple[str, ...]
) -> None:
    shelf = places(fda, med, built, found("starter", full=False))
    outcome = await chain(shelf).labels("warfarin", ends_at=soon())
    assert outcome.labels is not None
    assert outcome.labels.source == answer
    assert outcome.asked == asked
    failed = [place for place in shelf if isinstance(place.does, Exception) and place.name in asked]
    assert len(outcome.failures) == len(failed)


async def test_nobody_has_it_is_not_the_same_as_nobody_answered() -> None:
    nothing = await chain(places(None, None, None, None)).labels("x", ends_at=soon())
    assert (nothing.labels, nothing.failures) == (None, ())
    silent = await chain(places(None, DOWN, None, None)).labels("x", ends_at=soon())
    assert (silent.labels, silent.failures) == (None, (DOWN,))


@pytest.mark.parametrize(("mode", "asked"), [("live", ("openFDA", "DailyMed")), ("pack", ("pack", "starter"))])
async def test_a_mode_keeps_to_its_sources(mode: Mode, asked: tuple[str, ...]) -> None:
    outcome = await chain(places(None, None, None, None), mode).labels("x", ends_at=soon())
    assert outcome.asked == asked


async def test_live_sources_leave_time_for_the_packs() -> None:
    shelf = places(DOWN, DOWN, found("pack"), None)
    await chain(shelf).labels("x", ends_at=soon(10))
    fda, med, built, _ = shelf
    assert fda.given[0] == pytest.approx(4.5, abs=0.2)
    assert med.given[0] == pytest.approx(7.5, abs=0.2)
    assert built.given[0] == pytest.approx(10, abs=0.2)


async def test_without_packs_the_live_sources_have_all_the_time() -> None:
    shelf = places(DOWN, None, None, None)
    await chain(shelf, "live").labels("x", ends_at=soon(10))
    assert shelf[1].given[0] == pytest.approx(10, abs=0.2)


async def test_with_a_second_left_only_packs_are_asked() -> None:
    shelf = places(found("openFDA"), None, found("pack"), None)
    outcome = await chain(shelf).labels("x", ends_at=soon(0.9))
    assert outcome.labels is not None
    assert outcome.labels.source == "pack"
    assert outcome.asked == ("pack",)
    assert [failure.error_type for failure in outcome.failures] == ["timeout", "timeout"]


async def test_a_source_that_forgets_the_time_is_left() -> None:
    shelf = (Place("openFDA", found("openFDA"), takes_s=60), Place("pack", found("pack")))
    outcome = await Chain(shelf[:1], shelf[1:]).labels("x", ends_at=soon(1.2))
    assert outcome.labels is not None
    assert outcome.labels.source == "pack"
    assert [failure.error_type for failure in outcome.failures] == ["timeout"]


async def test_a_damaged_pack_does_not_hide_the_others() -> None:
    broken = Unavailable("The pack is damaged. Build it again.")
    outcome = await chain(places(None, None, broken, found("starter", full=False))).labels("x", ends_at=soon())
    assert outcome.labels is not None
    assert outcome.labels.source == "starter"
    assert [(error.error_type, str(error)) for error in outcome.failures] == [("service_unavailable", str(broken))]


async def test_a_bug_in_a_source_is_not_swallowed() -> None:
    with pytest.raises(ZeroDivisionError):
        await chain(places(ZeroDivisionError(), None, None, None)).labels("x", ends_at=soon())


async def test_dailymed_answers_while_openfda_is_down_and_says_so() -> None:
    down = FakeOpenFda(())
    down.always = Said(503)
    async with (
        asking(down) as (web, url),
        asking(FakeDailyMed({"warfarin": spl("warfarin")})) as (other, other_url),
    ):
        sources = (OpenFda(web, url), DailyMed(other, f"{other_url}{BASE}"))
        outcome = await Chain(sources, ()).labels("warfarin", ends_at=soon())
    assert outcome.labels is not None
    assert outcome.labels.source == "DailyMed drug labels"
    assert [failure.error_type for failure in outcome.failures] == ["server_error"]
