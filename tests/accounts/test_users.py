"""Accounts as an administrator and their owners know them."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from docgemma.accounts.model import SignInRefused, User
from docgemma.accounts.users import Accounts, usable_name
from docgemma.errors import BadInput, Conflict, UnknownId
from docgemma.store.sessions import Store, open_store
from tests.accounts.support import OTHER, PASSWORD, cheap_accounts, cheap_passwords
from tests.store.conftest import Clock

HERE = "10.0.0.7"


async def _signed_in(accounts: Accounts, name: str, password: str = PASSWORD) -> str:
    return await accounts.sign_in(name, password, HERE)


async def test_an_account_signs_in_under_its_name_in_small_letters(accounts: Accounts) -> None:
    assert await accounts.count() == 0
    made = await accounts.add(" Dr.Lee ", "prescriber", PASSWORD)
    assert (made.name, made.role, made.active) == ("dr.lee", "prescriber", True)
    who = await accounts.logins.find(await _signed_in(accounts, "DR.LEE"))
    assert who is not None
    assert (who.name, who.role, who.via) == ("dr.lee", "prescriber", "login")
    assert await accounts.count() == 1


@pytest.mark.parametrize("name", ["", ".lee", "lee smith", "lée", "a/b", "x" * 65, "a\nb", "-a", "a?b", "a\x00"])
def test_a_name_that_cannot_be_one_is_refused(name: str) -> None:
    with pytest.raises(BadInput, match="A user name has 1 to 64"):
        usable_name(name)


async def test_a_name_is_taken_once_and_an_unknown_one_is_unknown(accounts: Accounts) -> None:
    await accounts.add("lee", "clinician", PASSWORD)
    with pytest.raises(Conflict, match="There is a user lee already"):
        await accounts.add("LEE", "admin", PASSWORD)
    for name in ("nobody", "no body", "x" * 300):
        with pytest.raises(UnknownId):
            await accounts.set_role(name, "admin")


async def test_whatever_is_wrong_reads_the_same(accounts: Accounts) -> None:
    await accounts.add("lee", "clinician", PASSWORD)
    await accounts.add("gone", "clinician", PASSWORD)
    await accounts.disable("gone")
    said = set()
    for name, password in (("lee", OTHER), ("nobody", PASSWORD), ("gone", PASSWORD), ("no body\x00", PASSWORD)):
        with pytest.raises(SignInRefused) as caught:
            await _signed_in(accounts, name, password)
        said.add(str(caught.value))
    assert len(said) == 1


async def test_a_change_ends_every_sign_in_of_that_user_and_no_other(accounts: Accounts) -> None:
    for name in ("lee", "kim"):
        await accounts.add(name, "clinician", PASSWORD)
    other = await _signed_in(accounts, "kim")
    changes: tuple[Callable[[], Awaitable[User]], ...] = (
        lambda: accounts.set_role("lee", "reviewer"),
        lambda: accounts.set_password("lee", PASSWORD),
        lambda: accounts.disable("lee"),
    )
    for change in changes:
        here, there = [await _signed_in(accounts, "lee") for _ in range(2)]
        assert await accounts.logins.find(here) is not None
        await change()
        assert [await accounts.logins.find(token) for token in (here, there)] == [None, None]
    assert await accounts.logins.find(other) is not None


async def test_the_new_password_holds_and_the_old_one_does_not(accounts: Accounts) -> None:
    await accounts.add("lee", "clinician", PASSWORD)
    with pytest.raises(SignInRefused):
        await accounts.change_own_password("lee", "not the password", OTHER, HERE)
    with pytest.raises(BadInput):
        await accounts.change_own_password("lee", PASSWORD, "short", HERE)
    await accounts.change_own_password("lee", PASSWORD, OTHER, HERE)
    with pytest.raises(SignInRefused):
        await _signed_in(accounts, "lee")
    assert await _signed_in(accounts, "lee", OTHER)


async def test_a_disabled_account_comes_back_without_its_old_tokens(accounts: Accounts) -> None:
    await accounts.add("lee", "clinician", PASSWORD)
    token = await accounts.tokens.issue("lee", "đầu cuối", 30)
    assert [each.label for each in await accounts.tokens.listed()] == ["đầu cuối"]
    await accounts.disable("lee")
    assert await accounts.tokens.find(token) is None
    await accounts.enable("lee")
    assert await accounts.tokens.find(token) is None
    assert await _signed_in(accounts, "lee")


@pytest.mark.parametrize("change", ["disable", "demote"])
async def test_the_last_administrator_stays(accounts: Accounts, change: str) -> None:
    for name in ("ada", "eve"):
        await accounts.add(name, "admin", PASSWORD)

    async def try_on(name: str) -> None:
        await (accounts.disable(name) if change == "disable" else accounts.set_role(name, "clinician"))

    await try_on("eve")
    with pytest.raises(Conflict, match="last administrator"):
        await try_on("ada")
    assert (await accounts.get("ada")).role == "admin"
    await accounts.set_role("ada", "admin")  # to what it is: no demotion


async def test_two_administrators_who_disable_each_other_leave_one(address: str) -> None:
    async with open_store(address) as one, open_store(address) as two:
        here, there = cheap_accounts(one.database), cheap_accounts(two.database)
        for name in ("ada", "eve"):
            await here.add(name, "admin", PASSWORD)
        ended = await asyncio.gather(here.disable("ada"), there.disable("eve"), return_exceptions=True)
        assert sum(isinstance(each, Conflict) for each in ended) == 1
        assert sum(user.active for user in await here.listed()) == 1


async def test_a_hash_of_old_parameters_is_renewed_when_its_owner_signs_in(store: Store, clock: Clock) -> None:
    await cheap_accounts(store.database, clock).add("lee", "clinician", PASSWORD)
    stronger = Accounts(store.database, clock, cheap_passwords(time_cost=2))
    first = await stronger.sign_in("lee", PASSWORD, HERE)
    assert await stronger.logins.find(first) is not None
    row = await store.database.run(lambda cursor: cursor.row("SELECT password FROM users"))
    assert row is not None and "t=2" in row["password"]


async def test_all_workers_share_one_secret(address: str) -> None:
    async with open_store(address) as one, open_store(address) as two:
        first, second = await asyncio.gather(
            cheap_accounts(one.database).secret(), cheap_accounts(two.database).secret()
        )
    assert first == second
    assert len(bytes.fromhex(first)) == 32


async def test_nothing_that_opens_an_account_stands_in_the_database(store: Store, accounts: Accounts) -> None:
    await accounts.add("lee", "clinician", PASSWORD)
    login, token = await _signed_in(accounts, "lee"), await accounts.tokens.issue("lee", "terminal", 30)
    with pytest.raises(SignInRefused):
        await _signed_in(accounts, OTHER, PASSWORD)  # typed into the wrong field
    dump = ""
    for table in ("users", "logins", "tokens", "sign_in_attempts", "secrets"):
        dump += repr(await store.database.run(lambda cursor, table=table: cursor.rows(f"SELECT * FROM {table}")))
    for secret in (PASSWORD, OTHER, login, token, token.removeprefix("dg_")):
        assert secret not in dump
