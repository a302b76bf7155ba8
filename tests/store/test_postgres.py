"""What a server can do to us: not be there, refuse us, hang up."""

from __future__ import annotations

import secrets
import sys
from urllib.parse import urlsplit

import psycopg
import pytest

from docgemma.errors import Unavailable
from docgemma.store.database import Cursor
from docgemma.store.sessions import open_store

SECRET = "hunter2-secret"


async def refused(url: str) -> str:
    with pytest.raises(Unavailable) as caught:
        async with open_store(url):
            pass
    shown = [
        caught.value,
        caught.value.__cause__,
        None if caught.value.__suppress_context__ else caught.value.__context__,
    ]
    assert not any(SECRET in str(each) for each in shown)
    return str(caught.value)


async def test_a_server_that_is_down_is_named_without_the_password() -> None:
    message = await refused(f"postgresql://doc:{SECRET}@127.0.0.1:1/docgemma")
    assert "127.0.0.1:1/docgemma" in message
    assert "DOCGEMMA_DATABASE_URL" in message


@pytest.mark.parametrize(
    "url",
    [
        f"postgresql://doc:{SECRET}@host:not-a-port/db",
        f"postgresql://doc:{SECRET}@host/db?no_such_option=1",
        f"postgres://doc:{SECRET}@[half-an-address/db",
    ],
)
async def test_an_address_that_makes_no_sense_is_explained_without_the_password(url: str) -> None:
    assert "DOCGEMMA_DATABASE_URL" in await refused(url)


async def test_a_missing_driver_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    assert "docgemma[postgres]" in await refused("postgresql://localhost/docgemma")


@pytest.mark.postgres
async def test_a_database_that_does_not_exist_is_explained(postgres_url: str) -> None:
    assert "cannot be reached or refused" in await refused(postgres_url.replace("docgemma_test_", "no_such_"))


@pytest.mark.postgres
async def test_a_connection_that_was_closed_in_between_is_replaced(postgres_url: str) -> None:
    async with open_store(postgres_url) as store:
        session = await store.create_session("a")
        _hang_up(postgres_url)
        assert (await store.get_session(session.id)).id == session.id
        _hang_up(postgres_url)
        await store.append_turn(session.id, "t1", {"query": "q"})
        assert len(await store.turns(session.id)) == 1


@pytest.mark.postgres
async def test_work_cut_off_before_its_commit_is_done_once(postgres_url: str) -> None:
    async with open_store(postgres_url) as store:
        session = await store.create_session("a", title="0")
        tries = []

        def work(cursor: Cursor) -> None:
            cursor.execute("UPDATE sessions SET title = title || '1' WHERE id = ?", (session.id,))
            tries.append(1)
            if len(tries) == 1:
                _hang_up(postgres_url)
            cursor.execute("UPDATE sessions SET owner = owner WHERE id = ?", (session.id,))

        await store._database.run(work)
        row = await store._database.run(lambda cursor: cursor.row("SELECT title FROM sessions"))
        assert row == {"title": '"0"1'}
        assert len(tries) == 2


@pytest.mark.postgres
async def test_a_connection_lost_again_and_again_is_explained(postgres_url: str) -> None:
    async with open_store(postgres_url) as store:

        def work(cursor: Cursor) -> None:
            _hang_up(postgres_url)
            cursor.row("SELECT 1 AS one")

        with pytest.raises(Unavailable, match="closed the connection"):
            await store._database.run(work)
        await store.create_session("a")


@pytest.mark.postgres
async def test_a_connection_lost_at_the_commit_is_not_tried_again(postgres_url: str) -> None:
    async with open_store(postgres_url) as store:
        tries = []

        def work(cursor: Cursor) -> None:
            tries.append(1)
            _hang_up(postgres_url)

        with pytest.raises(Unavailable, match="broke while saving"):
            await store._database.run(work)
        assert len(tries) == 1
        await store.create_session("a")


@pytest.mark.postgres
async def test_a_refused_statement_does_not_quote_the_row(postgres_url: str) -> None:
    async with open_store(postgres_url) as store:
        await store.create_session("a", title="Ann Lee", session_id="s1")
        sql = "INSERT INTO sessions (id, owner, title, created_at, updated_at) VALUES (?, ?, ?, NULL, '')"
        with pytest.raises(Unavailable, match="SQLSTATE 23502") as caught:
            await store._database.run(lambda cursor: cursor.execute(sql, ("s2", "a", "Ann Lee")))
        assert "Ann" not in str(caught.value)
        assert caught.value.__cause__ is None
        assert caught.value.__suppress_context__
        await store.get_session("s1")


@pytest.mark.postgres
async def test_a_user_without_rights_is_explained(postgres_url: str) -> None:
    async with open_store(postgres_url):
        pass
    role, server = f"reader_{secrets.token_hex(4)}", urlsplit(postgres_url)
    with psycopg.connect(postgres_url, autocommit=True) as admin:
        admin.execute(f"CREATE ROLE {role} LOGIN PASSWORD '{SECRET}'")
        try:
            host = server.netloc.rpartition("@")[2]
            message = await refused(server._replace(netloc=f"{role}:{SECRET}@{host}").geturl())
        finally:
            admin.execute(f"DROP ROLE {role}")
    assert "Grant the user rights" in message


def _hang_up(url: str) -> None:
    """Close every connection to the database but this one, as a restart of the server would."""
    with psycopg.connect(url, autocommit=True) as admin:
        admin.execute(
            "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity"
            " WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )
