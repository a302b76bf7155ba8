"""The index on a Qdrant server: what is sent, what may go wrong on the way, and several programs on one server."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

from docgemma.errors import BadInput, Conflict, Unavailable
from docgemma.fetch.door import Door
from docgemma.knowledge.index.contract import Document, Scope, Version
from docgemma.knowledge.index.server import ServerIndex, check_url
from tests.knowledge.index.entries import NURSE, build, document, ids, version_of
from tests.knowledge.index.peer import Peer
from tests.support.faulty_http import FAULTS, Answer, Fault, Step, failed, faulty, ok
from tests.support.http import serving

HERE = "http://localhost:6333"


@pytest.fixture
def peer(tmp_path: Path) -> Peer:
    return Peer(tmp_path / "peer")


@pytest.fixture
async def door(peer: Peer) -> AsyncIterator[Door]:
    async with Door.in_process(peer.app) as opened:
        yield opened


async def found(index: ServerIndex) -> list[str]:
    return ids((await index.search({1: 1.0}, None, NURSE, limit=10)).words)


def models() -> Any:
    pytest.importorskip("qdrant_client")
    from qdrant_client.http import models

    return models


def described(method: str, path: str) -> type[BaseModel] | None:
    """What Qdrant's own client says that the body of this request is. None: there is no body."""
    all_ = models()
    ends = {
        ("PUT", "/index"): all_.CreateFieldIndex,
        ("PUT", "/points"): all_.PointsList,
        ("POST", "/points"): all_.PointRequest,
        ("POST", "/points/count"): all_.CountRequest,
        ("POST", "/points/query/batch"): all_.QueryRequestBatch,
        ("POST", "/collections/aliases"): all_.ChangeAliasesOperation,
    }
    for (verb, end), model in ends.items():
        if verb == method and path.endswith(end):
            return model  # type: ignore[no-any-return]
    return all_.CreateCollection if method == "PUT" else None


@pytest.mark.parametrize("meaning", [None, [0.25, 1.0]], ids=["words", "words and meaning"])
async def test_every_request_is_as_qdrant_describes_it(peer: Peer, door: Door, meaning: Sequence[float] | None) -> None:
    index = ServerIndex(door, HERE)
    for generation in (1, 2):
        await build(index, [document("a", [1, 2], meaning=meaning), document("b", meaning=meaning)], generation)
    assert await index.version() is not None
    await index.search({1: 1.0}, meaning, Scope(("nurse", "doctor"), "en", "Wounds", "Burns"), limit=5)
    seen = set()
    for method, path, body in peer.seen:
        model = described(method, path)
        assert (model is None) == (body is None), path
        if model is not None:
            read = model.model_validate(body)
            assert read.model_dump(exclude_unset=True, mode="json") == body
            seen.add(model.__name__)
    assert len(seen) == 7


async def test_the_switch_is_one_request(peer: Peer, door: Door) -> None:
    index = ServerIndex(door, HERE)
    await build(index, [document("a")], 1)
    first = peer.aliases["docgemma_knowledge"]
    await build(index, [document("b")], 2)
    second = peer.aliases["docgemma_knowledge"]
    switches = [body["actions"] for method, path, body in peer.seen if path == "/collections/aliases"]
    made = {"create_alias": {"collection_name": second, "alias_name": "docgemma_knowledge"}}
    assert switches[1] == [{"delete_alias": {"alias_name": "docgemma_knowledge"}}, made]
    assert list(peer.shards) == [second] != [first]


def strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        yield from (text for each in value.values() for text in strings(each))
    elif isinstance(value, list):
        yield from (text for each in value for text in strings(each))


async def test_a_search_is_one_request_of_numbers(peer: Peer, door: Door) -> None:
    index = ServerIndex(door, HERE)
    await build(index, [document("a", meaning=[1.0, 0.0])])
    await index.search({1: 1.0}, [1.0, 0.0], NURSE, limit=5)
    peer.seen.clear()
    await index.search({1: 1.0, 77: 0.5}, [1.0, 0.0], Scope(("nurse",), "en", "Wounds"), limit=5)
    assert [path for _, path, _ in peer.seen] == ["/collections/docgemma_knowledge/points/query/batch"]
    names = {"words", "meaning", "role", "language", "topic"}
    assert set(strings(peer.seen[0][2])) - names == {"nurse", "en", "Wounds"}


async def test_other_programs_collections_are_left_alone(peer: Peer, door: Door) -> None:
    async with Door.in_process(peer.app) as other:
        body = {"vectors": {"v": {"size": 2, "distance": "Dot"}}, "sparse_vectors": {}}
        for name in ("docgemma_knowledge_of_mine", "papers"):
            await other.json("PUT", f"{HERE}/collections/{name}", json=body, deadline_s=5)
    index = ServerIndex(door, HERE)
    await build(index, [document("a")], 1)
    await build(index, [document("b")], 2)
    assert {"docgemma_knowledge_of_mine", "papers"} < set(peer.shards)
    assert len(peer.shards) == 3


async def test_one_program_notices_that_another_has_built(door: Door) -> None:
    one, two = ServerIndex(door, HERE), ServerIndex(door, HERE)
    await build(one, [document("old", meaning=[1.0, 0.0])], 1)
    assert await found(two) == ["old"]
    await build(one, [document("new")], 2)
    assert ids((await two.search({1: 1.0}, [1.0, 0.0], NURSE, limit=5)).words) == ["new"]
    await build(one, [document("newer", meaning=[1.0, 0.0])], 3)
    assert ids((await two.search({1: 1.0}, [1.0, 0.0], NURSE, limit=5)).meaning) == ["newer"]


