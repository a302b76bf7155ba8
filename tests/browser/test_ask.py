"""Asking, answering back, and deciding about a card: by mouse, and by keyboard alone."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from tests.browser.conftest import Check, Tab
from tests.browser.steps import answer, ask, decide, in_chart, prepare, press, state

INTERACTION = "Can I give sildenafil with isosorbide mononitrate?"


def test_an_answer_comes_with_warning_sources_and_steps(tab: Tab, accessible: Check) -> None:
    page = tab("/ask")
    turn = ask(page, INTERACTION)
    assert page.url.rpartition("/")[0].endswith("/sessions"), "a reload would lose the conversation"
    expect(turn.locator(".notice").first).to_be_visible()
    source = turn.locator(".source-list details").first
    expect(source.locator("blockquote")).to_be_hidden()
    source.locator("summary").click()
    expect(source.locator("blockquote")).to_be_visible()
    turn.get_by_text("How this was answered").click()
    expect(turn.locator(".trace .steps li").first).to_be_visible()
    turn.get_by_role("button", name="Show the path on the graph").click()
    expect(turn.locator("svg.path")).to_be_visible()
    expect(page.locator("#announce")).not_to_be_empty()
    accessible(page)
    page.reload()
    expect(page.locator("#turns > article")).to_have_count(1)
    expect(page.locator("#turns .asked-text")).to_have_text(INTERACTION)


def test_steps_are_shown_while_it_works(tab: Tab) -> None:
    page = tab("/ask")
    page.evaluate(
        """() => { window.seen = [];
        new MutationObserver((all) => { for (const each of all) for (const node of each.addedNodes)
            if (node.matches?.('.running [data-steps] li')) window.seen.push(node.textContent); })
        .observe(document.getElementById('turns'), {childList: true, subtree: true}); }"""
    )
    turn = ask(page, "Check FDA warnings for dofetilide")
    turn.get_by_text("How this was answered").click()
    final = turn.locator(".trace .steps .step-label").all_inner_texts()
    seen = page.evaluate("window.seen")
    assert len(seen) >= 2, "no step was shown before the answer"
    assert len(seen) <= len(final)


def test_a_question_back_is_answered_by_its_button_once(tab: Tab) -> None:
    page = tab("/ask")
    first = ask(page, "What meds is James Wilson on?")
    options = first.locator(".options.live button")
    expect(options).to_have_count(3)
    turn = press(page, options.filter(has_text="1979-02-09"))
    expect(turn).to_contain_text("James Wilson Jr.")
    expect(page.locator(".patient-name")).to_have_text("James Wilson Jr.")
    expect(first.locator(".options.live button:visible")).to_have_count(0)


def test_a_card_is_approved_with_what_was_not_checked_seen(tab: Tab, accessible: Check) -> None:
    page = tab("/ask")
    card = prepare(page, "abc-123", "Prescribe amlodipine 5 mg once daily")
    expect(card.locator("h3")).to_be_focused()
    expect(card.locator(".checks")).to_contain_text("NOT CHECKED")
    accessible(page)
    card.get_by_role("button", name="Approve").click()
    expect(card.get_by_role("button", name="Approve")).to_be_visible()  # the tick is missing: nothing was sent
    assert (state(card), in_chart(page, "abc-123", "amlodipine")) == ("proposed", 0)
    decide(card)
    expect(card).to_contain_text("Approved by")
    expect(card.get_by_role("button", name="Approve")).to_have_count(0)
    accessible(page)
    assert state(card) == "written"
    assert in_chart(page, "abc-123", "amlodipine") == 1
    page.reload()
    expect(card).to_contain_text("Approved by")
    expect(page.locator("#panel")).to_contain_text("amlodipine")
    card.get_by_text("Undo: mark as entered in error").click()
    card.get_by_label("Why was it entered in error?").fill("Wrong patient was on the screen.")
    card.get_by_role("button", name="Undo this entry").click()
    expect(card).to_contain_text("Undone by")


def test_a_typed_yes_approves_nothing_and_reject_ends_the_card(tab: Tab) -> None:
    page = tab("/ask")
    card = prepare(page, "efg-654", "Save a progress note: seen today, sleeps well, no pain.")
    ask(page, "yes")
    ask(page, "I approve, go ahead")
    assert state(card) in ("proposed", "withdrawn")
    card = prepare(page, "efg-654", "Save a progress note: seen again, walks well.")
    card.get_by_label("Reason for rejecting").fill("Entered in the other system")
    card.get_by_role("button", name="Reject").click()
    expect(card).to_contain_text("Rejected by")
    expect(card).to_contain_text("Entered in the other system")
    assert state(card) == "rejected"


def test_a_stop_is_overridden_by_a_typed_reason_alone(tab: Tab, accessible: Check) -> None:
    page = tab("/ask")
    card = prepare(page, "jkl-012", "Prescribe amoxicillin 500 mg three times daily by mouth")
    first = card.locator(".checks li").first
    expect(first).to_contain_text("STOP")
    expect(first).to_contain_text("Anaphylaxis")
    accessible(page)
    expect(card.get_by_role("button", name="Approve", exact=True)).to_have_count(0)
    decide(card, reason="because")  # too short: the field says so and nothing is sent
    expect(card.get_by_role("button", name="Override and approve")).to_be_visible()
    assert state(card) == "proposed"
    reason = "Desensitised in 2024, allergology letter seen"
    decide(card, reason=reason)
    expect(card).to_contain_text("Approved by")
    expect(card.locator(".override")).to_contain_text(reason)
    assert state(card) == "written"


def test_everything_works_by_keyboard_alone(tab: Tab, accessible: Check) -> None:
    page = tab("/ask")
    page.keyboard.press("Tab")
    expect(page.locator("a.skip")).to_be_focused()
    to(page, "#ask-text")
    page.keyboard.type("Save a progress note for James Wilson: walks without help.")
    page.keyboard.press("Enter")
    first = answer(page, 0)
    to(page, f"#{first.get_attribute('id')} .options.live li:nth-child(3) button")
    page.keyboard.press("Enter")
    card = answer(page, 1).locator("section.card")
    expect(card.locator("h3")).to_be_focused()
    accessible(page)
    to(page, f"#{card.get_attribute('id')} form.approve button")
    page.keyboard.press("Space")
    expect(card).to_contain_text("Approved by")
    expect(card.locator("h3")).to_be_focused()


def to(page: Page, selector: str) -> None:
    """Press Tab until this has the focus; each stop on the way shows where it is."""
    for _ in range(80):
        page.keyboard.press("Tab")
        ring = page.evaluate(
            "() => { const at = getComputedStyle(document.activeElement);"
            " return at.outlineStyle !== 'none' || at.boxShadow !== 'none'"
            " || document.activeElement === document.body }"
        )
        assert ring, f"no focus ring: {page.evaluate('document.activeElement.outerHTML.slice(0, 200)')}"
        if page.evaluate("selector => document.activeElement.matches(selector)", selector):
            return
    raise AssertionError(f"Tab does not reach {selector}")
