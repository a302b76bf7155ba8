"""What is current, and what was."""

from __future__ import annotations

import pytest

from docgemma.errors import BadInput, Conflict, UnknownId
from docgemma.knowledge.contract import Topic
from docgemma.knowledge.library.library import Library, open_library
from tests.knowledge.library.entries import bring, current, entry, many


async def test_all_entries_come_in_the_order_of_their_ids(library: Library) -> None:
    ids = ["a", "B", "a-1", "a.1", "A", "10", "9", "a_1", "b:2"]
    await bring(library, [entry(id_) for id_ in ids])
    assert list(await current(library)) == sorted(ids)


@pytest.mark.parametrize(
    ("narrow", "ids"),
    [
        ({}, ["a", "b", "c"]),
        ({"role": "nurse"}, ["a", "b"]),
        ({"language": "vi"}, ["b", "c"]),
        ({"role": "nurse", "language": "vi"}, ["b"]),
        ({"role": "patient_dental", "language": "en"}, []),
    ],
    ids=["all", "role", "language", "both", "none"],
)
async def test_one_role_or_language_can_be_read_alone(library: Library, narrow: dict[str, str], ids: list[str]) -> None:
    await bring(library, [entry("a"), entry("b", language="vi"), entry("c", language="vi", role="patient_dental")])
    assert list(await current(library, **narrow)) == ids


async def test_reading_all_tells_when_the_base_was_changed_under_it(library: Library) -> None:
    await bring(library, many(5))
    reading = library.each_current(batch=2)
    assert len(await anext(reading)) == 2
    await library.withdraw("e00004", by="lan", reason="wrong")
    with pytest.raises(Conflict, match="changed while it was being read"):
        await anext(reading)


async def test_reading_another_generation_than_the_one_that_is_meant_is_refused(library: Library) -> None:
    await bring(library, many(3))
    assert len(await current(library, generation=1)) == 3
    with pytest.raises(Conflict):
        await current(library, generation=2)


async def test_any_number_of_ids_can_be_asked_for_and_nonsense_is_left_out(library: Library) -> None:
    await bring(library, many(1_300), batch=500)
    asked = [each.id for each in many(2_000)]
    assert list(await library.entries([*asked[::-1], *asked])) == asked[1_299::-1]
    assert await library.entries(["", "\0", "a b", "é", "x" * 300, "'; DROP TABLE knowledge_entries"]) == {}


async def test_topics_keep_the_order_in_which_they_first_came(library: Library) -> None:
    tree = [("Wounds", "Care"), ("Fever", "Children"), ("Wounds", ""), ("Wounds", "Burns"), ("Fever", "Children")]
    made = [entry(f"z{9 - n}", topic=topic, subtopic=sub) for n, (topic, sub) in enumerate(tree)]
    await bring(library, made)
    assert await library.topics("nurse", "en") == (
        Topic("Wounds", 3, (("Care", 1), ("Burns", 1))),
        Topic("Fever", 2, (("Children", 2),)),
    )
    await bring(library, [entry("z9", topic="New", subtopic="Care"), entry("z7", topic="Wounds", subtopic="Care")])
    assert await library.topics("nurse", "en") == (
        Topic("Wounds", 2, (("Care", 1), ("Burns", 1))),
        Topic("Fever", 2, (("Children", 2),)),
        Topic("New", 1, (("Care", 1),)),
    )
    await library.withdraw("z7", by="lan", reason="wrong")
    await library.withdraw("z6", by="lan", reason="wrong")
    assert [topic.name for topic in await library.topics("nurse", "en")] == ["Fever", "New"]
    assert await library.topics("nurse", "vi") == ()
    assert await library.topics("nobody", "en") == ()


async def test_topics_of_roles_and_languages_are_kept_apart(library: Library) -> None:
    await bring(library, [entry("a"), entry("b", language="vi", topic="Sốt"), entry("c", role="patient_dental")])
    assert [topic.name for topic in await library.topics("nurse", "vi")] == ["Sốt"]
    assert [topic.entries for topic in await library.topics("nurse", "en")] == [1]


async def test_another_process_sees_topics_change(library: Library, address: str) -> None:
    await bring(library, [entry("a")])
    async with open_library(address) as other:
        assert len(await other.topics("nurse", "en")) == 1
        await bring(library, [entry("b", topic="Fever")])
        assert len(await other.topics("nurse", "en")) == 2


async def test_what_is_withdrawn_is_gone_at_once_and_on_record(library: Library) -> None:
    await bring(library, [entry("a"), entry("b")])
    await library.withdraw("a", by="dr.lee\x1b[31m\ud800", reason="outdated\0")
    assert await library.entries(["a", "b"]) == {"b": entry("b")}
    assert await library.generation() == 2
    (row,) = await library.history("a")
    assert (row.state, row.withdrawn_by, row.reason) == ("withdrawn", "dr.lee", "outdated")
    assert (row.added_by, row.origin) == ("lan", "handbook.csv")
    assert row.added_at < row.withdrawn_at
    assert row.withdrawn_at.endswith("+00:00")


@pytest.mark.parametrize(
    "id_", ["never", "gone", "staged", "", "a b\0"], ids=["never", "gone", "staged", "empty", "odd"]
)
async def test_what_is_not_current_cannot_be_withdrawn(library: Library, id_: str) -> None:
    await bring(library, [entry("gone")])
    await library.withdraw("gone", by="lan", reason="wrong")
    await library.stage(await library.begin_import(by="lan"), [entry("staged")])
    with pytest.raises(UnknownId, match="There is no entry"):
        await library.withdraw(id_, by="lan", reason="wrong")
    assert await library.generation() == 2


async def test_nothing_is_withdrawn_without_a_reason(library: Library) -> None:
    await bring(library, [entry("a")])
    with pytest.raises(BadInput, match="Say why"):
        await library.withdraw("a", by="lan", reason=" \n")
    assert list(await current(library)) == ["a"]


@pytest.mark.parametrize("id_", ["never", "", "\0"], ids=["never", "empty", "odd"])
async def test_an_entry_that_never_was_has_no_history(library: Library, id_: str) -> None:
    with pytest.raises(UnknownId):
        await library.history(id_)
