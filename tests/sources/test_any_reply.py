"""Whatever a public service replies, a client gives labels, names, "has none" or a SourceError, and nothing else.

Good replies with one spot changed: wrong types in every place, and often enough to get past the first check.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any

import httpx2
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from docgemma.fetch.door import Door
from docgemma.fetch.outside import Outside
from docgemma.sources.contract import Labels, SourceError
from docgemma.sources.dailymed.client import DailyMed
from docgemma.sources.openfda.client import OpenFda
from docgemma.sources.rxnorm.client import RxNorm
from docgemma.sources.web import Web
from tests.sources.asking import UNHURRIED, soon
from tests.support.fake_dailymed import FakeDailyMed
from tests.support.fake_openfda import FakeOpenFda
from tests.support.fake_rxnav import BASE, FakeRxNav
from tests.support.fake_service import FakeService, Question, Said
from tests.support.labels import record, spl

HOST = "http://service.test"
WARFARIN = record("warfarin", brand="Coumadin", warnings=["Own words."], spl_product_data_elements=["warfarin"])
LEAVES = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=6) | st.sampled_from(["0", "IN"])
VALUES = st.recursive(LEAVES, lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner))
Change = Callable[[Any], Any]
Ask = Callable[[Web], Awaitable[object]]


@st.composite
def _changes(draw: st.DrawFn) -> Change:
    """Another value in place of one of the reply's own, somewhere."""
    steps, value = draw(st.lists(st.integers(0, 7), max_size=8)), draw(VALUES)

    def change(found: Any, rest: tuple[int, ...]) -> Any:
        if not rest or not isinstance(found, dict | list) or not found:
            return value
        if isinstance(found, list):
            place = rest[0] % len(found)
            return [change(item, rest[1:]) if at == place else item for at, item in enumerate(found)]
        key = sorted(found)[rest[0] % len(found)]
        return {name: change(item, rest[1:]) if name == key else item for name, item in found.items()}

    return lambda found: change(found, tuple(steps))


class _Spoilt(httpx2.AsyncBaseTransport):
    """The service without sockets; every object it says is changed in one spot."""

    def __init__(self, service: FakeService, change: Change) -> None:
        self._service = service
        self._change = change

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        path = request.url.path
        said: Said = self._service.answer(Question(path, dict(request.url.params), request.url.query.decode()))
        if isinstance(said.body, bytes):
            return httpx2.Response(said.status, content=said.body)
        return httpx2.Response(said.status, content=json.dumps(self._change(said.body)).encode())


def _asked(service: FakeService, change: Change, ask: Ask) -> object:
    async def main() -> object:
        async with Door(_Spoilt(service, change)) as door:
            try:
                return await ask(Web(Outside(door, default=UNHURRIED)))
            except SourceError:
                return "not read"

    return asyncio.run(main())


@settings(max_examples=150, deadline=None)
@given(_changes())
def test_openfda_gives_labels_or_a_failure(change: Change) -> None:
    found = _asked(FakeOpenFda([WARFARIN]), change, lambda web: OpenFda(web, HOST).labels("warfarin", ends_at=soon()))
    assert found is None or found == "not read" or isinstance(found, Labels)


@settings(max_examples=150, deadline=None)
@given(_changes())
def test_dailymed_never_has_none_where_it_lists_one(change: Change) -> None:
    service = FakeDailyMed({"warfarin": spl("warfarin")})
    found = _asked(service, change, lambda web: DailyMed(web, HOST).labels("warfarin", ends_at=soon()))
    assert found == "not read" or isinstance(found, Labels)


@pytest.mark.parametrize("call", ["ingredients", "suggestions", "classes"])
@settings(max_examples=80, deadline=None)
@given(_changes())
def test_rxnav_gives_names_or_nothing(call: str, change: Change) -> None:
    def ask(web: Web) -> Awaitable[object]:
        names = RxNorm(web, f"{HOST}{BASE}")
        calls = {"ingredients": names.ingredients, "suggestions": names.suggestions, "classes": names.classes}
        return calls[call]("coumadin", ends_at=soon())

    found = _asked(FakeRxNav(), change, ask)
    assert found == "not read" or (isinstance(found, tuple) and all(isinstance(name, str) and name for name in found))


@pytest.mark.parametrize("results", [[{}], [{"openfda": 3}], [{"warnings": ["Own words."]}], [{}, {"openfda": {}}]])
def test_records_without_any_name_are_not_the_labels_of_other_drugs(results: list[Any]) -> None:
    found = _asked(
        FakeOpenFda([WARFARIN]),
        lambda _: {"meta": {}, "results": results},
        lambda web: OpenFda(web, HOST).labels("warfarin", ends_at=soon()),
    )
    assert found == "not read"


def test_a_service_that_sends_far_too_many_labels_does_not_keep_anybody_waiting() -> None:
    found = _asked(
        FakeOpenFda([WARFARIN]),
        lambda _: {"meta": {"results": {"total": 100_000}}, "results": [WARFARIN] * 5_000},
        lambda web: OpenFda(web, HOST).labels("warfarin", ends_at=soon()),
    )
    assert isinstance(found, Labels)
    assert (len(found.labels), found.total) == (50, 100_000)
