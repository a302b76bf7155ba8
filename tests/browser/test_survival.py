"""What a reload, a second tab, a killed server and a slow model leave behind: never a lost or doubled entry."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Tab
from tests.browser.steps import answer, ask, decide, in_chart, prepare, state
from tests.support.model_server import Answer, Json, obedient
from tests.support.web_server import WebServer, model_beside

SLOW = "What are the boxed warnings of sotalol?"


@pytest.fixture(scope="module")
def slow(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WebServer]:
    """Its model takes a minute for the first call of every turn that asks for SLOW; others are answered at once."""

    def handler(body: Json) -> Answer:
        asked = str(body["messages"][-1]["content"])
        answered = obedient(body)
        return Answer(answered.text, delay_s=60) if SLOW in asked else answered

    home = tmp_path_factory.mktemp("slow")
    with model_beside(handler) as environment, WebServer(home, environment=environment) as made:
        yield made


def test_a_card_survives_a_reload_and_is_decided_once_in_two_tabs(tab: Tab) -> None:
    page = tab("/ask")
    prepare(page, "yza-567", "Add an allergy to penicillin with hives")
    page.reload()
    card = page.locator("section.card")
    expect(card.get_by_role("button", name="Approve")).to_be_visible()
    second = page.context.new_page()
    second.goto(page.url)
    same = second.locator("section.card")
    expect(same.get_by_role("button", name="Approve")).to_be_visible()
    decide(card)
    expect(card).to_contain_text("Approved by")
    decide(same)  # this tab still shows the card as it was
    expect(same).to_contain_text("Approved by")
    assert state(card) == "written"
    assert in_chart(page, "yza-567", "penicillin") == 1
    for each in (page, second):
        each.reload()
        expect(each.locator("section.card")).to_contain_text("Approved by")
        expect(each.locator("#banner")).to_contain_text("penicillin")
    assert page.locator("#turns").inner_text() == second.locator("#turns").inner_text()


def test_an_answer_that_is_asked_for_in_one_tab_is_followed_in_another(tab: Tab, slow: WebServer) -> None:
    page = tab("/ask", slow.url)
    ask(page, "Check FDA warnings for dofetilide")
    page.get_by_role("textbox", name="Ask a clinical question").fill(SLOW)
    page.keyboard.press("Enter")
    expect(page.locator("article.running")).to_have_count(1)
    second = page.context.new_page()
    second.goto(page.url)
    expect(second.locator("article.running .steps li").first).to_be_visible()
    second.get_by_role("button", name="Stop").click()
    for each in (page, second):
        expect(each.locator("#turns")).to_contain_text("You stopped this answer.")
        expect(each.get_by_role("button", name="Run again")).to_be_visible()
    assert ask(page, "Check FDA warnings for dofetilide").locator(".notice").count()


def test_a_killed_server_loses_neither_card_nor_question(tab: Tab, slow: WebServer) -> None:
    page = tab("/ask", slow.url)
    card = prepare(page, "abc-123", "Add an allergy to latex with hives")
    slow.kill()
    decide(card)
    expect(card.locator("form.approve [data-error]")).to_contain_text("The server cannot be reached.")
    slow.start()
    decide(card)
    expect(card).to_contain_text("Approved by")
    assert in_chart(page, "abc-123", "latex") == 1
    before = page.locator("#turns > article").count()
    page.get_by_role("textbox", name="Ask a clinical question").fill(SLOW)
    page.keyboard.press("Enter")
    expect(page.locator("article.running .steps li").first).to_be_visible()
    slow.kill()
    slow.environment = {}  # back with rules, which answer at once
    slow.start()
    turn = page.locator("#turns > article").nth(before)
    expect(turn.get_by_role("button", name="Run again")).to_be_visible(timeout=90_000)
    turn.get_by_role("button", name="Run again").click()
    turn = answer(page, before)
    expect(turn.locator(".asked-text")).to_have_text(SLOW)
    expect(turn.locator(".notice-word", has_text="NO ANSWER")).to_have_count(0)
    expect(page.locator("#turns > article")).to_have_count(before + 1)


def test_another_patient_is_another_conversation_and_ends_the_card(tab: Tab) -> None:
    page = tab("/ask")
    card = prepare(page, "hij-246", "Save a progress note: pain is better.")
    first = page.url
    page.get_by_text("Another patient").click()
    page.get_by_label("Name, id or record number").fill("Raghunathan")
    page.get_by_role("button", name="Priya Raghunathan").click()
    expect(page.locator(".patient-name")).to_have_text("Priya Raghunathan")
    assert page.url != first
    page.go_back()
    expect(page.locator(".patient-name")).to_have_text("Olúwaṣeun Adéyẹmí")
    ask(page, "What meds is Kwame Mensah on?")
    page.reload()
    shown = page.locator(".patient-name").inner_text()
    assert (state(card), shown) in {("proposed", "Olúwaṣeun Adéyẹmí"), ("withdrawn", "Kwame Mensah")}
