"""What lies in an index, and that a scope holds whatever is in it."""

from __future__ import annotations

import asyncio
import tempfile
from itertools import product
from pathlib import Path
from uuid import UUID

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from docgemma.errors import Unavailable
from docgemma.knowledge.index.contract import Document, Ranked, Scope
from docgemma.knowledge.index.edge import EdgeIndex
from docgemma.knowledge.index.layout import conditions, hit, payload_of, point_id, sparse
from tests.knowledge.index.entries import build, document

ROLES = ("nurse", "doctor", "patient_dental")
TOPICS = ("", "Wounds", "Đái tháo đường", 'a "quoted" one', "wounds")

roles, languages = st.sampled_from(ROLES), st.sampled_from(("en", "vi"))
topics = st.sampled_from(TOPICS)
scopes = st.builds(Scope, st.lists(roles, min_size=1, unique=True).map(tuple), languages, topics, topics)
documents = st.builds(
    Document,
    id=st.from_regex(r"[A-Za-z0-9][A-Za-z0-9._:-]{0,12}", fullmatch=True),
    role=roles,
    language=languages,
    topic=topics.filter(bool),
    subtopic=topics,
    words=st.dictionaries(st.integers(0, 5), st.sampled_from((0.5, 1.0, 2.0)), max_size=4),
    meaning=st.tuples(st.floats(-1, 1, width=32), st.floats(0.5, 1, width=32)),
)


def inside(found: Document, scope: Scope) -> bool:
    return (
        found.role in scope.roles
        and found.language == scope.language
        and scope.topic in ("", found.topic)
        and scope.subtopic in ("", found.subtopic)
    )


@settings(max_examples=6, deadline=None)
@given(base=st.lists(documents, min_size=1, max_size=40, unique_by=lambda each: each.id))
def test_a_search_finds_all_that_is_in_its_scope_and_nothing_else(base: list[Document]) -> None:
    asked = [
        Scope(some, language, topic, subtopic)  # type: ignore[arg-type]
        for some, language, topic, subtopic in product((ROLES[:1], ROLES[1:]), ("en", "vi"), TOPICS[:3], TOPICS[:3])
    ]
    for scope, found in zip(asked, asyncio.run(searched(base, asked)), strict=True):
        assert {each.id for each in found.meaning} == {each.id for each in base if inside(each, scope)}
        expected = {each.id for each in base if inside(each, scope) and each.words.get(1)}
        assert {each.id for each in found.words} == expected


async def searched(base: list[Document], scopes: list[Scope]) -> list[Ranked]:
    with tempfile.TemporaryDirectory() as folder:
        index = EdgeIndex(Path(folder))
        await build(index, base)
        found = [await index.search({1: 1.0}, [1.0, 0.0], scope, limit=200) for scope in scopes]
        await index.close()
    return found


@given(document_=documents, scope=scopes)
def test_a_hit_passes_if_and_only_if_it_is_in_scope(document_: Document, scope: Scope) -> None:
    payload = payload_of(document_)
    if inside(document_, scope):
        assert hit(point_id(document_.id), 0.5, payload, scope).id == document_.id
    else:
        with pytest.raises(Unavailable, match="damaged"):
            hit(point_id(document_.id), 0.5, payload, scope)


@pytest.mark.parametrize(
    ("point", "score", "payload"),
    [
        pytest.param("a", 1.0, None, id="no payload"),
        pytest.param("a", 1.0, {"id": "b"}, id="the id of another"),
        pytest.param("a", 1.0, {"id": 7}, id="a number for an id"),
        pytest.param("a", 1.0, {"id": "a", "role": "nursf"}, id="a changed role"),
        pytest.param("a", 1.0, {"id": "a", "language": ["en"]}, id="a list for a language"),
        pytest.param("a", float("nan"), {"id": "a"}, id="no score"),
    ],
)
def test_what_damaged_files_say_is_shown_to_nobody(point: str, score: float, payload: dict[str, object] | None) -> None:
    whole = None if payload is None else payload_of(document("a")) | payload
    with pytest.raises(Unavailable, match="docgemma kb index"):
        hit(point_id(point), score, whole, Scope(("nurse",), "en"))


def test_a_scope_always_asks_for_role_and_language() -> None:
    assert conditions(Scope(("nurse", "doctor"), "vi")) == (("role", ("nurse", "doctor")), ("language", ("vi",)))


def test_an_entry_is_the_same_point_in_every_version_and_engine() -> None:
    assert UUID(point_id("q-1")) == UUID(point_id("q-1")) != UUID(point_id("q-2"))
    assert point_id("q-1") == "8a3e90ba-8a51-9e1e-3e3d-a22b26bf3d8d"


@given(st.dictionaries(st.integers(0, 2**32 - 1), st.floats(-10, 10)))
def test_words_keep_their_weights_and_come_in_order(words: dict[int, float]) -> None:
    indices, weights = sparse(words)
    assert indices == sorted(indices)
    assert dict(zip(indices, weights, strict=True)) == {word: weight for word, weight in words.items() if weight}
