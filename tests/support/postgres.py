"""A throw-away PostgreSQL server for the tests, and an empty database for each of them.

`DOCGEMMA_TEST_POSTGRES_URL` names a server to use instead. Where none can be had the tests are skipped, but not
under CI=true: there a missing server is a failure.
"""

from __future__ import annotations

import os
import pwd
import secrets
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn
from urllib.parse import quote, urlsplit

import psycopg
import pytest

_START_SECONDS = 60.0


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[str]:
    """The address of a server on which databases may be created."""
    with running_server() as url:
        yield url


@contextmanager
def running_server() -> Iterator[str]:
    """The server itself, for what runs without a test around it."""
    given = os.environ.get("DOCGEMMA_TEST_POSTGRES_URL")
    if given:
        yield given
        return
    programs = _programs()
    if programs is None:
        _absent("PostgreSQL is not installed: no initdb on PATH or in /usr/lib/postgresql")
    with _running(programs) as url:
        yield url


@pytest.fixture
def postgres_url(postgres_server: str) -> Iterator[str]:
    """The address of an empty database that goes away with the test."""
    with empty_database(postgres_server) as url:
        yield url


@pytest.fixture(scope="session")
def postgres_database(postgres_server: str) -> Iterator[str]:
    """The address of one database for all tests that ask for a schema of their own."""
    with empty_database(postgres_server) as url:
        yield url


@pytest.fixture
def postgres_schema(postgres_database: str) -> Iterator[str]:
    """Where an empty schema is found by whoever opens this address; made and gone ten times faster than a database."""
    name = f"test_{secrets.token_hex(6)}"
    with psycopg.connect(postgres_database, autocommit=True) as admin:
        admin.execute(f"CREATE SCHEMA {name}")
        yield f"{postgres_database}{'&' if '?' in postgres_database else '?'}options=-csearch_path%3D{name}"
        admin.execute("SET client_min_messages = warning")
        admin.execute(f"DROP SCHEMA {name} CASCADE")


@contextmanager
def empty_database(server: str) -> Iterator[str]:
    """The address of a new database on this server; it goes away in the end."""
    name = f"docgemma_test_{secrets.token_hex(6)}"
    with psycopg.connect(server, autocommit=True) as admin:
        admin.execute(f'CREATE DATABASE "{name}" TEMPLATE template0')
        try:
            yield urlsplit(server)._replace(path=f"/{name}").geturl()
        finally:
            admin.execute(f'DROP DATABASE "{name}" WITH (FORCE)')


def _absent(why: str) -> NoReturn:
    if os.environ.get("CI") == "true":
        pytest.fail(why)
    pytest.skip(why)


def _programs() -> Path | None:
    """The folder that holds initdb and postgres: the newest one where there are several."""
    on_path = shutil.which("initdb")
    folders = [Path(on_path).resolve().parent] if on_path else []
    folders += sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=_version, reverse=True)
    return next((folder for folder in folders if (folder / "initdb").exists() and (folder / "postgres").exists()), None)


def _version(folder: Path) -> int:
    name = folder.parent.name
    return int(name) if name.isdecimal() else 0


@contextmanager
def _running(programs: Path) -> Iterator[str]:
    """PostgreSQL refuses to run as root, so root hands the folder to an ordinary user and starts it as that one."""
    user = _ordinary_user()
    folder = Path(tempfile.mkdtemp(prefix="docgemma-pg-"))  # short: a socket's path has at most 107 bytes
    data, log = folder / "data", folder / "log"
    try:
        if user is not None:
            os.chown(folder, user.pw_uid, user.pw_gid)
        who = {} if user is None else {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}
        initdb = [programs / "initdb", "-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "-N"]
        subprocess.run(initdb, check=True, capture_output=True, cwd=folder, **who)
        with log.open("wb") as output:
            server = subprocess.Popen(
                [programs / "postgres", "-D", data, "-k", folder, "-c", "listen_addresses=", "-F"],
                stdout=output, stderr=output, cwd=folder, start_new_session=True, **who,
            )  # fmt: skip
        try:
            url = f"postgresql://postgres@/postgres?host={quote(str(folder), safe='')}"
            _wait_until_ready(url, server, log)
            yield url
        finally:
            server.send_signal(signal.SIGINT)
            server.wait(timeout=30)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _ordinary_user() -> pwd.struct_passwd | None:
    if os.geteuid() != 0:
        return None
    names = {entry.pw_name: entry for entry in pwd.getpwall()}
    return names.get("postgres") or names["nobody"]


def _wait_until_ready(url: str, server: subprocess.Popen[bytes], log: Path) -> None:
    give_up = time.monotonic() + _START_SECONDS
    while True:
        try:
            psycopg.connect(url, connect_timeout=5).close()
        except psycopg.OperationalError:
            if server.poll() is not None or time.monotonic() > give_up:
                pytest.fail(f"PostgreSQL did not start:\n{log.read_text()[-2000:]}")
            time.sleep(0.05)
        else:
            return
