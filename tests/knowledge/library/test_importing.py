"""Bringing entries in: seen by nobody before the end, by everybody after it, and never mixed."""

from __future__ import annotations

from typing import Any

import pytest

from docgemma.errors import BadInput, Conflict, UnknownId
from docgemma.knowledge.library.claims import CLAIM
from docgemma.knowledge.library.library import Imported, Library
from tests.knowledge.library.conftest import Sql
from tests.knowledge.library.entries import bring, current, entry, many
from tests.store.conftest import Clock

FAR = "elsewhere/boot/ns|7|1|abc"
"""A process of another machine: nothing but time tells whether it lives."""


async def test_an_import_is_seen_when_it_is_finished_and_not_before(library: Library) -> None:
    import_id = await library.begin_import(by="lan")
    assert await library.stage(import_id, [entry("a"), entry("b")]) == {"new": 2}
    assert await library.entries(["a", "b"]) == {}
    assert await current(library) == {}
    assert (await library.topics("nurse", "en"), await library.counts()) == ((), {})
    with pytest.raises(UnknownId):
        await library.history("a")
    assert await library.generation() == 0
    assert await library.finish_import(import_id) == Imported(generation=1, new=2)
    assert await library.entries(["b", "x", "a"]) == {"b": entry("b"), "a": entry("a")}
    assert await library.generation() == 1


async def test_the_same_import_again_changes_nothing(library: Library) -> None:
    await bring(library, many(7))
    assert await bring(library, many(7)) == Imported(generation=1, unchanged=7)
    assert [row.version for row in await library.history("e00003")] == [1]


async def test_a_changed_text_is_a_new_version_of_the_same_entry(library: Library) -> None:
    await bring(library, [entry("a", "Old."), entry("b")])
    done = await bring(library, [entry("a", "New."), entry("b"), entry("c")])
    assert done == Imported(generation=2, new=1, changed=1, unchanged=1)
    assert (await library.entries(["a"]))["a"].answer == "New."
    rows = await library.history("a")
    assert [(row.version, row.state, row.entry and row.entry.answer) for row in rows] == [
        (1, "replaced", "Old."),
        (2, "current", "New."),
    ]


@pytest.mark.parametrize(
    "change",
    [
        {"topic": "Other"},
        {"subtopic": ""},
        {"language": "vi"},
        {"source": "Other"},
        {"url": "https://example.org/a"},
        {"reviewed": "2025-02-03"},
        {"demonstration": True},
        {"question": "Other?"},
    ],
    ids=lambda change: next(iter(change)),
)
async def test_whatever_differs_makes_a_new_version(library: Library, change: dict[str, Any]) -> None:
    await bring(library, [entry("a")])
    assert (await bring(library, [entry("a", **change)])).changed == 1
    assert await library.entries(["a"]) == {"a": entry("a", **change)}


async def test_what_was_withdrawn_can_be_brought_back_and_the_reason_stays_on_record(library: Library) -> None:
    await bring(library, [entry("a")])
    await library.withdraw("a", by="dr.lee", reason="outdated")
    assert await bring(library, [entry("a")]) == Imported(generation=3, brought_back=1)
    first, second = await library.history("a")
    assert (first.state, first.withdrawn_by, first.reason) == ("withdrawn", "dr.lee", "outdated")
    assert (second.state, second.version, second.withdrawn_at) == ("current", 2, "")


async def test_a_full_import_withdraws_what_it_does_not_have_but_only_for_its_own_roles_and_languages(
    library: Library,
) -> None:
    others = [entry("vi", language="vi"), entry("gp", role="general_practitioner")]
    await bring(library, [entry("a"), entry("b"), entry("c"), *others])
    done = await bring(library, [entry("a"), entry("d")], withdraw_missing=True)
    assert done == Imported(generation=2, new=1, unchanged=1, withdrawn=2)
    assert list(await current(library)) == ["a", "d", "gp", "vi"]
    (row,) = await library.history("b")
    assert (row.state, row.withdrawn_by) == ("withdrawn", "lan")
    assert await bring(library, [], withdraw_missing=True) == Imported(generation=2)


