"""UTS as a back end: what it finds, how far that is believed, and how it fails."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any

import httpx2
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from docgemma.errors import BadInput, Unavailable
from docgemma.fetch.door import Door
from docgemma.fetch.outside import Outside
from docgemma.fetch.pacing import Manners
from docgemma.terminology.contract import EntityType, Linked
from docgemma.terminology.uts import MOST_CANDIDATES, UtsTerminology
from tests.support.fake_service import Question, Said
from tests.support.faulty_http import Fault, faulty
from tests.support.http import serving
from tests.terminology.fake_uts import BASE, KEY, FakeUts

UNHURRIED = Manners(per_minute=60_000, burst=1_000, at_once=8)
THRESHOLD = 0.7


class Mentions:
    """An embedded linker that knows two words."""

    async def link(self, text: str, *, max_results: int = 5) -> Sequence[Linked]:
        known: dict[str, EntityType] = {"aspirin": "Medication", "MRI": "Procedure"}
        return [
            Linked(text=word, start=text.index(word), end=text.index(word) + len(word), type=kind)
            for word, kind in known.items()
            if word in text
        ]


@asynccontextmanager
async def uts(fake: FakeUts, key: str = KEY, deadline_s: float = 5.0) -> AsyncIterator[UtsTerminology]:
    async with serving(fake) as url, Door() as door:
        yield UtsTerminology(
            Outside(door, default=UNHURRIED), key, Mentions(), base_url=f"{url}{BASE}", deadline_s=deadline_s
        )


@pytest.mark.parametrize(
    ("term", "type", "best", "sure"),
    [
        ("acetaminophen", None, "C0000970", True),
        ("Paracetamol", "Medication", "C0000970", True),
        ("MRI", None, "C0024485", False),  # a gene bears the name too, and nobody said what is meant
        ("MRI", "Procedure", "C0024485", True),
        ("MRI", "Biomarker", "C9900001", True),
        ("cold", "Condition", "C9900002", True),
        ("cold", None, "C9900002", False),  # four letters, and a temperature bears the name too
        ("twin name", None, "C9900004", False),
        ("aspirin tablet", "Medication", "C0004057", False),  # found by its words alone
        ("aspirin", "Condition", "C0004057", False),  # of another type than the text speaks of
    ],
)
async def test_what_is_in_doubt_stays_below_the_threshold(
    term: str, type: EntityType | None, best: str, sure: bool
) -> None:
    async with uts(FakeUts()) as terms:
        found = await terms.search(term, type=type)
    assert found[0].cui == best
    assert (found[0].confidence >= THRESHOLD) is sure
    assert [one.confidence for one in found] == sorted((one.confidence for one in found), reverse=True)


async def test_a_name_of_several_concepts_is_in_doubt_also_when_one_is_asked_for() -> None:
    async with uts(FakeUts()) as terms:
        found = await terms.search("cold", max_results=1)
    assert len(found) == 1
    assert found[0].confidence < THRESHOLD


async def test_codes_come_from_preferred_terms_in_use() -> None:
    async with uts(FakeUts()) as terms:
        (found,) = await terms.search("tylenol")
        (bare,) = await terms.search("warfarin")
    assert (found.cui, found.snomed_code, found.type) == ("C0000970", "387517004", "Medication")
    assert found.ids == {"SNOMEDCT_US": ("387517004", "990000000")}
    assert (bare.cui, bare.snomed_code, bare.ids) == ("C0043031", None, {})


async def test_nothing_found_is_an_empty_list() -> None:
    async with uts(FakeUts()) as terms:
        assert list(await terms.search("zzzz")) == []
        assert list(await terms.search("  ")) == []
        with pytest.raises(BadInput):
            await terms.search("x" * 400)


async def test_an_abbreviation_is_read_as_the_text_defines_it() -> None:
    async with uts(FakeUts()) as terms:
        found = await terms.search("AA", context="allergy to acetylsalicylic acid (AA)", type="Medication")
    assert found[0].cui == "C0004057"


async def test_pages_are_turned_as_far_as_needed_and_details_are_asked_once() -> None:
    fake = FakeUts()
    async with uts(fake) as terms:
        found = await terms.search("many", max_results=50)
        assert len(found) == MOST_CANDIDATES
        asked = fake.count
        await terms.search("many", max_results=50)
    assert fake.count == asked + 1
    assert asked == 1 + 2 * MOST_CANDIDATES


async def test_links_stand_where_the_linker_found_them_and_mean_what_uts_says() -> None:
    async with uts(FakeUts()) as terms:
        found = await terms.link("No aspirin within 7 days of the MRI")
    assert [(one.text, one.start, one.candidates[0].cui) for one in found] == [
        ("aspirin", 3, "C0004057"),
        ("MRI", 32, "C0024485"),
    ]


async def test_the_release_is_named() -> None:
    async with uts(FakeUts()) as terms:
        about = await terms.about()
    assert (about.back_end, about.version) == ("uts", "uts-2025AA")
    assert about.notices


async def test_a_refused_key_is_told_and_never_shown(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG):
        async with uts(FakeUts(), key="wrong-hunter2") as terms:
            with pytest.raises(Unavailable, match="DOCGEMMA_UMLS_API_KEY") as failure:
                await terms.search("aspirin")
    shown = f"{failure.value!r} {failure.value.__cause__} {failure.value.__context__} {caplog.text}"
    assert "hunter2" not in shown


@pytest.mark.parametrize(
    "said",
    [
        Said(200, b""),
        Said(200, b"<html>"),
        Said(200, []),
        Said(200, {"result": []}),
        Said(200, {"result": {"results": None}}),
        Said(200, {"result": {"results": [{"ui": "C1/../../x", "name": "aspirin"}]}}),
        Said(404, b"<html>"),
        Said(400, {"message": "bad"}),
        Said(429, b"{}"),
        Said(503, b"{}"),
        Said(200, {"result": {"results": []}}, delay_s=2.0),
    ],
    ids=lambda said: f"{said.status}-{str(said.body)[:24]}-{said.delay_s}",
)
async def test_what_is_no_answer_is_never_nothing_found(said: Said) -> None:
    fake = FakeUts()
    fake.always = said
    async with uts(fake, deadline_s=0.6) as terms:
        with pytest.raises(Unavailable):
            await terms.search("aspirin")


@pytest.mark.parametrize("spoilt", ["/CUI/C0004057", "/atoms"])
async def test_half_an_answer_is_none(spoilt: str) -> None:
    fake = FakeUts()
    true_answer = fake.answer

    def answer(question: Question) -> Said:
        return Said(500, b"{}") if question.path.endswith(spoilt) else true_answer(question)

    fake.answer = answer  # type: ignore[method-assign]
    async with uts(fake, deadline_s=1.0) as terms:
        with pytest.raises(Unavailable):
            await terms.search("aspirin")


@pytest.mark.parametrize("fault", ["reset", "cut_json", "cut_connection", "redirect_off_host", "timeout", "slow_drip"])
async def test_a_bad_day_of_the_network_is_a_failure(fault: Fault) -> None:
    async with faulty(fault) as server, Door() as door:
        terms = UtsTerminology(
            Outside(door, default=UNHURRIED), KEY, Mentions(), base_url=f"{server.url}{BASE}", deadline_s=0.5
        )
        with pytest.raises(Unavailable) as failure:
            await terms.search("aspirin")
    assert KEY not in str(failure.value)


LEAVES = st.none() | st.booleans() | st.integers() | st.text(max_size=6) | st.sampled_from(["NONE", "C0004057", "PT"])
VALUES = st.recursive(LEAVES, lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner))


@st.composite
def changes(draw: st.DrawFn) -> Callable[[Any], Any]:
    """Another value in place of one of the reply's own, somewhere."""
    steps, value = draw(st.lists(st.integers(0, 7), max_size=6)), draw(VALUES)

    def change(found: Any, rest: Sequence[int]) -> Any:
        if not rest or not isinstance(found, dict | list) or not found:
            return value
        if isinstance(found, list):
            return [change(one, rest[1:]) if at == rest[0] % len(found) else one for at, one in enumerate(found)]
        key = sorted(found)[rest[0] % len(found)]
        return {name: change(one, rest[1:]) if name == key else one for name, one in found.items()}

    return lambda found: change(found, steps)


class Spoilt(httpx2.AsyncBaseTransport):
    def __init__(self, change: Callable[[Any], Any]) -> None:
        self._change = change

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        asked = Question(request.url.path, dict(request.url.params), request.url.query.decode())
        said = FakeUts().answer(asked)
        return httpx2.Response(said.status, content=json.dumps(self._change(said.body)).encode())


@settings(max_examples=120, deadline=None)
@given(changes())
def test_any_reply_is_read_or_refused(change: Callable[[Any], Any]) -> None:
    async def main() -> None:
        async with Door(Spoilt(change)) as door:
            terms = UtsTerminology(
                Outside(door, default=UNHURRIED), KEY, Mentions(), base_url=f"http://service.test{BASE}"
            )
            try:
                found = await terms.search("tylenol", type="Medication")
            except Unavailable:
                return
            assert all(one.cui and len(one.cui) == 8 and one.display for one in found)
            assert all(one.snomed_code is None or one.snomed_code.isdecimal() for one in found)

    asyncio.run(main())
