"""Consult in both languages, and the switch between them."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from docgemma.server.pages.language import Lang, translator
from tests.browser.conftest import Check, Tab
from tests.browser.steps import answer


@pytest.mark.parametrize("lang", ["en", "vi"])
def test_an_example_is_answered_in_the_language_of_the_page(tab: Tab, accessible: Check, lang: Lang) -> None:
    page = tab("/consult", locale={"en": "en-GB", "vi": "vi-VN"}[lang])
    expect(page.locator("html")).to_have_attribute("lang", lang)
    words = translator(lang)
    expect(page.locator("h1")).to_have_text(words("Ask the knowledge base"))
    expect(page.locator(".note").first).to_contain_text(words("Not reviewed by a clinician."))
    expect(page.locator("#banner")).to_have_count(0)
    accessible(page)
    example = page.locator("#empty button[data-say]").first
    question = example.inner_text()
    example.click()
    turn = answer(page, 0)
    expect(turn.locator(".asked-text")).to_have_text(question)
    expect(turn.locator(".answer")).to_have_attribute("lang", lang)
    expect(turn.locator(".source-list li").first).to_be_visible()
    accessible(page)
    assert "/consult/" in page.url
    page.reload()
    expect(page.locator(".asked-text")).to_have_text(question)


def test_the_language_is_kept_and_numbers_are_not_translated(tab: Tab) -> None:
    page = tab("/consult", locale="en-GB")
    page.get_by_role("button", name="Tiếng Việt").click()
    expect(page.locator("html")).to_have_attribute("lang", "vi")
    page.goto("/ask?patient=abc-123")
    expect(page.locator("html")).to_have_attribute("lang", "vi")
    expect(page.locator("#banner")).to_contain_text("1958-04-12")
    expect(page.locator("#panel")).to_contain_text("Potassium")
    labs = page.locator("#panel .trend-value strong").all_inner_texts()
    page.get_by_role("button", name="English").click()
    expect(page.locator("html")).to_have_attribute("lang", "en")
    page.goto("/ask?patient=abc-123")
    assert page.locator("#panel .trend-value strong").all_inner_texts() == labs