async def test_an_entry_moves_to_another_role_only_once_the_first_has_let_it_go(library: Library) -> None:
    await bring(library, [entry("a"), entry("b")])
    import_id = await library.begin_import(by="lan")
    with pytest.raises(BadInput, match="another id, or withdraw"):
        await library.stage(import_id, [entry("a", role="patient_dental")])
    await library.abandon_import(import_id)
    assert await library.counts() == {("nurse", "en"): 2}
    await library.withdraw("a", by="dr.lee", reason="for patients")
    await bring(library, [entry("a", role="patient_dental")])
    assert await library.counts() == {("nurse", "en"): 1, ("patient_dental", "en"): 1}
    assert list(await current(library, role="nurse")) == ["b"]


async def test_own_knowledge_takes_the_place_of_demonstration_texts(library: Library) -> None:
    await bring(library, [entry("d1", demonstration=True), entry("d2", demonstration=True, role="patient_dental")])
    done = await bring(library, [entry("own"), entry("d1", "Own text.")], replace_demonstration=True)
    assert done == Imported(generation=2, new=1, changed=1, demonstration=1)
    assert await current(library) == {"own": "Drink water.", "d1": "Own text."}


async def test_only_what_changes_something_raises_the_generation(library: Library) -> None:
    assert await bring(library, []) == Imported(generation=0)
    await bring(library, [entry("a")])
    assert (await bring(library, [entry("a")], withdraw_missing=True, replace_demonstration=True)).generation == 1
    await library.set_role((await library.roles())[0])
    assert await library.generation() == 1


async def test_finishing_again_tells_the_same(library: Library) -> None:
    import_id = await library.begin_import(by="lan")
    await library.stage(import_id, [entry("a")])
    first = await library.finish_import(import_id)
    await bring(library, [entry("b")])
    assert await library.finish_import(import_id, withdraw_missing=True) == first
    assert list(await current(library)) == ["a", "b"]


async def test_a_batch_may_be_sent_again_but_two_texts_under_one_id_are_refused(library: Library) -> None:
    await bring(library, [entry("same"), entry("twice", "One.")])
    import_id = await library.begin_import(by="lan")
    batch = [entry("new"), entry("same"), entry("twice", "Two."), entry("new")]
    assert await library.stage(import_id, batch) == {"new": 1, "unchanged": 1, "changed": 1}
    assert await library.stage(import_id, batch) == {}
    for other in (entry("new", "Other."), entry("same", "Other."), entry("twice", "One.")):
        with pytest.raises(BadInput, match=f"two entries with the id {other.id} "):
            await library.stage(import_id, [other])
    with pytest.raises(BadInput, match="two entries with the id x "):
        await library.stage(import_id, [entry("x"), entry("x", "Other.")])
    assert await library.finish_import(import_id) == Imported(generation=2, new=1, unchanged=1, changed=1)


@pytest.mark.parametrize("field", ["question", "answer", "topic", "subtopic", "source"])
async def test_a_text_that_not_every_database_takes_is_refused_with_its_id(library: Library, field: str) -> None:
    import_id = await library.begin_import(by="lan")
    with pytest.raises(BadInput, match="The entry e9 contains a NUL character"):
        await library.stage(import_id, [entry("e1"), entry("e9", **{"answer": "x", field: "a\0b"})])
    assert await library.finish_import(import_id) == Imported(generation=0)


async def test_vietnamese_and_every_other_letter_comes_back_as_it_was(library: Library) -> None:
    odd = entry(
        "a", "Uống nước.\r\n\t“ž” \x01\x7f 😀 \ufeff % ? %s '\"\\", language="vi", topic="Bệnh lý ĐTĐ", subtopic="?%"
    )
    await bring(library, [odd])
    assert await library.entries(["a"]) == {"a": odd}
    assert [(topic.name, topic.subtopics) for topic in await library.topics("nurse", "vi")] == [
        ("Bệnh lý ĐTĐ", (("?%", 1),))
    ]


async def test_a_second_import_is_refused_while_the_first_one_lives(library: Library, sql: Sql, clock: Clock) -> None:
    first = await library.begin_import(by="lan")
    await sql("UPDATE knowledge_state SET holder = ?", FAR)
    clock.advance(CLAIM.total_seconds() - 1)
    with pytest.raises(Conflict, match=r"Another import .* is running"):
        await library.begin_import(by="minh")
    await library.stage(first, [entry("a")])
    clock.advance(CLAIM.total_seconds() - 1)
    with pytest.raises(Conflict):
        await library.begin_import(by="minh")
    clock.advance(2)
    second = await library.begin_import(by="minh")
    for late in (library.stage(first, [entry("b")]), library.finish_import(first)):
        with pytest.raises(Conflict, match="another one has taken its place"):
            await late
    assert await library.finish_import(second) == Imported(generation=0)


