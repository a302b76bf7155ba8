"""The report in a browser, from the disk: no request but the file, nothing in the console, readable everywhere.

The browser lives in this file alone: Playwright keeps an event loop that asynchronous tests would trip over.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page

from docgemma.evals.suite import CaseRecord, Difference
from tests.evals.html.seeded import asked, counted, drawn, record, turn
from tests.support.browser import PHONE, WIDE, launched

pytestmark = pytest.mark.browser

HOSTILE = "<script>document.title='obeyed'</script><img src=x onerror=\"document.title='obeyed'\"> W" + "W" * 300
A4 = {"width": 703, "height": 1032}
"""A sheet within margins of 12 mm, in pixels of paper."""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with launched() as made:
        yield made


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Everything that a page can hold: all capabilities measured, alarms, long words, several variants."""
    told = (Difference(column="intent", expected=HOSTILE, got=HOSTILE),)
    records: list[CaseRecord] = [
        *counted("turns", 3, 0),
        record("turns", 90, say=HOSTILE, differences=told, alarms=(HOSTILE,), record=turn(9, HOSTILE), asked=asked()),
        *counted("turns", 2, 1, variant="triage"),
        *counted("nodes", 2, 1, variant="plan_full", kind="plan"),
        *(one for kind in ("intent", "selection", "result", "retry") for one in counted("nodes", 2, 1, kind=kind)),
        *counted("nodes", 3, 0, kind="arguments", rule_instead=True),
        *counted("answers", 2, 1, variant="raw", alarms=("a dose nobody gave",)),
        *counted("safety", 2, 1, alarms=("an unasked write",)),
        *counted("consult", 20, 1),
        *counted("grounding", 2, 1),
    ]
    path = tmp_path_factory.mktemp("report") / "report.html"
    path.write_text(drawn(records), "utf-8")
    return path.as_uri()


@pytest.fixture
def opened(browser: Browser, report: str) -> Iterator[Page]:
    """Offline, and whatever the page asks for or complains about is a failure."""
    context = browser.new_context(offline=True, viewport=WIDE)  # type: ignore[arg-type]
    met: list[str] = []
    context.on("request", lambda one: None if one.url == report else met.append(one.url))
    context.on("console", lambda message: met.append(message.text))
    context.on("weberror", lambda error: met.append(str(error.error)))
    page = context.new_page()
    page.goto(report)
    yield page
    context.close()
    assert not met, met


def unfolded(page: Page) -> None:
    """One of each sort of thing that can be opened: all of them would keep the check of the page busy for long."""
    page.evaluate(
        "() => { for (const each of document.querySelectorAll('#turns details:not(.case, .cases), #turns .cases,"
        " #turns .case:first-of-type')) each.open = true; }"
    )


def wrong(page: Page, *rules: str) -> list[object]:
    """In the card and one suite; the other suites are made of the same parts."""
    parts = {"include": [["#card"], ["#turns"], [".top"]]}
    found = Axe().run(page, parts, {"runOnly": list(rules)} if rules else None).response["violations"]
    return [(each["id"], [node["target"] for node in each["nodes"]][:4]) for each in found]


def test_it_is_readable_in_light_and_dark_and_on_a_phone(opened: Page) -> None:
    unfolded(opened)
    assert opened.title() == "Evaluation: a-small-model"
    assert opened.evaluate("() => getComputedStyle(document.querySelector('.card')).borderTopWidth") == "1px"
    assert not wrong(opened)
    opened.emulate_media(color_scheme="dark")
    assert opened.evaluate("() => getComputedStyle(document.body).backgroundColor") == "rgb(14, 22, 27)"
    assert not wrong(opened, "color-contrast")
    opened.set_viewport_size(PHONE)  # type: ignore[arg-type]
    assert opened.evaluate("() => document.documentElement.scrollWidth <= innerWidth")


def test_a_mark_leads_to_its_miss(opened: Page) -> None:
    opened.locator("#turns details.cases > summary").first.click()
    opened.locator("#turns .mark a").first.click()
    case = opened.locator("details.case:target")
    assert case.is_visible()
    case.locator("summary").first.click()
    assert case.locator(".differences").is_visible()


def test_the_card_is_one_sheet_of_paper(opened: Page) -> None:
    opened.set_viewport_size(A4)  # type: ignore[arg-type]
    opened.emulate_media(media="print")
    box = opened.locator(".card").bounding_box()
    assert box is not None
    assert box["height"] < A4["height"]
    assert opened.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
    assert not opened.locator(".misses").first.is_visible()
