"""Signing in and out, and what each role gets to see."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Check, Tab
from tests.support.browser import PHONE
from tests.support.web_server import WebServer

PASSWORD = "four plain words here"
ROLES = {"pru": "prescriber", "rose": "reviewer", "pat": "patient", "ada": "admin"}


@pytest.fixture(scope="module")
def clinic(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WebServer]:
    made = WebServer(tmp_path_factory.mktemp("clinic"))
    made.docgemma("users", "add", "ada", "--role", "admin", "--password-stdin", text=PASSWORD)
    with made:
        yield made


def sign_in(page: Page, name: str, password: str = PASSWORD) -> None:
    expect(page.get_by_role("button", name="Sign in")).to_be_visible()
    page.get_by_label("Name").fill(name)
    page.get_by_label("Password").fill(password)
    page.get_by_role("button", name="Sign in").click()


def places(page: Page) -> list[str]:
    return page.locator("nav.nav a").all_inner_texts()


def test_everybody_signs_in_and_sees_their_own_pages(tab: Tab, clinic: WebServer, accessible: Check) -> None:
    page = tab("/ask", clinic.url)
    assert page.url.endswith("/login?next=/ask") or page.url.endswith("/login?next=%2Fask"), page.url
    accessible(page)
    sign_in(page, "ada", "not the password at all")
    expect(page.get_by_role("alert")).to_have_text("Name or password is not right.")
    accessible(page)
    sign_in(page, "ada")
    page.wait_for_url("**/ask")
    page.goto("/users")
    accessible(page)
    for name, role in ROLES.items():
        if name != "ada":
            page.locator("#user-name").fill(name)
            page.locator("#user-role").select_option(role)
            page.locator("#user-password").fill(PASSWORD)
            page.get_by_role("button", name="Add the user").click()
            expect(page.locator("table.users")).to_contain_text(name)
    accessible(page)
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_role("button", name="Sign in")).to_be_visible()
    page.go_back()
    page.reload()
    expect(page.get_by_role("button", name="Sign in")).to_be_visible()

    page.goto("/login?next=https://elsewhere.example/")
    sign_in(page, "pru")
    page.wait_for_url("**/ask")
    assert places(page) == ["Ask", "Consult", "Review"]
    page.get_by_role("button", name="Sign out").click()
    sign_in(page, "rose")
    expect(page.locator("nav.nav")).to_be_visible()
    assert places(page) == ["Consult", "Review"]


def test_a_patient_sees_consult_and_nothing_else(tab: Tab, clinic: WebServer, accessible: Check) -> None:
    page = tab("/login", clinic.url, viewport=PHONE)
    sign_in(page, "pat")
    page.wait_for_url("**/consult")
    assert places(page) == ["Consult"]
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    expect(page.locator(".warning")).to_contain_text("emergency")
    accessible(page)
    for path in ("/ask", "/review", "/users", "/patients?q=garcia", "/sessions"):
        assert page.goto(path).status == 403, path  # type: ignore[union-attr]
    accessible(page)