async def test_an_import_that_is_late_goes_on_when_nobody_took_its_place(library: Library, clock: Clock) -> None:
    import_id = await library.begin_import(by="lan")
    clock.advance(10 * CLAIM.total_seconds())
    await library.stage(import_id, [entry("a")])
    assert (await library.finish_import(import_id)).new == 1


async def test_a_claim_of_a_clock_that_was_wrong_does_not_block_for_years(library: Library, sql: Sql) -> None:
    await library.begin_import(by="lan")
    await sql("UPDATE knowledge_state SET holder = ?, held_until = '2090-01-01T00:00:00.000000+00:00'", FAR)
    await library.begin_import(by="minh")


async def test_an_abandoned_import_lets_the_next_one_begin_and_is_over(library: Library) -> None:
    first = await library.begin_import(by="lan")
    await library.stage(first, [entry("a"), entry("b")])
    await library.abandon_import(first)
    with pytest.raises(Conflict):
        await library.finish_import(first)
    second = await library.begin_import(by="lan")
    await library.abandon_import(first)
    await library.stage(second, [entry("a")])
    assert await library.finish_import(second) == Imported(generation=1, new=1)


async def test_what_a_dead_import_staged_never_becomes_current_by_another_one(library: Library, sql: Sql) -> None:
    await bring(library, [entry("keeps", "Right."), entry("gone")])
    await library.withdraw("gone", by="dr.lee", reason="wrong")
    dead = await library.begin_import(by="lan")
    await library.stage(dead, [entry("x"), entry("keeps", "Wrong."), entry("y", "Dead."), entry("gone", "Dead.")])
    await library.abandon_import(dead)
    done = await bring(library, [entry("keeps", "Right."), entry("y", "Alive.")])
    assert done == Imported(generation=3, new=1, unchanged=1)
    assert await current(library) == {"keeps": "Right.", "y": "Alive."}
    assert await sql("DELETE FROM knowledge_entries WHERE state = 'staged'") == 0


async def test_the_same_import_again_takes_over_what_is_staged_already(library: Library, sql: Sql) -> None:
    """What was staged is not written again: its time of staging stays until the import is finished."""
    dead = await library.begin_import(by="lan", origin="old")
    await library.stage(dead, many(4))
    await library.abandon_import(dead)
    again = await library.begin_import(by="minh", origin="new")
    await library.stage(again, many(6))
    assert await sql("UPDATE knowledge_entries SET state = state WHERE import_id = ?", dead) == 4
    assert await library.finish_import(again) == Imported(generation=1, new=6)
    assert {(await library.history(each.id))[0].added_by for each in many(6)} == {"minh"}


async def test_what_a_person_withdraws_during_an_import_stays_out_of_it(library: Library) -> None:
    await bring(library, [entry(name, "Old.") for name in "abc"])
    import_id = await library.begin_import(by="lan")
    await library.stage(import_id, [entry("a", "New."), entry("b", "Old.")])
    for name in "abc":
        await library.withdraw(name, by="dr.lee", reason="harmful")
    assert await library.stage(import_id, [entry("c", "New."), entry("d")]) == {"new": 1}
    done = await library.finish_import(import_id, withdraw_missing=True)
    assert done == Imported(generation=5, new=1, kept_out=3)
    assert list(await current(library)) == ["d"]


async def test_a_large_import_is_finished_as_a_whole(library: Library) -> None:
    """More rows than one statement touches."""
    assert (await bring(library, many(11_000), batch=2_000)).new == 11_000
    assert await library.counts() == {("nurse", "en"): 11_000}
    done = await bring(library, many(10_500, "Other."), batch=2_000, withdraw_missing=True)
    assert done == Imported(generation=2, changed=10_500, withdrawn=500)
    found = await library.entries([each.id for each in many(11_000)])
    assert len(found) == 10_500
    assert {each.answer for each in found.values()} == {"Other."}
