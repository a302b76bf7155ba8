"""Where the server may listen, and under which names it answers."""

from __future__ import annotations

import pytest

from docgemma.config import Settings
from docgemma.errors import BadInput
from docgemma.server.serving import Plan, check_bind, hosts_of, is_local
from docgemma.store.sessions import open_store
from tests.accounts.support import PASSWORD, cheap_accounts


@pytest.mark.parametrize("host", ["127.0.0.1", "127.0.0.9", "localhost", "::1", "[::1]"])
async def test_on_this_machine_nobody_needs_an_account(settings: Settings, host: str) -> None:
    assert is_local(host)
    assert await check_bind(settings, Plan("me", host)) is False


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.4", "clinic.example"])
async def test_elsewhere_it_refuses_without_accounts(settings: Settings, host: str) -> None:
    with pytest.raises(BadInput, match="docgemma users add"):
        await check_bind(settings, Plan("me", host, names=("clinic.example",)))


async def test_a_name_for_browsers_elsewhere_needs_accounts_too(settings: Settings) -> None:
    """Behind a proxy on this machine everybody seems to sit at it."""
    with pytest.raises(BadInput, match="docgemma users add"):
        await check_bind(settings, Plan("me", names=("clinic.example",)))
    assert await check_bind(settings, Plan("me", names=("localhost",))) is False


async def test_every_address_needs_a_name_that_browsers_use(settings: Settings) -> None:
    async with open_store(settings.store_address) as store:
        await cheap_accounts(store.database).add("ada", "admin", PASSWORD)
    with pytest.raises(BadInput, match="--name"):
        await check_bind(settings, Plan("me", "0.0.0.0"))
    assert await check_bind(settings, Plan("me", "0.0.0.0", names=("clinic.example",))) is True


def test_the_names_are_those_given_with_and_without_the_port() -> None:
    assert hosts_of(Plan("me", "0.0.0.0", 8443, names=("clinic.example",))) == ("clinic.example", "clinic.example:8443")
    assert "[::1]:8600" in hosts_of(Plan("me"))
