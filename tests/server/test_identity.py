"""The guard: which requests reach a route, and what every answer carries."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator
from pathlib import Path

import httpx2 as httpx
import pytest
from fastapi import FastAPI
from hypothesis import given
from hypothesis import strategies as st

from docgemma.accounts.users import Accounts
from docgemma.server.identity.bodies import MOST, MOST_IMAGE
from docgemma.server.identity.headers import FIXED
from docgemma.server.identity.paths import safe_path
from tests.accounts.support import PASSWORD
from tests.server.small_site import HOST, HTML, accounts_of, browser, sign_in, small_site, token_on


@pytest.fixture
async def local(tmp_path: Path) -> AsyncIterator[FastAPI]:
    async with small_site(tmp_path, with_accounts=False) as app:
        yield app


@pytest.fixture
async def shared(tmp_path: Path) -> AsyncIterator[FastAPI]:
    async with small_site(tmp_path, with_accounts=True) as app:
        yield app


def csrf(app: FastAPI) -> str:
    found: str = app.state.site.guard.csrf(None)
    return found


async def test_without_accounts_the_person_at_this_machine_asks_and_writes(local: FastAPI) -> None:
    async with browser(local) as client:
        assert (await client.get("/ask")).status_code == 200
        assert (await client.post("/things", content=b"abc", headers={"X-CSRF-Token": csrf(local)})).json() == {
            "size": 3
        }
        refused = await client.get("/users")
        assert refused.status_code == 403
        assert "docgemma users add" in refused.json()["error"]


HOSTS = {
    "another name": "evil.example:8600",
    "a name that ends alike": "127.0.0.1.evil.example:8600",
    "another port": "127.0.0.1:9000",
    "no port": "127.0.0.1",
    "empty": "",
    "userinfo": "localhost:8600@evil.example",
    "zeros": "0.0.0.0:8600",
    "a dot": "localhost.:8600",
}


@pytest.mark.parametrize("case", HOSTS)
async def test_a_name_that_is_not_ours_gets_nothing(local: FastAPI, case: str) -> None:
    async with browser(local) as client:
        for path in ("/ask", "/login", "/static/app.css", "/health", "/nowhere"):
            answer = await client.get(path, headers={"Host": HOSTS[case], **HTML})
            assert answer.status_code == 421, path
            assert "csrf" not in answer.text


@pytest.mark.parametrize("host", ["127.0.0.1:8600", "localhost:8600", "[::1]:8600", "LOCALHOST:8600"])
async def test_our_own_names_are_answered(local: FastAPI, host: str) -> None:
    async with browser(local) as client:
        assert (await client.get("/ask", headers={"Host": host})).status_code == 200


FOREIGN = {
    "another origin": {"Origin": "http://evil.example"},
    "another port": {"Origin": "http://127.0.0.1:9000"},
    "no origin to tell": {"Origin": "null"},
    "an extension": {"Origin": "chrome-extension://127.0.0.1:8600"},
    "cross-site": {"Sec-Fetch-Site": "cross-site"},
    "same-site": {"Sec-Fetch-Site": "same-site"},
    "a form elsewhere": {
        "Sec-Fetch-Site": "cross-site",
        "Sec-Fetch-Mode": "navigate",
        "Sec-Fetch-Dest": "document",
        "Content-Type": "application/x-www-form-urlencoded",
    },
    "broken": {"Origin": "http://[::1"},
}


@pytest.mark.parametrize("case", FOREIGN)
async def test_a_page_elsewhere_changes_nothing_even_with_the_token(local: FastAPI, case: str) -> None:
    async with browser(local) as client:
        answer = await client.post("/things", headers={"X-CSRF-Token": csrf(local), **FOREIGN[case]})
        assert answer.status_code == 403


async def test_a_page_elsewhere_may_link_here_and_embed_nothing(local: FastAPI) -> None:
    elsewhere = {"Sec-Fetch-Site": "cross-site"}
    async with browser(local) as client:
        link = elsewhere | {"Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}
        assert (await client.get("/ask", headers=link)).status_code == 200
        for mode, dest in (("no-cors", "image"), ("navigate", "iframe"), ("cors", "empty"), ("no-cors", "script")):
            embedded = elsewhere | {"Sec-Fetch-Mode": mode, "Sec-Fetch-Dest": dest}
            assert (await client.get("/ask", headers=embedded)).status_code == 403, dest


async def test_our_own_page_is_let_through_however_it_says_so(local: FastAPI) -> None:
    async with browser(local) as client:
        for said in ({}, {"Origin": f"http://{HOST}"}, {"Sec-Fetch-Site": "same-origin"}, {"Sec-Fetch-Site": "none"}):
            answer = await client.post("/things", headers={"X-CSRF-Token": csrf(local), **said})
            assert answer.status_code == 200, said


TOKENS = ["", "x", "0" * 64, "é", "null"]


@pytest.mark.parametrize("given_token", TOKENS, ids=range(len(TOKENS)))
async def test_without_the_token_of_the_page_nothing_is_changed(local: FastAPI, given_token: str) -> None:
    async with browser(local) as client:
        for method in ("POST", "PATCH", "PUT", "DELETE"):
            headers = {"X-CSRF-Token": given_token.encode()}
            assert (await client.request(method, "/things", headers=headers)).status_code == 403, method
        assert (await client.post("/form", data={"csrf": given_token, "word": "x"})).status_code == 403


async def test_a_plain_form_carries_the_token_and_the_route_still_reads_it_whole(local: FastAPI) -> None:
    async with browser(local) as client:
        answer = await client.post("/form", data={"word": "sốt & ho", "csrf": csrf(local)})
        assert answer.json() == {"word": "sốt & ho"}
        refused = await client.post("/form", json={"word": "x", "csrf": csrf(local)})
        assert refused.status_code == 403


async def test_the_token_of_one_sign_in_is_no_good_for_another(shared: FastAPI) -> None:
    async with browser(shared) as pru, browser(shared) as clara:
        await sign_in(pru, "pru")
        await sign_in(clara, "clara")
        hers = token_on(await clara.get("/password", headers=HTML))
        assert (await clara.post("/things", headers={"X-CSRF-Token": hers})).status_code == 200
        assert (await pru.post("/things", headers={"X-CSRF-Token": hers})).status_code == 403


async def test_the_sign_in_form_of_another_browser_is_refused(shared: FastAPI) -> None:
    """Or a page could sign somebody in to an account whose owner reads along."""
    async with browser(shared) as mine, browser(shared) as other:
        token = token_on(await mine.get("/login", headers=HTML))
        form = {"name": "pru", "password": PASSWORD, "csrf": token}
        assert (await other.post("/login", data=form)).status_code == 403
        await other.get("/login", headers=HTML)
        assert (await other.post("/login", data=form)).status_code == 403
        assert (await mine.post("/login", data=form)).status_code == 303


async def test_every_answer_carries_the_headers(shared: FastAPI, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    async with browser(shared) as client:
        await sign_in(client, "pru")
        answers = [
            await client.get("/ask"),
            await client.get("/login", headers=HTML),
            await client.get("/nowhere"),
            await client.get("/nowhere", headers=HTML),
            await client.get("/users"),
            await client.post("/things"),
            await client.get("/bug"),
            await client.get("/bug", headers=HTML),
            await client.get("/health"),
            await client.get("/static/app.css"),
            await client.get("/ask", headers={"Host": "evil.example"}),
            await client.post("/things", content=b"x" * (MOST + 1)),
        ]
    assert [each.status_code for each in answers] == [200, 303, 404, 404, 403, 403, 500, 500, 200, 200, 421, 413]
    for answer in answers:
        for name, value in FIXED:
            assert answer.headers.get_list(name) == [value], (answer.url, name)
        kept = answer.url.path.startswith("/static")
        assert answer.headers["Cache-Control"] == ("no-cache" if kept else "no-store")
        assert "Garcia" not in answer.text
    assert "Garcia" not in caplog.text


async def test_a_static_file_under_its_hash_is_kept_and_nothing_else(local: FastAPI) -> None:
    async with browser(local) as client:
        assert "immutable" in (await client.get("/static/app.css?v=0123")).headers["Cache-Control"]
        assert (await client.get("/static/missing.css?v=0123")).headers["Cache-Control"] == "no-store"
        assert (await client.get("/ask?v=0123")).headers["Cache-Control"] == "no-store"


async def _pieces(size: int) -> AsyncIterator[bytes]:
    for start in range(0, size, 100_000):
        yield b"x" * min(100_000, size - start)


@pytest.mark.parametrize(("path", "most"), [("/things", MOST), ("/images", MOST_IMAGE)])
async def test_a_body_is_taken_up_to_its_limit_whether_or_not_its_length_is_told(
    local: FastAPI, path: str, most: int
) -> None:
    async with browser(local, **{"X-CSRF-Token": csrf(local)}) as client:
        assert (await client.post(path, content=b"x" * most)).json() == {"size": most}
        assert (await client.post(path, content=_pieces(most))).json() == {"size": most}
        assert (await client.post(path, content=b"x" * (most + 1))).status_code == 413
        assert (await client.post(path, content=_pieces(most + 1))).status_code == 413


async def test_a_form_without_an_end_is_refused_before_it_is_read(local: FastAPI) -> None:
    headers = {"Content-Type": "application/x-www-form-urlencoded"}
    async with browser(local) as client:
        assert (await client.post("/form", content=_pieces(MOST + 1), headers=headers)).status_code == 413
        with_token = headers | {"X-CSRF-Token": csrf(local)}
        assert (await client.post("/form", content=_pieces(MOST + 1), headers=with_token)).status_code == 413


async def test_the_first_account_closes_a_server_that_is_running(local: FastAPI) -> None:
    async with browser(local) as client:
        assert (await client.get("/ask")).status_code == 200
        await accounts_of(local).add("pru", "prescriber", PASSWORD)
        assert (await client.get("/ask")).status_code == 401
        assert (await client.post("/things", headers={"X-CSRF-Token": csrf(local)})).status_code == 401
        assert (await sign_in(client, "pru")).status_code == 303
        assert (await client.get("/ask")).status_code == 200


async def test_a_server_for_others_lets_nobody_in_while_it_has_no_accounts(tmp_path: Path) -> None:
    async with small_site(tmp_path, with_accounts=False, local=False) as app, browser(app) as client:
        assert (await client.get("/ask")).status_code == 401


async def _token(app: FastAPI, name: str) -> str:
    accounts: Accounts = accounts_of(app)
    return await accounts.tokens.issue(name, "test", 1)


async def test_a_program_with_a_token_needs_no_form(shared: FastAPI) -> None:
    async with browser(shared, Authorization=f"Bearer {await _token(shared, 'clara')}") as client:
        assert (await client.get("/ask")).status_code == 200
        assert (await client.post("/things", content=b"ab")).json() == {"size": 2}
        assert (await client.get("/users")).status_code == 403
        await accounts_of(shared).disable("clara")
        assert (await client.get("/ask")).status_code == 401


async def test_a_bad_token_is_not_made_good_by_a_cookie_or_by_sitting_here(shared: FastAPI, tmp_path: Path) -> None:
    async with browser(shared) as client:
        await sign_in(client, "pru")
        bad = {"Authorization": "Bearer dg_" + "x" * 43}
        assert (await client.get("/ask", headers=bad)).status_code == 401
    (tmp_path / "local").mkdir()
    async with small_site(tmp_path / "local", with_accounts=False) as app, browser(app) as client:
        assert (await client.get("/ask", headers=bad)).status_code == 401


async def test_a_link_from_elsewhere_finds_its_way_back_to_who_is_signed_in(shared: FastAPI) -> None:
    """A strict cookie is kept back on the way in: the same address is asked for once more, by a page of ours."""
    link = HTML | {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}
    async with browser(shared) as client:
        answer = await client.get("/ask?a=1&b=2", headers=link)
        assert answer.status_code == 200
        assert 'content="0; url=/ask?a=1&amp;b=2"' in answer.text
        assert "evil" not in (await client.get(f"http://{HOST}//evil.example/x", headers=link)).text
        again = await client.get("/ask", headers=HTML | {"Sec-Fetch-Site": "same-origin"})
        assert again.status_code == 303


OUTSIDE = [
    "", "x", "//evil.example", "/\\evil.example", "\\\\evil.example", "https://evil.example", "javascript:alert(1)",
    "/\t/evil.example", "/ /evil.example", "/a\r\nSet-Cookie: x", "/login", "/login?next=/login", "/é", "http:/ask",
    "/" + "x" * 3000, "/a\\..\\b", "///evil.example", "ask", "?next=/", "#x", "/\x00",
]  # fmt: skip


@pytest.mark.parametrize("text", OUTSIDE, ids=range(len(OUTSIDE)))
def test_nobody_is_sent_elsewhere(text: str) -> None:
    assert safe_path(text) == "/"


@pytest.mark.parametrize("text", ["/", "/ask", "/sessions/k3v9?x=1&y=%20", "/review?q=a%2Fb#item-3", "/a//b", "/a:b"])
def test_pages_of_ours_are_kept(text: str) -> None:
    assert safe_path(text) == text


@given(st.text(alphabet="/\\:?#@.ehtps \t\r\n%\x00é", max_size=12))
def test_whatever_is_kept_stays_on_this_server(text: str) -> None:
    kept = httpx.URL("http://ours.example/x").join(safe_path(text))
    assert (kept.scheme, kept.host) == ("http", "ours.example")