async def test_of_two_builds_at_once_the_first_to_end_wins_and_the_other_is_told(peer: Peer, door: Door) -> None:
    slow, quick = ServerIndex(door, HERE), ServerIndex(door, HERE)

    async def interrupted() -> AsyncIterator[Sequence[Document]]:
        await build(quick, [document("quick")], 2)
        yield [document("slow")]

    with pytest.raises(Conflict, match="Another process has built"):
        await slow.build(version_of([document("slow")], 1), interrupted())
    assert await found(slow) == ["quick"]
    assert len(peer.shards) == 1


async def test_a_build_that_ends_without_having_been_removed_still_does_not_take_over(peer: Peer, door: Door) -> None:
    slow, quick = ServerIndex(door, HERE), ServerIndex(door, HERE)
    await build(quick, [document("first")], 1)

    async def interrupted() -> AsyncIterator[Sequence[Document]]:
        kept = dict(peer.shards)
        del peer.shards[next(name for name in kept if name != peer.aliases["docgemma_knowledge"])]
        await build(quick, [document("quick")], 3)
        peer.shards |= {name: shard for name, shard in kept.items() if "_2_" in name}
        yield [document("slow")]

    with pytest.raises(Conflict, match="Another process has built"):
        await slow.build(version_of([document("slow")], 2), interrupted())
    assert await slow.version() == Version(3, "", 0, 1)


async def test_an_answer_with_a_foreign_entry_is_refused(peer: Peer, door: Door) -> None:
    import qdrant_edge as engine

    index = ServerIndex(door, HERE)
    await build(index, [document("a")])
    shard = peer.shards[peer.aliases["docgemma_knowledge"]]
    everyone = engine.Filter(must=[engine.FieldCondition("role", match=engine.MatchValue("nurse"))])
    shard.update(engine.UpdateOperation.set_payload_by_filter(everyone, {"id": "b"}))
    with pytest.raises(Unavailable, match="damaged"):
        await found(index)


async def test_over_a_real_connection_with_a_key(tmp_path: Path) -> None:
    peer = Peer(tmp_path, api_key="the right one")
    async with serving(peer.app) as url, Door() as door:
        index = ServerIndex(door, url + "/", "the right one")
        documents = [document(f"e{number}", meaning=[1.0, number]) for number in range(450)]
        await index.build(version_of(documents), _one_batch(documents))
        assert len((await index.search({1: 1.0}, [1.0, 0.0], NURSE, limit=200)).meaning) == 200
        sizes = [len(body["points"]) for method, path, body in peer.seen if method == "PUT" and path.endswith("points")]
        assert sizes == [200, 200, 50, 1]
        with pytest.raises(Unavailable, match="Check its API key"):
            await ServerIndex(door, url, "a wrong one").version()


async def _one_batch(documents: Sequence[Document]) -> AsyncIterator[Sequence[Document]]:
    yield documents


async def failing(step: Step) -> list[str]:
    """What a person is told by each of the three things that an index does."""
    told = []
    async with faulty(step) as server, Door() as door:
        index = ServerIndex(door, server.url, deadline_s=0.5)
        for work in (index.version, lambda: found(index), lambda: build(index, [document("a")])):
            with pytest.raises(Unavailable) as caught:
                await work()  # type: ignore[operator]
            told.append(str(caught.value))
    return told


@pytest.mark.parametrize("fault", FAULTS)
async def test_bad_days_of_a_server_are_told_in_one_sentence(fault: Fault) -> None:
    for sentence in await failing(fault):
        assert sentence.startswith("The Qdrant server of the knowledge base ")
        assert len(sentence) < 160


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        pytest.param(failed(401), "Check its API key", id="no key"),
        pytest.param(failed(403), "Check its API key", id="forbidden"),
        pytest.param(failed(503), "a fault of its own (status 503)", id="overloaded"),
        pytest.param(failed(400), "must be Qdrant 1.10 or later", id="old server"),
        pytest.param(ok(b"[]"), "not Qdrant's", id="a list"),
        pytest.param(ok(b'{"result": 7}'), "not Qdrant's", id="a number"),
        pytest.param(Answer(200, b'{"result": [{"id": "x"'), "not Qdrant's", id="half an answer"),
    ],
)
async def test_what_a_server_says_no_to_is_told_with_what_to_do(answer: Answer, expected: str) -> None:
    for sentence in await failing(answer):
        assert expected in sentence
        assert "Own words" not in sentence


async def test_a_collection_without_its_marker_is_not_answered_from() -> None:
    async with faulty(ok(b'{"result": []}')) as server, Door() as door:
        with pytest.raises(Unavailable, match="damaged"):
            await ServerIndex(door, server.url).version()


@pytest.mark.parametrize(
    ("url", "allow_http", "expected"),
    [
        ("http://127.0.0.1:6333/", False, "http://127.0.0.1:6333"),
        ("http://[::1]:6333", False, "http://[::1]:6333"),
        ("https://qdrant.example.org/base/", False, "https://qdrant.example.org/base"),
        ("http://qdrant.example.org:6333", True, "http://qdrant.example.org:6333"),
    ],
    ids=["this machine", "this machine 6", "https with a path", "allowed"],
)
def test_addresses_that_may_be_used(url: str, allow_http: bool, expected: str) -> None:
    assert check_url(url, allow_http) == expected


@pytest.mark.parametrize(
    "url",
    [
        "http://qdrant.example.org:6333",
        "qdrant:6333",
        "ftp://localhost",
        "http://",
        "http://[::1",
        "http://localhost?a=1",
    ],
    ids=["not encrypted", "no scheme", "another scheme", "no host", "broken", "with a question"],
)
def test_addresses_that_may_not(url: str) -> None:
    with pytest.raises(BadInput):
        check_url(url)
