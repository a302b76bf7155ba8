"""Every route × everybody: who is let in, and whose requests change something.

A route that `ROUTES` does not know fails here: somebody has to say whom it is for.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Iterator
from typing import Any

import httpx2 as httpx
from starlette.routing import Mount

from docgemma.accounts.model import ALLOWED, Identity
from docgemma.config import Settings
from docgemma.server.identity.headers import FIXED
from docgemma.server.serving import Plan, application, open_site
from tests.server.people import HTML, MOUNTED, PEOPLE, ROUTES, Door, Ward, filled

UNSAFE = [route for route in ROUTES if not route.startswith("GET ")]


def served(routes: Iterable[Any]) -> Iterator[str]:
    for route in routes:
        if hasattr(route, "original_router"):
            yield from served(route.original_router.routes)
        elif not isinstance(route, Mount):
            yield from (f"{method} {route.path}" for method in sorted(route.methods - {"HEAD"}))


def test_somebody_has_said_of_every_route_whom_it_is_for(settings: Settings) -> None:
    app = application(settings, Plan(operator="nina"))
    found = set(served(app.routes))
    assert not found - ROUTES.keys(), "say in tests/server/people.py whom these routes are for"
    assert not ROUTES.keys() - found, "these routes are gone"
    assert {route.path for route in app.routes if isinstance(route, Mount)} == MOUNTED


def _expected(door: Door, who: str | None) -> str:
    if door == "public":
        return "in"
    if who is None:
        return "sign in"
    return "in" if door == "signed in" or door in ALLOWED[PEOPLE[who]] else "forbidden"


def _got(answer: httpx.Response) -> str:
    return {401: "sign in", 403: "forbidden"}.get(answer.status_code, "in" if answer.status_code < 500 else "broken")


async def _everybody(ward: Ward) -> AsyncIterator[tuple[str, str | None, dict[str, str]]]:
    """What each of them is called, who they are if that is known, and what they send along."""
    yield "nobody", None, {}
    yield "a browser on the sign-in page", None, await ward.stranger()
    yield "a sign-in that is over", None, await ward.expired("pru")
    yield "a token that never was", None, {"Authorization": "Bearer dg_" + "x" * 43}
    for name in PEOPLE:
        yield f"{name} in a browser", name, await ward.browser(name)
        yield f"a program of {name}", name, await ward.program(name)


def _expected_of(route: str, label: str, name: str | None) -> str:
    door = ROUTES[route]
    if label == "a token that never was" and route not in ("GET /health", "GET /ready"):
        return "sign in"  # whoever shows one is told, also where nobody is asked
    if door == "public" and not route.startswith("GET ") and label in ("nobody", "a sign-in that is over"):
        return "forbidden"  # without the page that the form stands on
    return _expected(door, name)


async def test_every_route_lets_in_whom_it_is_for_and_nobody_else(ward: Ward) -> None:
    wrong = []
    last = sorted(ROUTES, key=lambda route: route == "POST /logout")  # it ends the sign-in
    async for label, name, headers in _everybody(ward):
        for route in last:
            method, path = filled(route)
            body = {"json": {"role": "no_such_role"}} if route == "POST /runs" else {}
            async with ward.client() as client:
                answer = await client.request(method, path, headers=headers, **body)
            expected = _expected_of(route, label, name)
            if _got(answer) != expected:
                wrong.append(f"{label}, {route}: {answer.status_code}, not {expected}: {answer.text[:120]}")
            missing = [header for header, value in FIXED if answer.headers.get(header) != value]
            if missing or answer.headers["Cache-Control"] != "no-store":
                wrong.append(f"{route} answers without {missing or 'Cache-Control'}")
    assert not wrong, "\n".join(wrong)


async def test_a_person_who_is_not_signed_in_is_led_to_the_sign_in_page_and_back(ward: Ward) -> None:
    for route, door in ROUTES.items():
        method, path = filled(route)
        if method != "GET" or door == "public":
            continue
        async with ward.client() as client:
            answer = await client.get(path, headers=HTML)
            assert answer.status_code == 303, route
            assert answer.headers["Location"] == ("/login" if path == "/" else f"/login?next={path}"), route


FORGED: dict[str, dict[str, str | None]] = {
    "another host": {"Host": "evil.example"},
    "another port": {"Host": "127.0.0.1:9000"},
    "another origin": {"Origin": "http://evil.example"},
    "an origin that is not told": {"Origin": "null"},
    "a page of another site": {"Sec-Fetch-Site": "cross-site"},
    "a page of another port": {"Sec-Fetch-Site": "same-site"},
    "no token": {"X-CSRF-Token": None},
    "a made-up token": {"X-CSRF-Token": "0" * 64},
    "the token of somebody else": {"X-CSRF-Token": "theirs"},
}


async def test_no_forged_request_reaches_a_route_that_changes_something(ward: Ward) -> None:
    """Not even for a person who may do everything that the route is for."""
    people = {door: await ward.browser(name) for door, name in (("users", "ada"), ("", "pru"))}
    theirs = (await ward.browser("paul"))["X-CSRF-Token"]
    wrong = await _forge(ward, people, theirs)
    assert not wrong, "\n".join(wrong)


async def test_nor_does_one_where_there_are_no_accounts(settings: Settings) -> None:
    app = application(settings, Plan(operator="nina"))
    async with open_site(settings, Plan(operator="nina")) as site:
        app.state.site = site
        mine = {"X-CSRF-Token": site.guard.csrf(Identity.at_this_machine("nina", prescriber=True))}
        someone = Identity(name="x", role="admin", via="login", login_id="y")
        wrong = await _forge(Ward(app, site), {"": mine}, site.guard.csrf(someone))
    assert not wrong, "\n".join(wrong)


async def _forge(ward: Ward, people: dict[str, dict[str, str]], theirs: str) -> list[str]:
    wrong = []
    for route in UNSAFE:
        method, path = filled(route)
        honest = people.get(ROUTES[route]) or people[""]
        for case, change in FORGED.items():
            headers = {**honest, **{name: value for name, value in change.items() if value is not None}}
            headers = {name: value for name, value in headers.items() if change.get(name, "") is not None}
            if case == "the token of somebody else":
                headers["X-CSRF-Token"] = theirs
            async with ward.client() as client:
                answer = await client.request(method, path, headers=headers)
            expected = 421 if "Host" in change else 403
            if answer.status_code != expected:
                wrong.append(f"{route} with {case}: {answer.status_code}")
    return wrong
