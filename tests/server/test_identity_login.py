"""Signing in and out, and the accounts, on pages that work without a script."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from fastapi import FastAPI

from docgemma.accounts.throttle import FREE_FOR_NAME
from tests.accounts.support import OTHER, PASSWORD
from tests.server.small_site import HTML, ROLES, accounts_of, browser, sign_in, small_site, token_on
from tests.store.conftest import Clock


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
async def site(tmp_path: Path, clock: Clock) -> AsyncIterator[FastAPI]:
    async with small_site(tmp_path, with_accounts=True, clock=clock) as app:
        yield app


async def test_whoever_is_not_signed_in_comes_back_to_where_they_wanted_to_go(site: FastAPI) -> None:
    async with browser(site) as client:
        refused = await client.get("/ask?patient=4f2&x=a%20b", headers=HTML)
        assert refused.status_code == 303
        assert refused.headers["Location"] == "/login?next=/ask%3Fpatient%3D4f2%26x%3Da%2520b"
        page = await client.get(refused.headers["Location"], headers=HTML)
        back = re.search(r'name="next" value="([^"]+)"', page.text)
        assert back is not None
        assert back[1] == "/ask?patient=4f2&amp;x=a%20b"
        entered = await sign_in(client, "pru", next="/ask?patient=4f2")
        assert (entered.status_code, entered.headers["Location"]) == (303, "/ask?patient=4f2")
        assert (await client.get("/ask", headers=HTML)).status_code == 200
        assert (await client.get("/login?next=/ask", headers=HTML)).headers["Location"] == "/ask"


async def test_programs_are_told_in_data(site: FastAPI) -> None:
    async with browser(site) as client:
        for headers in ({}, {"Accept": "application/json"}, HTML | {"X-Fragment": "1"}):
            answer = await client.get("/ask", headers=headers)
            assert answer.status_code == 401
            assert answer.json() == {"error": "Sign in first."}


async def test_nobody_is_sent_to_another_site_after_signing_in(site: FastAPI) -> None:
    for where in ("//evil.example", "https://evil.example/", "/\\evil.example", "/login"):
        async with browser(site) as client:
            assert "evil" not in (await client.get("/login", params={"next": where}, headers=HTML)).text
            assert (await sign_in(client, "pru", next=where)).headers["Location"] == "/"


@pytest.mark.parametrize("scheme", ["http", "https"])
async def test_the_cookie_is_for_our_pages_alone(site: FastAPI, scheme: str) -> None:
    async with browser(site, scheme=scheme) as client:
        given = (await sign_in(client, "pru")).headers["Set-Cookie"]
        parts = {part.strip().lower() for part in given.split(";")[1:]}
        assert {"httponly", "samesite=strict", "path=/"} <= parts
        assert "domain" not in given.lower() and "max-age" not in given.lower()
        assert ("secure" in parts) == (scheme == "https")
        assert given.startswith("__Host-docgemma=" if scheme == "https" else "docgemma=")
        assert (await client.get("/ask")).status_code == 200


async def test_what_is_wrong_reads_the_same_for_every_name(site: FastAPI) -> None:
    await accounts_of(site).disable("clara")
    seen = set()
    for name, password in (("pru", OTHER), ("nobody", PASSWORD), ("clara", PASSWORD), ("<b>&x", PASSWORD)):
        async with browser(site) as client:
            answer = await sign_in(client, name, password)
            assert "docgemma=" not in answer.headers.get("Set-Cookie", "")
            assert "<b>" not in answer.text
            said = re.search(r'role="alert" id="login-error">([^<]*)', answer.text)
            assert said is not None
            seen.add((answer.status_code, said[1]))
    assert seen == {(401, "Name or password is not right.")}


async def test_guessing_is_slowed_down_and_says_for_how_long(site: FastAPI, clock: Clock) -> None:
    for name in ("pru", "nobody"):
        async with browser(site) as client:
            for _ in range(FREE_FOR_NAME):
                assert (await sign_in(client, name, OTHER)).status_code == 401
            refused = await sign_in(client, name, PASSWORD)
            assert refused.status_code == 429
            assert refused.headers["Retry-After"] == "1"
            assert "Try again in 1 seconds" in refused.text
    clock.advance(2)
    async with browser(site) as client:
        assert (await sign_in(client, "pru")).status_code == 303


async def test_signing_in_gives_a_new_cookie_and_signing_out_ends_it(site: FastAPI) -> None:
    async with browser(site) as client:
        await sign_in(client, "pru")
        stolen = client.cookies["docgemma"]
        page = await client.get("/password", headers=HTML)
        left = await client.post("/logout", data={"csrf": token_on(page)}, headers=HTML)
        assert (left.status_code, left.headers["Location"]) == (303, "/login")
        assert "Max-Age=0" in left.headers["Set-Cookie"]
        assert (await client.get("/ask")).status_code == 401
        assert (await client.get("/ask", headers={"Cookie": f"docgemma={stolen}"})).status_code == 401


async def test_an_old_sign_in_is_over_and_its_forms_say_so(site: FastAPI, clock: Clock) -> None:
    async with browser(site) as client:
        await sign_in(client, "pru")
        token = token_on(await client.get("/password", headers=HTML))
        clock.advance(13 * 3600)
        assert (await client.get("/ask")).status_code == 401
        answer = await client.post("/things", headers={"X-CSRF-Token": token})
        assert answer.status_code == 401
        assert "nothing was changed" in answer.json()["error"]


async def test_people_change_their_own_password_and_stay_here_alone(site: FastAPI) -> None:
    async with browser(site) as here, browser(site) as there:
        for client in (here, there):
            await sign_in(client, "pru")
        token = token_on(await here.get("/password", headers=HTML))
        for current, new, again, status in (
            (PASSWORD, OTHER, OTHER + "x", 400),
            (PASSWORD, "short", "short", 400),
            ("not the password", OTHER, OTHER, 400),
            (PASSWORD, OTHER, OTHER, 303),
        ):
            form = {"current": current, "new": new, "again": again, "csrf": token}
            assert (await here.post("/password", data=form, headers=HTML)).status_code == status
        assert (await here.get("/ask")).status_code == 200
        assert (await there.get("/ask")).status_code == 401
    async with browser(site) as client:
        assert (await sign_in(client, "pru")).status_code == 401
        assert (await sign_in(client, "pru", OTHER)).status_code == 303


async def test_an_administrator_looks_after_accounts_without_a_script(site: FastAPI) -> None:
    async with browser(site) as ada:
        await sign_in(ada, "ada")
        page = await ada.get("/users", headers=HTML)
        assert all(name in page.text for name in ROLES)
        form = {"csrf": token_on(page)}

        async def send(path: str, **fields: str) -> tuple[int, str]:
            answer = await ada.post(path, data=form | fields, headers=HTML)
            said = re.search(r'class="problem" role="alert">([^<]+)', answer.text)
            return answer.status_code, said[1] if said else ""

        assert await send("/users", name="Nina", role="clinician", password=PASSWORD) == (303, "")
        assert await send("/users/nina/role", role="reviewer") == (303, "")
        assert await send("/users/nina/password", password=OTHER) == (303, "")
        assert await send("/users/nina/disable") == (303, "")
        assert await send("/users/nina/enable") == (303, "")
        status, said = await send("/users", name="nina", role="clinician", password=PASSWORD)
        assert (status, said) == (409, "There is a user nina already.")
        status, said = await send("/users", name="kim", role="clinician", password="short")
        assert status == 400 and said.startswith("A password has at least 12")
        assert (await send("/users/ada/disable"))[0] == 409
        assert (await send("/users/nobody/disable"))[0] == 404
        assert (await send("/users", name="kim", role="god", password=PASSWORD))[0] == 422
    async with browser(site) as nina:
        assert (await sign_in(nina, "nina", OTHER)).status_code == 303
        assert (await nina.get("/ask")).status_code == 403


async def test_programs_get_accounts_as_data_and_never_a_hash(site: FastAPI) -> None:
    token = await accounts_of(site).tokens.issue("ada", "test", 1)
    async with browser(site, Authorization=f"Bearer {token}") as client:
        found = (await client.get("/users")).json()["users"]
        assert {user["name"]: user["role"] for user in found} == ROLES
        assert "argon2" not in str(found) and "password" not in str(found)
        assert (await client.post("/users/pat/disable")).json()["active"] is False


async def test_without_accounts_there_is_nothing_to_sign_in_to(tmp_path: Path) -> None:
    async with small_site(tmp_path, with_accounts=False) as app, browser(app) as client:
        assert (await client.get("/login", headers=HTML)).headers["Location"] == "/"
        assert (await client.get("/password", headers=HTML)).status_code == 303


async def test_the_language_is_chosen_before_and_after_signing_in(site: FastAPI) -> None:
    async with browser(site) as client:
        token = token_on(await client.get("/login", headers=HTML))
        form = {"language": "en", "back": "/login", "csrf": token}
        assert (await client.post("/language", data=form, headers=HTML)).status_code == 303
        await sign_in(client, "pru")
        assert (await client.post("/language", data=form, headers=HTML)).status_code == 403
        lost = await client.get("/nowhere", headers=HTML)
        form["csrf"] = token_on(lost)
        assert (await client.post("/language", data=form, headers=HTML)).status_code == 303
