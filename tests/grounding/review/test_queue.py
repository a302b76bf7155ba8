"""The queue: the least sure first, what somebody else decided meanwhile, and many decided at once."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from docgemma.errors import BadInput, Conflict
from docgemma.grounding.contract import UNSURE, Criterion, Grounded
from docgemma.grounding.review.concepts import check_codes
from docgemma.grounding.review.decision import item_key
from docgemma.grounding.review.desk import UNDECIDED, Desk
from docgemma.grounding.review.queue import Wanted, names_of
from docgemma.grounding.runs.store import GroundingStore
from tests.grounding.runs.jobs import candidate, criterion, entity, run_to
from tests.store.conftest import Clock

KNOWN = {
    "asthma": {"grounding_confidence": 0.6, "reason": UNSURE},
    "copd": {"grounding_confidence": 0.65, "reason": UNSURE},
    "flu": {"grounding_confidence": 0.4, "reason": UNSURE},
    "gout": {"grounding_confidence": 0.69, "reason": "The chosen concept is of another type than the entity."},
    "rash": {"grounding_confidence": 0.66, "reason": UNSURE, "candidates": ()},
    "cough": {"grounding_confidence": 0.67, "reason": UNSURE, "umls_cui": None},
    "zzz": {"grounding_confidence": 0.0, "reason": "The terminology has no candidate for this term.", "candidates": ()},
}


def item(text: str) -> str:
    return item_key(text, "Condition")


def waiting(word: str) -> Any:
    code = f"C{sum(map(ord, word)):07d}"
    chosen = {"umls_cui": code, "preferred_term": word, "candidates": (candidate(word, code), candidate("other", "C9"))}
    return entity(word, **(chosen | KNOWN[word]))


async def ground(criteria: Sequence[Criterion], batch_id: str) -> list[Grounded]:
    return [
        Grounded(
            **each.model_dump(exclude={"context"}),
            batch_id=batch_id,
            entities=tuple(waiting(word) for word in each.text.split() if word in KNOWN),
        )
        for each in criteria
    ]


@pytest.fixture
async def desk(tmp_path: Path, address: str, store: GroundingStore, clock: Clock) -> Desk:
    texts = ["asthma or copd", "flu and gout", "flu", "rash with cough", "zzz"]
    entries = [criterion(number, text) for number, text in enumerate(texts)]
    await run_to(tmp_path / "out.jsonl", address, entries, ground=ground)
    return Desk(store.database, who="ann", clock=clock)


def texts(items: Sequence[Any]) -> list[str]:
    return [each.text for each in items]


async def test_the_least_sure_comes_first_and_one_without_confidence_before_all(
    desk: Desk, store: GroundingStore
) -> None:
    queue = await desk.queue()
    assert texts(queue.items) == ["zzz", "flu", "asthma", "copd", "rash", "cough", "gout"]
    assert (queue.total, queue.waiting, queue.decided) == (7, 7, 0)
    assert (await desk.item(item("copd")))[0].confidence == 0.65

    def forget(cursor: Any) -> None:
        row = cursor.row("SELECT body FROM grounding_items WHERE item = ?", (item("gout"),))
        body = {name: value for name, value in json.loads(row["body"]).items() if name != "confidence"}
        cursor.execute("UPDATE grounding_items SET body = ? WHERE item = ?", (json.dumps(body), item("gout")))

    await store.database.run(forget)
    assert texts((await desk.queue()).items)[:2] == ["gout", "zzz"]
    assert "gout" not in texts(await desk.sure_enough(0.0, Wanted()))


async def test_filter_pages_and_neighbours(desk: Desk) -> None:
    assert texts((await desk.queue(Wanted(text=" A "))).items) == ["asthma", "rash"]
    assert (await desk.queue(Wanted(entity_type="Medication"))).total == 0
    assert texts((await desk.queue(most=2, skip=2)).items) == ["asthma", "copd"]
    assert await desk.beside(item("zzz"), Wanted()) == (None, item("flu"))
    await desk.accept(item("asthma"))
    assert await desk.beside(item("asthma"), Wanted()) == (item("flu"), item("copd"))  # it has just left the queue
    await desk.reject(item("zzz"))
    assert texts((await desk.queue(Wanted(show="decided"))).items) == ["zzz", "asthma"]
    queue = await desk.queue(Wanted(show="all"))
    assert (queue.total, queue.waiting, queue.decided) == (7, 5, 2)
    await desk.undo(item("zzz"))
    assert (await desk.queue()).waiting == 6


async def test_what_somebody_else_decided_meanwhile_is_not_overruled_unseen(
    desk: Desk, store: GroundingStore, clock: Clock
) -> None:
    bob = Desk(store.database, who="bob", clock=clock)
    made = await bob.accept(item("flu"), seen=UNDECIDED)
    with pytest.raises(Conflict, match=r"bob decided on this item meanwhile \(accept: C0000327 flu"):
        await desk.reject(item("flu"), seen=UNDECIDED)
    await desk.reject(item("flu"), seen=made.at)
    with pytest.raises(Conflict, match="ann decided"):
        await bob.undo(item("flu"), seen=made.at)
    rejected = (await desk.item(item("flu")))[0].decision
    await desk.undo(item("flu"), seen=rejected.at if rejected else "")
    with pytest.raises(Conflict, match="undone meanwhile"):
        await bob.accept(item("flu"), seen=made.at)
    assert [each.action for each in await desk.history(item("flu"))] == ["accept", "reject", "undo"]


async def test_many_at_once_are_counted_first_recorded_one_by_one_and_undone_together(desk: Desk) -> None:
    """Never what has another doubt, no candidates, or no code for what was chosen."""
    found = await desk.sure_enough(0.6, Wanted())
    assert texts(found) == ["asthma", "copd"]
    with pytest.raises(Conflict, match="now it would be 2"):
        await desk.accept_all(0.6, Wanted(), names="something else")
    bulk, count = await desk.accept_all(0.6, Wanted(), names=names_of(found))
    assert count == 2
    history = await desk.history()
    assert [(each.text, each.action, each.after.umls_cui, each.shown) for each in history] == [
        ("asthma", "accept", "C0000638", ("C0000638",)),
        ("copd", "accept", "C0000422", ("C0000422",)),
    ]
    await desk.reject(item("copd"))
    assert await desk.undo_all(bulk) == 1
    assert texts((await desk.queue(Wanted(show="decided"))).items) == ["copd"]
    with pytest.raises(BadInput, match="nothing"):
        await desk.undo_all(bulk)
    with pytest.raises(BadInput, match="nothing"):
        await desk.undo_all("")


@pytest.mark.parametrize(("cui", "snomed"), [("C123", None), ("c0004096", None), (None, "12"), ("C0004096", "x" * 8)])
def test_a_code_that_is_none(cui: str | None, snomed: str | None) -> None:
    with pytest.raises(BadInput):
        check_codes(cui, snomed)
