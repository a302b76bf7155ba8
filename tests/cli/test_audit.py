"""`docgemma audit` as an auditor uses it."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from docgemma.audit.entries import Access
from docgemma.audit.log import AuditLog
from docgemma.cli.main import run
from docgemma.clinical import Purpose, acting
from docgemma.store.sessions import open_store
from tests.cli.conftest import Terminal


@pytest.fixture
def database(tmp_path: Path) -> Path:
    return tmp_path / "home" / "docgemma.sqlite"


@pytest.fixture
def log_of(database: Path) -> Callable[[int], None]:
    """Fill the log of this home with so many accesses, one by each of two people in turn."""

    async def fill(rows: int) -> None:
        async with open_store(str(database)) as store:
            log = AuditLog(store.database)
            for number in range(rows):
                reader = Purpose(who=("ann", "ben")[number % 2], why="turn", session_id="s1", turn_id=f"t{number}")
                with acting(reader):
                    await log.append(Access("read", "found", "Condition", f"c{number}", (f"p{number % 3}",), 1))

    return lambda rows: asyncio.run(fill(rows))


def tamper(database: Path, statement: str) -> None:
    with sqlite3.connect(database) as connection:
        connection.execute(statement)
    connection.close()


def test_a_whole_log_is_told_with_its_head(log_of: Callable[[int], None], capsys: pytest.CaptureFixture[str]) -> None:
    log_of(5)
    assert run(["audit", "verify"]) == 0
    told = capsys.readouterr()
    first, second = told.out.splitlines()
    assert first == "The audit log is whole: 5 rows."
    head = second.removeprefix("Head: ")
    assert told.err == ""
    log_of(1)
    assert run(["audit", "verify", "--expect", head, "--json"]) == 0
    verdict = json.loads(capsys.readouterr().out)
    assert (verdict["ok"], verdict["rows"], verdict["first_bad"], verdict["problem"]) == (True, 6, None, "")
    assert verdict["head"] != head


def test_an_empty_log_is_whole(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["audit", "verify"]) == 0
    assert capsys.readouterr().out == "The audit log is whole: 0 rows.\n"
    assert run(["audit", "show"]) == 0
    assert capsys.readouterr().out == "No access is recorded that fits.\n"


def test_a_broken_log_is_one_sentence_and_exit_code_5(
    log_of: Callable[[int], None], database: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log_of(5)
    tamper(database, "UPDATE audit SET who = '\"carl\"' WHERE position = 3")
    assert run(["audit", "verify"]) == 5
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err == "docgemma: The audit log does not match its own chain. Row 3 was changed.\n"
    assert run(["audit", "verify", "--json"]) == 5
    verdict = json.loads(capsys.readouterr().out)
    assert (verdict["ok"], verdict["first_bad"], verdict["problem"]) == (False, 3, "Row 3 was changed.")


def test_a_head_that_is_not_in_the_chain_is_a_broken_log(
    log_of: Callable[[int], None], capsys: pytest.CaptureFixture[str]
) -> None:
    log_of(2)
    assert run(["audit", "verify", "--expect", "0" * 64]) == 5
    assert "No row has the expected hash" in capsys.readouterr().err
    assert run(["audit", "verify", "--expect", "nonsense"]) == 2


def test_accesses_are_listed(log_of: Callable[[int], None], capsys: pytest.CaptureFixture[str]) -> None:
    log_of(4)
    assert run(["audit", "show", "--patient", "p0"]) == 0
    heading, *lines = capsys.readouterr().out.splitlines()
    assert heading.split() == ["row", "when", "(UTC)", "who", "why", "what", "outcome", "patients"]
    assert [line.split()[0] for line in lines] == ["1", "4"]
    assert "turn t3" in lines[1]
    assert "read Condition/c3" in lines[1]
    assert lines[1].endswith("found (1)  p0")


@pytest.mark.parametrize(
    ("options", "rows"),
    [
        ([], [1, 2, 3, 4]),
        (["--limit", "2"], [3, 4]),
        (["--who", "ben"], [2, 4]),
        (["--session", "s1", "--patient", "p1"], [2]),
        (["--session", "s2"], []),
        (["--since", "2020-01-01"], [1, 2, 3, 4]),
        (["--since", "2999-12-31T23:59"], []),
    ],
)
def test_programs_read_one_object_a_line(
    options: list[str], rows: list[int], log_of: Callable[[int], None], capsys: pytest.CaptureFixture[str]
) -> None:
    log_of(4)
    assert run(["audit", "show", "--json", *options]) == 0
    entries = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [entry["position"] for entry in entries] == rows
    assert all(entry["intact"] and entry["at"].endswith("+00:00") for entry in entries)


@pytest.mark.parametrize(
    ("arguments", "code"),
    [(["--since", "yesterday"], 2), (["--limit", "0"], 2), (["--patient", "Ann Lee"], 3), (["--session", "\udcff"], 3)],
)
def test_what_cannot_be_asked_is_refused(arguments: list[str], code: int) -> None:
    assert run(["audit", "show", *arguments]) == code


def test_a_changed_row_is_marked(
    log_of: Callable[[int], None], database: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log_of(3)
    tamper(database, "UPDATE audit SET patients = '[\"\x1b[2Jp9\"]' WHERE position = 2")
    assert run(["audit", "show"]) == 5
    told = capsys.readouterr()
    marked = [line for line in told.out.splitlines() if line.endswith("CHANGED")]
    assert len(marked) == 1
    assert "\x1b" not in told.out
    assert told.err == "docgemma: rows of the audit log were changed. Run `docgemma audit verify`.\n"


def test_a_damaged_store_cannot_be_verified(
    log_of: Callable[[int], None], database: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log_of(1)
    database.write_bytes(b"garbage" * 1000)
    assert run(["audit", "verify"]) == 4
    assert "is damaged" in capsys.readouterr().err


def test_on_a_terminal_it_says_how_far_it_has_come(log_of: Callable[[int], None], terminal: Terminal) -> None:
    log_of(3)
    with terminal.typing("audit", "verify") as shown:
        text = shown.read_to_end()
        assert shown.code() == 0
    assert "3/3 rows" in text
    assert "The audit log is whole: 3 rows." in text
