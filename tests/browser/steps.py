"""What a person does on the Ask page, in words."""

from __future__ import annotations

from playwright.sync_api import Locator, Page, expect


def ask(page: Page, text: str) -> Locator:
    """Type a question, send it with Enter and wait for the whole answer."""
    turns = page.locator("#turns > article")
    before = turns.count()
    page.get_by_role("textbox", name="Ask a clinical question").fill(text)
    page.keyboard.press("Enter")
    return answer(page, before)


def press(page: Page, button: Locator) -> Locator:
    """A button that asks something: a choice, a suggestion."""
    before = page.locator("#turns > article").count()
    button.click()
    return answer(page, before)


def answer(page: Page, before: int) -> Locator:
    """The turn after the first `before` ones, once it is whole."""
    turn = page.locator("#turns > article").nth(before)
    expect(turn).to_be_visible()
    expect(page.locator("#turns > article.running")).to_have_count(0)
    return turn


def prepare(page: Page, patient: str, text: str) -> Locator:
    """A new conversation about this patient, and in it a chart entry that waits for approval."""
    page.goto(f"/ask?patient={patient}")
    card = ask(page, text).locator("section.card")
    expect(card.get_by_text("Nothing is written until you approve.")).to_be_visible()
    return card


def name_of(card: Locator) -> str:
    """The order's number."""
    return (card.get_attribute("id") or "").removeprefix("card-")


def state(card: Locator) -> str:
    """As the ledger has it, whatever the page says."""
    told = card.page.request.get(f"/orders/{name_of(card)}").json()
    return str(told["state"])


def in_chart(page: Page, patient: str, words: str) -> int:
    """How many entries of the chart's lists have these words, read anew and without the page."""
    told = page.request.get(f"/patients/{patient}/panel").json()
    lines = [line["text"] for part in ("allergies", "problems", "medications") for line in told[part]["lines"]]
    return sum(words.casefold() in line.casefold() for line in lines)


def decide(card: Locator, *, reason: str = "") -> None:
    """Approve the card that a person has read: reason and tick where it asks for them."""
    if reason:
        card.get_by_label("Reason for going against the stop").fill(reason)
    tick = card.get_by_role("checkbox")
    if tick.count():
        tick.check()
    card.get_by_role("button", name="pprove").click()
