"""Wide and narrow, light and dark, on paper: everything is there, readable and within reach."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Check, Tab
from tests.browser.steps import ask, prepare
from tests.support.browser import PHONE

PAGES = ("/ask", "/ask?patient=bcd-890", "/sessions", "/consult", "/consult?role=patient_dental", "/review", "/nowhere")
SMALL = {"width": 360, "height": 640}


def fits(page: Page) -> None:
    """Nothing makes the page itself scroll sideways."""
    wide = page.evaluate(
        "() => document.documentElement.scrollWidth <= innerWidth ? [] : [...document.querySelectorAll('body *')]"
        ".filter((each) => each.getBoundingClientRect().right > innerWidth + 1)"
        ".map((each) => `${each.tagName}.${each.className}`).slice(0, 8)"
    )
    assert not wide, f"{page.url} scrolls sideways: {wide}"


def reachable(page: Page) -> None:
    """Buttons and fields are large enough for a thumb."""
    small = page.evaluate(
        "() => [...document.querySelectorAll('button, select, input:not([type=checkbox], [type=radio], [type=hidden],"
        " [type=file]), textarea, a.button')].filter((each) => each.checkVisibility())"
        ".filter((each) => each.getBoundingClientRect().height < 43.5)"
        ".map((each) => `${each.tagName}.${each.className}: ${each.textContent.trim().slice(0, 30)}`)"
    )
    assert not small, f"{page.url}: {small}"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_page_is_accessible(tab: Tab, accessible: Check, scheme: str) -> None:
    page = tab("/ask", color_scheme=scheme)
    for path in PAGES:
        page.goto(path)
        accessible(page)
        reachable(page)
    page.set_viewport_size(PHONE)  # type: ignore[arg-type]
    for path in PAGES:
        page.goto(path)
        fits(page)
        accessible(page)
        reachable(page)


def test_a_phone_shows_patient_answer_and_card(tab: Tab, accessible: Check) -> None:
    page = tab("/ask", viewport=PHONE, has_touch=True)
    ask(page, "Can I give sildenafil with isosorbide mononitrate?")
    fits(page)
    card = prepare(page, "nop-864", "Prescribe amlodipine 5 mg once daily")
    accessible(page)
    page.set_viewport_size(SMALL)  # type: ignore[arg-type]
    fits(page)
    reachable(page)
    page.evaluate("scrollTo(0, document.body.scrollHeight)")
    expect(page.locator(".patient-name")).to_be_in_viewport()
    expect(page.locator("#banner")).to_contain_text("1976-09-09")
    page.get_by_role("button", name="Conversations").click()
    expect(page.locator("#drawer")).to_be_visible()
    accessible(page)
    page.keyboard.press("Escape")
    expect(page.locator("#drawer")).to_be_hidden()
    expect(card.get_by_role("button", name="Approve")).to_be_visible()


def test_dark_shows_card_and_answer_with_contrast(tab: Tab, accessible: Check) -> None:
    page = tab("/ask", color_scheme="dark")
    ask(page, "Can I give sildenafil with isosorbide mononitrate?")
    page.locator(".source-list summary").first.click()
    accessible(page)
    card = prepare(page, "fgh-987", "Prescribe amlodipine 5 mg once daily")
    accessible(page)
    card.get_by_role("button", name="Reject").click()
    expect(card).to_contain_text("Rejected by")
    accessible(page)
    assert page.evaluate("getComputedStyle(document.body).colorScheme").startswith(("light dark", "dark"))


def test_paper_has_the_conversation_and_no_forms(tab: Tab) -> None:
    page = tab("/ask")
    turn = ask(page, "Check FDA warnings for dofetilide")
    page.emulate_media(media="print")
    for gone in ("#composer", "header.top nav", ".drawer", "footer.turn-foot a"):
        expect(page.locator(gone).first).to_be_hidden()
    expect(turn.locator(".asked-text")).to_be_visible()
    expect(turn.locator(".notice").first).to_be_visible()
    expect(turn.locator(".source-list")).to_be_visible()


def test_the_page_works_with_no_script_at_all(tab: Tab) -> None:
    """Asking, reading and deciding are plain forms underneath."""
    page = tab("/ask?patient=vwx-234", java_script_enabled=False)
    page.locator("#ask-text").fill("Save a progress note: sleeps well.")
    page.get_by_role("button", name="Send").click()
    expect(page.locator("article.turn")).to_be_visible()  # a reload in the middle of the form's own navigation fails
    for _ in range(100):
        page.reload()
        if page.locator("section.card").count():
            break
        page.wait_for_timeout(200)
    page.locator("section.card").get_by_role("button", name="Approve").click()
    expect(page.locator("section.card")).to_contain_text("Approved by")
