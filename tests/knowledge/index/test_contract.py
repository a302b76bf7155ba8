"""What an index promises, on both engines: in process, and a server that is asked over its REST interface."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import pytest

from docgemma.errors import Conflict, Unavailable
from docgemma.fetch.door import Door
from docgemma.knowledge.index.contract import Document, Index, Ranked, Scope, Version
from docgemma.knowledge.index.edge import EdgeIndex
from docgemma.knowledge.index.server import ServerIndex
from tests.knowledge.index.entries import NURSE, build, document, handed, ids, version_of
from tests.knowledge.index.peer import Peer


@pytest.fixture(params=["edge", "server"])
async def index(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Index]:
    if request.param == "edge":
        made: Index = EdgeIndex(tmp_path / "index")
        yield made
        await made.close()
        return
    async with Door.in_process(Peer(tmp_path / "peer").app) as door:
        made = ServerIndex(door, "http://localhost:6333")
        yield made
        await made.close()


async def test_before_the_first_build_nothing_is_found_and_nothing_fails(index: Index) -> None:
    assert await index.version() is None
    assert await index.search({1: 1.0}, [1.0, 0.0], NURSE, limit=10) == Ranked()


async def test_says_which_state_of_the_library_it_answers_from(index: Index) -> None:
    documents = [document("a", meaning=[1.0, 0.0]), document("b", meaning=[0.0, 1.0])]
    version = Version(7, "embedder-1", 2, 2, layout="words-3")
    await index.build(version, handed(documents))
    assert await index.version() == version


async def test_a_rare_word_counts_for_more_than_a_common_one(index: Index) -> None:
    await build(index, [document("a", [1, 2]), document("b", [1]), document("c", [1]), document("d", [3])])
    found = await index.search({1: 1.0, 2: 1.0}, None, NURSE, limit=10)
    assert ids(found.words)[0] == "a"
    assert set(ids(found.words)) == {"a", "b", "c"}
    assert found.words[0].score > 2 * found.words[1].score
    assert found.meaning == ()


async def test_words_and_meaning_are_two_opinions(index: Index) -> None:
    near, far = document("near", [5], meaning=[1.0, 0.1]), document("far", [1], meaning=[-1.0, 0.2])
    await build(index, [near, far])
    found = await index.search({1: 1.0}, [1.0, 0.0], NURSE, limit=10)
    assert ids(found.words) == ["far"]
    assert ids(found.meaning) == ["near", "far"]
    assert found.meaning[0].score == pytest.approx(0.995, abs=0.001)


async def test_without_an_embedder_a_meaning_is_simply_not_compared(index: Index) -> None:
    await build(index, [document("a")])
    assert await index.search({1: 1.0}, [1.0, 0.0], NURSE, limit=10) == await index.search(
        {1: 1.0}, None, NURSE, limit=10
    )


async def test_a_meaning_of_another_embedder_is_refused(index: Index) -> None:
    await build(index, [document("a", meaning=[1.0, 0.0])])
    with pytest.raises(Unavailable, match="another embedder"):
        await index.search({}, [1.0, 0.0, 0.0], NURSE, limit=10)


@pytest.mark.parametrize(
    ("scope", "expected"),
    [
        pytest.param(Scope(("nurse",), "en"), {"a", "b", "e"}, id="role"),
        pytest.param(Scope(("nurse", "doctor"), "en"), {"a", "b", "c", "e"}, id="roles"),
        pytest.param(Scope(("nurse",), "vi"), {"d"}, id="language"),
        pytest.param(Scope(("nurse",), "en", "Wounds"), {"a", "b"}, id="topic"),
        pytest.param(Scope(("nurse",), "en", "Wounds", "Burns"), {"b"}, id="subtopic"),
        pytest.param(Scope(("nurse",), "en", "wounds"), set(), id="topics are names, not words"),
        pytest.param(Scope((), "en"), set(), id="no role sees nothing"),
        pytest.param(Scope(("patient_dental",), "en"), set(), id="a role without entries"),
    ],
)
async def test_nothing_outside_its_scope_is_found(index: Index, scope: Scope, expected: set[str]) -> None:
    documents = [
        document("a", meaning=[1.0, 0.0]),
        document("b", meaning=[1.0, 0.0], subtopic="Burns"),
        document("c", meaning=[1.0, 0.0], role="doctor"),
        document("d", meaning=[1.0, 0.0], language="vi"),
        document("e", meaning=[1.0, 0.0], topic="Băng bó"),
    ]
    await build(index, documents)
    found = await index.search({1: 1.0}, [1.0, 0.0], scope, limit=10)
    assert set(ids(found.words)) == set(ids(found.meaning)) == expected


@pytest.mark.parametrize(("limit", "expected"), [(0, 0), (1, 1), (7, 7), (200, 200), (100_000, 200)], ids=str)
async def test_gives_up_to_as_many_as_asked_and_never_more_than_200(index: Index, limit: int, expected: int) -> None:
    documents = [document(f"e{number}", meaning=[1.0, number / 250]) for number in range(250)]
    await build(index, documents)
    found = await index.search({1: 1.0}, [1.0, 0.0], NURSE, limit=limit)
    assert (len(found.words), len(found.meaning)) == (expected, expected)


async def test_a_new_build_takes_the_place_of_the_old_one_whole(index: Index) -> None:
    await build(index, [document("old", meaning=[1.0, 0.0])], 1)
    await index.search({1: 1.0}, [1.0, 0.0], NURSE, limit=10)
    await build(index, [document("new"), document("newer")], 2)
    found = await index.search({1: 1.0}, [1.0, 0.0], NURSE, limit=10)
    assert set(ids(found.words)) == {"new", "newer"}
    assert found.meaning == ()
    await build(index, [document("last", meaning=[1.0, 0.0, 0.0])], 3)
    assert ids((await index.search({1: 1.0}, [1.0, 0.0, 0.0], NURSE, limit=10)).meaning) == ["last"]


async def test_an_empty_base_is_a_version_too(index: Index) -> None:
    await build(index, [], 4)
    assert await index.version() == Version(4, "", 0, 0)
    assert await index.search({1: 1.0}, None, NURSE, limit=10) == Ranked()


async def test_an_entry_without_words_is_found_by_meaning_alone(index: Index) -> None:
    await build(index, [document("mute", (), meaning=[1.0, 0.0]), document("b", [1], meaning=[0.0, 1.0])])
    found = await index.search({1: 1.0}, [1.0, 0.0], NURSE, limit=1)
    assert (ids(found.words), ids(found.meaning)) == (["b"], ["mute"])


async def test_a_question_without_words_and_meaning_finds_nothing(index: Index) -> None:
    await build(index, [document("a")])
    assert await index.search({}, None, NURSE, limit=10) == Ranked()


@pytest.mark.parametrize("came", [1, 3], ids=["one is missing", "one too many"])
async def test_a_library_that_changes_while_it_is_read_is_not_switched_to(index: Index, came: int) -> None:
    await build(index, [document("old")], 1)
    documents = [document(f"e{number}") for number in range(came)]
    with pytest.raises(Conflict, match=f"2 entries were announced, {came} came"):
        await index.build(Version(2, "", 0, 2), handed(documents))
    assert await index.version() == Version(1, "", 0, 1)
    assert ids((await index.search({1: 1.0}, None, NURSE, limit=10)).words) == ["old"]


async def test_a_build_that_breaks_off_leaves_the_old_version_answering(index: Index) -> None:
    async def breaking() -> AsyncIterator[Sequence[Document]]:
        yield [document("new")]
        raise Unavailable("The library went away.")

    await build(index, [document("old")], 1)
    with pytest.raises(Unavailable, match="The library went away"):
        await index.build(version_of([document("new")], 2), breaking())
    assert ids((await index.search({1: 1.0}, None, NURSE, limit=10)).words) == ["old"]
    await build(index, [document("new")], 2)
    assert ids((await index.search({1: 1.0}, None, NURSE, limit=10)).words) == ["new"]
