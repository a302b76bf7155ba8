"""The schema's version, on both databases."""

from __future__ import annotations

import pytest

from docgemma.errors import Unavailable
from docgemma.store.database import Cursor
from docgemma.store.migrations import MIGRATIONS
from docgemma.store.sessions import Store, open_store

EARLIER = "img-a949fce627b25aa7ec2407a06f3cb5cc"
"""The name of an image that was stored before there were frames."""


def _version(cursor: Cursor) -> list[int]:
    return [row["version"] for row in cursor.rows("SELECT version FROM docgemma_schema ORDER BY version")]


async def test_opening_again_runs_no_step_twice(address: str, store: Store) -> None:
    async with open_store(address) as again:
        assert await again._database.run(_version) == list(range(1, len(MIGRATIONS) + 1))


async def test_a_store_of_a_newer_version_is_left_alone(address: str, store: Store) -> None:
    session = await store.create_session("a")
    newer = len(MIGRATIONS) + 1
    await store._database.run(lambda cursor: cursor.execute("INSERT INTO docgemma_schema VALUES (?)", (newer,)))
    with pytest.raises(Unavailable, match="made by a newer DocGemma"):
        async with open_store(address):
            pass
    assert (await store.get_session(session.id)).id == session.id


async def test_an_image_from_before_there_were_frames_keeps_its_name(store: Store) -> None:
    """Else it could not be told from a damaged one."""
    image = await store.put_image(None, "image/png", b"pixels", width=1, height=1, facts="{}", depth=b"values")
    assert image == EARLIER


async def test_work_that_fails_changes_nothing(store: Store) -> None:
    session = await store.create_session("a", title="before")

    def work(cursor: Cursor) -> None:
        cursor.execute("UPDATE sessions SET title = ?", ('"after"',))
        raise LookupError

    with pytest.raises(LookupError):
        await store._database.run(work)
    assert (await store.get_session(session.id)).title == "before"
