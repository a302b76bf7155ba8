"""Sign-ins end in time, and tokens act as their user."""

from __future__ import annotations

from datetime import timedelta

import pytest

from docgemma.accounts.credentials import ABSOLUTE, IDLE
from docgemma.accounts.model import Identity
from docgemma.accounts.users import Accounts
from docgemma.errors import BadInput, UnknownId
from tests.accounts.support import PASSWORD
from tests.store.conftest import Clock

HOUR = 3600.0
LOCAL = Identity.at_this_machine("nina", prescriber=True)


@pytest.fixture
async def lee(accounts: Accounts) -> str:
    return (await accounts.add("lee", "prescriber", PASSWORD)).name


async def _login(accounts: Accounts, *, instead_of: str = "") -> str:
    return await accounts.sign_in("lee", PASSWORD, "10.0.0.7", instead_of=instead_of)


async def test_an_unused_sign_in_ends_and_a_used_one_goes_on(accounts: Accounts, clock: Clock, lee: str) -> None:
    unused, used = await _login(accounts), await _login(accounts)
    for _ in range(3):
        clock.advance(5 * HOUR)
        assert await accounts.logins.find(used) is not None
    assert timedelta(hours=15) > IDLE
    assert await accounts.logins.find(unused) is None
    assert await accounts.logins.find(used) is not None


async def test_even_a_used_sign_in_ends_after_a_week(accounts: Accounts, clock: Clock, lee: str) -> None:
    token = await _login(accounts)
    lasted = timedelta(0)
    while await accounts.logins.find(token) is not None:
        clock.advance(6 * HOUR)
        lasted += timedelta(hours=6)
        assert lasted < timedelta(days=30)
    assert timedelta(hours=-6) < lasted - ABSOLUTE <= timedelta(hours=6)


async def test_signing_in_again_ends_the_sign_in_that_the_browser_had(accounts: Accounts, lee: str) -> None:
    first = await _login(accounts)
    second = await _login(accounts, instead_of=first)
    assert first != second
    assert await accounts.logins.find(first) is None
    assert await accounts.logins.find(second) is not None


async def test_signing_out_ends_this_one_alone(accounts: Accounts, lee: str) -> None:
    here, there = await _login(accounts), await _login(accounts)
    await accounts.logins.end(here)
    assert await accounts.logins.find(here) is None
    assert await accounts.logins.find(there) is not None


async def test_what_was_never_given_out_is_nobodys(accounts: Accounts, lee: str) -> None:
    for token in ("", "x", "dg_x", "x" * 10_000, "\ud800", "é"):
        assert await accounts.logins.find(token) is None
        assert await accounts.tokens.find(token) is None


async def test_a_sign_in_is_no_token_and_a_token_no_sign_in(accounts: Accounts, lee: str) -> None:
    assert await accounts.tokens.find(await _login(accounts)) is None
    assert await accounts.logins.find(await accounts.tokens.issue(lee, "terminal", 1)) is None


async def test_a_token_acts_with_the_role_of_its_user_until_it_is_over(
    accounts: Accounts, clock: Clock, lee: str
) -> None:
    token = await accounts.tokens.issue(lee, "terminal", 2)
    assert token.startswith("dg_")
    who = await accounts.tokens.find(token)
    assert who is not None
    assert (who.name, who.via, who.may_prescribe) == ("lee", "token", True)
    await accounts.set_role(lee, "reviewer")
    now = await accounts.tokens.find(token)
    assert now is not None
    assert not now.can("decide")
    clock.advance(48 * HOUR)
    assert await accounts.tokens.find(token) is None
    assert [each.expired for each in await accounts.tokens.listed()] == [True]


async def test_a_token_is_known_by_label_and_tail_and_ends_when_revoked(accounts: Accounts, lee: str) -> None:
    token = await accounts.tokens.issue(lee, " terminal,\n ward 3 ", 30)
    kept = await accounts.tokens.issue(lee, "batch", 30)
    shown = {each.label: each for each in await accounts.tokens.listed("lee")}
    assert shown["terminal, ward 3"].tail == token[-4:]
    assert token not in repr(shown)
    await accounts.tokens.revoke(shown["terminal, ward 3"].id)
    assert await accounts.tokens.find(token) is None
    assert await accounts.tokens.find(kept) is not None
    with pytest.raises(UnknownId):
        await accounts.tokens.revoke(shown["terminal, ward 3"].id)


async def test_a_token_needs_a_label_a_time_and_a_user_who_may_sign_in(accounts: Accounts, lee: str) -> None:
    for label, days in (("", 30), ("x" * 81, 30), ("x", 0), ("x", 10_000)):
        with pytest.raises(BadInput):
            await accounts.tokens.issue(lee, label, days)
    with pytest.raises(UnknownId):
        await accounts.tokens.issue("nobody", "x", 1)
    await accounts.disable(lee)
    with pytest.raises(BadInput, match="disabled"):
        await accounts.tokens.issue(lee, "x", 1)


async def test_at_the_terminal_the_first_account_changes_who_decides(accounts: Accounts) -> None:
    assert await accounts.at_terminal(None, LOCAL) == LOCAL
    assert await accounts.at_terminal("dg_whatever", LOCAL) == LOCAL
    await accounts.add("lee", "prescriber", PASSWORD)
    assert await accounts.at_terminal(None, LOCAL) is None
    assert await accounts.at_terminal("dg_whatever", LOCAL) is None
    who = await accounts.at_terminal(await accounts.tokens.issue("lee", "terminal", 1), LOCAL)
    assert who is not None
    assert who.name == "lee"
