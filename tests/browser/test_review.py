"""Review by an expert: the least sure first, by keyboard, with a way back from everything."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from docgemma.terminology.contract import Concept
from tests.browser.conftest import Check, Tab
from tests.browser.seeds import ground_into
from tests.support.browser import PHONE
from tests.support.web_server import WebServer
from tests.terminology.concepts import index_of

LUNGS = "Chronic obstructive lung disease"
CONCEPTS = (
    Concept(LUNGS, "Condition", "MeSH", (LUNGS, "COLD"), cui="C9000006"),
    Concept("Lung abscess", "Condition", "MeSH", ("Lung abscess",), cui="C0024110"),
)


@pytest.fixture
def room(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WebServer]:
    home = tmp_path_factory.mktemp("review")
    ground_into(home)
    index_of(home, CONCEPTS).close()
    terms = {"DOCGEMMA_TERMS": "embedded", "DOCGEMMA_TERMS_INDEX": str(home / "terms.sqlite")}
    with WebServer(home, environment=terms) as made:
        yield made


def title(page: Page) -> str:
    return page.locator("#item-title span").first.inner_text()


def exported(page: Page) -> list[dict[str, Any]]:
    lines = page.request.get("/review/export?format=jsonl").text().splitlines()
    return [json.loads(line) for line in lines]


def test_an_expert_decides_by_keyboard_and_takes_it_back(tab: Tab, room: WebServer, accessible: Check) -> None:
    page = tab("/review", room.url)
    assert page.locator(".queue-text").all_inner_texts() == ["consent form", "HF", "COPD", "heart failure", "AFib"]
    accessible(page)
    page.keyboard.press("r")
    expect(page.locator(".done")).to_contain_text("consent form")
    expect(page.locator("#item-title")).to_contain_text("HF")
    expect(page.locator(".sentences mark")).to_have_text("HF")
    expect(page.locator("#item-title")).to_be_focused()
    accessible(page)
    page.keyboard.press("2")
    expect(page.locator(".done")).to_contain_text("C9000003")
    page.keyboard.press("u")
    expect(page.locator("#item-title")).to_contain_text("HF")
    expect(page.locator(".why")).to_contain_text("below the threshold")
    page.keyboard.press("j")
    page.wait_for_url("**/review/items/**")
    seen = title(page)
    page.keyboard.press("k")
    expect(page.locator("#item-title span").first).not_to_have_text(seen)
    page.goto("/review")
    expect(page.locator("#item-title")).to_contain_text("HF")
    page.keyboard.press("a")
    expect(page.locator(".done")).to_contain_text("C9000001")
    last = exported(page)[-1]
    assert (last["text"], last["action"], last["after"]["umls_cui"]) == ("HF", "accept", "C9000001")

    page.keyboard.press("c")
    page.get_by_label("Search the terminology").fill("obstructive lung")
    page.get_by_role("radio", name=LUNGS).check()
    page.get_by_label("Reason (kept with the decision)").fill("The abbreviation is spelled out in the protocol")
    page.get_by_role("button", name="Change to this concept").click()
    expect(page.locator(".done")).to_contain_text(LUNGS)

    page.get_by_text("Accept many at once").click()
    page.get_by_label("Confidence at least").fill("0.6")
    page.get_by_role("button", name="Count them").click()
    expect(page.locator(".bulk-found")).to_contain_text("Items that would be accepted: 2")
    page.get_by_role("button", name="Accept 2 items").click()
    dialog = page.get_by_role("dialog")
    accessible(page)
    dialog.get_by_role("button", name="Cancel").click()
    expect(page.locator(".progress")).to_contain_text("2 waiting")
    page.get_by_role("button", name="Accept 2 items").click()
    dialog.get_by_role("button", name="Yes").click()
    expect(page.locator(".done")).to_contain_text("Accepted together: 2")
    expect(page.locator(".review-pane")).to_contain_text("Nothing waits any more")
    accessible(page)
    page.keyboard.press("u")
    expect(page.locator(".progress")).to_contain_text("2 waiting")
    rows = list(csv.DictReader(io.StringIO(page.request.get("/review/export?format=csv").text())))
    assert len(rows) == len(exported(page))


def test_two_experts_do_not_decide_past_each_other(tab: Tab, room: WebServer, accessible: Check) -> None:
    page = tab("/review?q=COPD", room.url, viewport=PHONE)
    second = page.context.new_page()
    second.goto("/review?q=COPD")
    accessible(page)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.get_by_role("button", name="Accept candidate 1").click()
    expect(page.locator(".done")).to_contain_text("C9000006")
    second.get_by_role("button", name="Accept candidate 1").click()
    expect(second.locator(".candidates ~ [data-error]")).to_contain_text("decided on this item meanwhile")
    assert [each["action"] for each in exported(page)] == ["accept"]
