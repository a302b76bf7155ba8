"""Whoever guesses waits longer and longer; whoever knows the password waits no longer than that."""

from __future__ import annotations

import asyncio

from docgemma.accounts.model import SignInRefused, TooManyTries
from docgemma.accounts.throttle import FREE_FOR_ADDRESS, FREE_FOR_NAME, LONGEST_WAIT, wait_after
from docgemma.accounts.users import Accounts
from tests.accounts.support import PASSWORD
from tests.store.conftest import Clock


async def _try(accounts: Accounts, name: str = "lee", password: str = "wrong", address: str = "10.0.0.7") -> int:
    """How many seconds to wait; 0 when the password was looked at, and was wrong."""
    try:
        await accounts.sign_in(name, password, address)
    except TooManyTries as error:
        return error.wait_s
    except SignInRefused:
        return 0
    raise AssertionError("it was right")


def test_the_wait_doubles_and_has_an_end() -> None:
    waits = [wait_after(failed, 5).total_seconds() for failed in range(1, 40)]
    assert waits[:8] == [0, 0, 0, 0, 1, 2, 4, 8]
    assert waits == sorted(waits)
    assert waits[-1] == LONGEST_WAIT.total_seconds()


async def test_a_name_is_slowed_down_whether_or_not_it_exists(accounts: Accounts, clock: Clock) -> None:
    await accounts.add("lee", "clinician", PASSWORD)
    for name, address in (("lee", "10.0.1.1"), ("nobody", "10.0.1.2")):
        for turn in range(FREE_FOR_NAME):
            assert await _try(accounts, name, address=f"10.0.0.{turn}") == 0
        waits = []
        for _ in range(4):
            waits.append(await _try(accounts, name, address=address))
            clock.advance(waits[-1])
            assert await _try(accounts, name, address=address) == 0
        assert waits == [1, 2, 4, 8], name


async def test_knocking_while_one_waits_makes_the_wait_no_longer(accounts: Accounts, clock: Clock) -> None:
    await accounts.add("lee", "clinician", PASSWORD)
    for _ in range(FREE_FOR_NAME):
        await _try(accounts)
    for _ in range(50):
        assert await _try(accounts) == 1
    clock.advance(1)
    assert await accounts.sign_in("lee", PASSWORD, "10.0.0.7")


async def test_the_right_password_starts_the_count_of_the_name_anew_and_not_that_of_who_guesses(
    accounts: Accounts,
) -> None:
    await accounts.add("lee", "clinician", PASSWORD)
    guesses = 0
    while guesses < FREE_FOR_ADDRESS:
        for _ in range(FREE_FOR_NAME - 1):
            assert await _try(accounts, address="10.0.0.8") == 0
            guesses += 1
        await accounts.sign_in("lee", PASSWORD, "10.0.0.7")
    assert await _try(accounts, address="10.0.0.8") > 0
    assert await accounts.sign_in("lee", PASSWORD, "10.0.0.7")


async def test_an_address_that_tries_many_names_is_slowed_down_and_no_other(accounts: Accounts) -> None:
    for turn in range(FREE_FOR_ADDRESS):
        assert await _try(accounts, f"name{turn}") == 0
    assert await _try(accounts, "one.more") == 1
    assert await _try(accounts, "one.more", address="10.0.0.8") == 0


async def test_one_network_of_ipv6_is_one_address(accounts: Accounts) -> None:
    for turn in range(FREE_FOR_ADDRESS):
        assert await _try(accounts, f"name{turn}", address=f"2001:db8:0:1::{turn + 1:x}") == 0
    assert await _try(accounts, "one.more", address="2001:db8:0:1:ffff::1") == 1
    assert await _try(accounts, "one.more", address="2001:db8:0:2::1") == 0
    assert await _try(accounts, "one.more", address="testclient") == 0


async def test_a_ward_that_signs_in_all_day_from_one_address_is_not_slowed_down(accounts: Accounts) -> None:
    await accounts.add("lee", "clinician", PASSWORD)
    for _ in range(3 * FREE_FOR_ADDRESS):
        await accounts.sign_in("lee", PASSWORD, "10.0.0.7")


async def test_many_guesses_at_the_same_moment_are_many(accounts: Accounts) -> None:
    await accounts.add("lee", "clinician", PASSWORD)
    waits = await asyncio.gather(*(_try(accounts, address=f"10.0.2.{n}") for n in range(40)))
    assert waits.count(0) <= FREE_FOR_NAME


async def test_after_a_day_it_is_forgotten(accounts: Accounts, clock: Clock) -> None:
    for _ in range(FREE_FOR_NAME):
        await _try(accounts)
    assert await _try(accounts) > 0
    clock.advance(25 * 3600)
    for _ in range(FREE_FOR_NAME):
        assert await _try(accounts) == 0
