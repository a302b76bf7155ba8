"""`docgemma users` at a terminal, and who a decision at the terminal is by once there are accounts."""

from __future__ import annotations

import asyncio
import io
import json
import sys
from collections.abc import Awaitable, Callable
from typing import TypeVar

import pytest

from docgemma.accounts.users import Accounts
from docgemma.cli.main import run
from docgemma.cli.options import person
from docgemma.config import load_settings
from docgemma.store.sessions import open_store
from tests.accounts.support import PASSWORD, cheap_accounts
from tests.cli.cards import note, prescription, proposed, within
from tests.cli.conftest import _clean_environment

__all__ = ["_clean_environment"]

T = TypeVar("T")
AMLODIPINE = ("amlodipine", "5 mg", "once daily")


def on_accounts(work: Callable[[Accounts], Awaitable[T]]) -> T:
    async def opened() -> T:
        async with open_store(load_settings().store_address) as store:
            return await work(cheap_accounts(store.database))

    return asyncio.run(opened())


@pytest.fixture
def type_in(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    def give(text: str) -> None:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))

    return give


def test_an_account_from_its_first_day_to_its_last(
    capsys: pytest.CaptureFixture[str], type_in: Callable[[str], None]
) -> None:
    type_in(f"{PASSWORD}\n")
    assert run(["users", "add", "Dr.Lee", "--role", "prescriber", "--password-stdin"]) == 0
    assert run(["users", "role", "dr.lee", "clinician"]) == 0
    type_in("short")
    assert run(["users", "password", "dr.lee", "--password-stdin"]) == 2
    assert run(["users", "disable", "dr.lee"]) == 0
    capsys.readouterr()
    assert run(["users", "list", "--json"]) == 0
    (listed,) = json.loads(capsys.readouterr().out)
    assert (listed["name"], listed["role"], listed["active"]) == ("dr.lee", "clinician", False)
    assert "password" not in listed
    assert run(["users", "enable", "dr.lee"]) == 0
    assert run(["users", "list"]) == 0
    assert "dr.lee  clinician   may sign in" in capsys.readouterr().out


def test_what_cannot_be_done_is_one_line_and_a_code(
    capsys: pytest.CaptureFixture[str], type_in: Callable[[str], None]
) -> None:
    on_accounts(lambda accounts: accounts.add("ada", "admin", PASSWORD))
    cases = (
        (["users", "add", "no name", "--role", "admin", "--password-stdin"], PASSWORD, 2, "A user name has"),
        (["users", "add", "kim", "--role", "admin", "--password-stdin"], "two\nlines", 2, "as one line"),
        (["users", "add", "kim", "--role", "admin"], "", 2, "no keyboard"),
        (["users", "role", "ada", "clinician"], "", 5, "last administrator"),
        (["users", "disable", "kim"], "", 3, "There is no user kim."),
        (["users", "password", "kim", "--password-stdin"], PASSWORD, 3, "There is no user kim."),
        (["users", "token", "kim", "--label", "x"], "", 3, "There is no user kim."),
        (["users", "tokens", "kim"], "", 3, "There is no user kim."),
        (["users", "revoke", "12345678"], "", 3, "no token of that id"),
    )
    for arguments, typed, code, said in cases:
        type_in(typed)
        assert run(arguments) == code, arguments
        told = capsys.readouterr().err
        assert said in told and len(told.splitlines()) == 1, arguments


def test_a_token_is_shown_once_listed_by_its_tail_and_revoked(capsys: pytest.CaptureFixture[str]) -> None:
    on_accounts(lambda accounts: accounts.add("lee", "clinician", PASSWORD))
    assert run(["users", "token", "lee", "--label", "ward 3"]) == 0
    token = capsys.readouterr().out.strip()
    assert token.startswith("dg_")
    assert run(["users", "tokens", "lee", "--json"]) == 0
    told = capsys.readouterr().out
    (listed,) = json.loads(told)
    assert (listed["label"], listed["tail"], listed["expired"]) == ("ward 3", token[-4:], False)
    assert token not in told
    assert run(["users", "revoke", listed["id"]]) == 0
    assert on_accounts(lambda accounts: accounts.tokens.find(token)) is None


def test_with_accounts_a_decision_at_the_terminal_needs_its_person(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    order = proposed(note())

    async def people(accounts: Accounts) -> dict[str, str]:
        tokens = {}
        for name, role in (("pru", "prescriber"), ("rose", "reviewer"), ("gone", "prescriber")):
            await accounts.add(name, role, PASSWORD)  # type: ignore[arg-type]
            tokens[name] = await accounts.tokens.issue(name, "terminal", 1)
        return tokens

    tokens = on_accounts(people)
    on_accounts(lambda accounts: accounts.disable("gone"))
    for token, said in (
        ("", "set DOCGEMMA_TOKEN"),
        ("dg_made_up", "set DOCGEMMA_TOKEN"),
        (tokens["gone"], "set DOCGEMMA_TOKEN"),
        (tokens["rose"], "its role is reviewer"),
    ):
        monkeypatch.setenv("DOCGEMMA_TOKEN", token)
        for command in (["approve", order], ["reject", order], ["orders", "undo", order, "--reason", "wrong one"]):
            assert run(command) == 2, command
            assert said in capsys.readouterr().err, command
    assert within(lambda app: app.orders.get(order)).state == "proposed"
    monkeypatch.setenv("DOCGEMMA_TOKEN", tokens["pru"])
    assert run(["approve", order, "--json"]) == 0
    decided = within(lambda app: app.orders.get(order)).decision
    assert decided is not None
    assert (decided.who, decided.may_prescribe) == ("pru", True)


@pytest.mark.parametrize(("role", "status"), [("prescriber", "active"), ("clinician", "draft")])
def test_the_role_says_whether_a_prescription_is_active_or_a_draft(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], role: str, status: str
) -> None:
    order = proposed(prescription(*AMLODIPINE))

    async def lee(accounts: Accounts) -> str:
        await accounts.add("lee", role, PASSWORD)  # type: ignore[arg-type]
        return await accounts.tokens.issue("lee", "terminal", 1)

    monkeypatch.setenv("DOCGEMMA_TOKEN", on_accounts(lee))
    assert run(["approve", order, "--acknowledge"]) == 0
    decided = within(lambda app: app.orders.get(order)).decision
    assert decided is not None
    assert (decided.who, decided.may_prescribe) == ("lee", role == "prescriber")
    capsys.readouterr()
    assert run(["ehr", "export", "--patient", "abc-123", "--kind", "MedicationRequest"]) == 0
    written = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    ours = [one for one in written if "urn:docgemma:order" in str(one.get("identifier"))]
    assert [one["status"] for one in ours] == [status]


def test_without_accounts_it_is_who_sits_here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DOCGEMMA_TOKEN", "something for another command")
    order = proposed(note())
    assert run(["reject", order]) == 0
    decided = within(lambda app: app.orders.get(order)).decision
    assert decided is not None
    assert decided.who == person()
