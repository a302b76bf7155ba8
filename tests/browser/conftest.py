"""One browser and one server for all tests of a worker; each test has a profile of its own.

Playwright keeps an event loop running in this thread, which asynchronous tests of other folders would trip over. So
the browser lives no longer than the tests of this folder that follow one another.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page

from tests.support.browser import launched, watched
from tests.support.web_server import WebServer

Tab = Callable[..., Page]
Check = Callable[[Page], None]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if "/browser/" in item.path.as_posix():
            item.add_marker(pytest.mark.browser)


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    with launched() as made:
        yield made


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WebServer]:
    """On this machine without accounts, rules, demonstration patients. Nobody kills this one."""
    with WebServer(tmp_path_factory.mktemp("home")) as made:
        yield made


@pytest.fixture
def tab(browser: Browser, request: pytest.FixtureRequest) -> Iterator[Tab]:
    """Opens a tab with a profile of its own: `tab("/ask")`, `tab("/ask", viewport=PHONE, locale="vi-VN")`."""
    with ExitStack() as stack:

        def open_(path: str = "/", url: str = "", **options: object) -> Page:
            address = url or request.getfixturevalue("server").url
            page = stack.enter_context(watched(browser, address, **options))
            page.goto(path)
            return page

        yield open_


@pytest.fixture(scope="session")
def accessible() -> Check:
    """axe finds nothing wrong with the page as it stands."""
    axe = Axe()

    def check(page: Page) -> None:
        found = axe.run(page)
        wrong = [
            f"{each['id']} ({each['impact']}): {each['help']}: {[node['target'] for node in each['nodes']][:4]}"
            for each in found.response["violations"]
        ]
        assert not wrong, f"{page.url}: {wrong}"

    return check
