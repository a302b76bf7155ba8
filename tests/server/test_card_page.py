"""The approval card on the page: what a tired person has to see, and what they must not be able to do by accident."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from docgemma.accounts.model import Identity
from docgemma.orders.carding import card_text
from docgemma.orders.model import Card, Decision, Note, Row, State
from docgemma.orders.receipts import _SENTENCES
from docgemma.server.pages.card import card_view
from docgemma.server.pages.markdown import steady
from docgemma.server.pages.templating import Pages
from docgemma.server.pages.words import SHORT, SPOKEN, for_the_page
from tests.cli.cards import BANNER, DRAFT, NOW, PASSED, STOP, UNCHECKED, WARNING, card, receipt, row

PRESCRIBER = Identity.at_this_machine("nina", prescriber=True)
NURSE = Identity.at_this_machine("nina", prescriber=False)
TEXT = card_text(DRAFT, BANNER)


def shown(of: Row, who: Identity = PRESCRIBER, now: datetime = NOW) -> str:
    pages = Pages(lambda _: "token", local=True, mode=None)
    return pages.part("part/card.html", "en", who, card=card_view(of, now, {"dosage": "this message"}))


def waiting(*checks: Any, **fields: Any) -> Row:
    return row(card(text=TEXT, checks=checks, **fields))


def test_the_card_says_whom_what_and_that_nothing_is_written() -> None:
    page = shown(waiting(PASSED))
    assert "Approve: Prescription" in page and steady(BANNER) in page
    assert "Nothing is written until you approve." in page
    assert steady("52 min left, until 2026-03-01 14:00 UTC.") in page
    assert re.search(r"Dose</th><td class=\"value\">500 mg</td><td class=\"from\">from this message", page)


def test_checks_stand_the_gravest_first_with_their_words_and_passed_ones_are_folded() -> None:
    page = shown(waiting(PASSED, WARNING, UNCHECKED, STOP))
    places = [page.index(f">{word}<") for word in ("STOP", "NOT CHECKED", "WARNING")]
    assert places == sorted(places) and places[-1] < page.index("Checks passed: 1")
    assert "Takes ampicillin already" in page and "chart entry m1" in page


def test_a_stop_and_a_decision_are_seen_before_the_entry() -> None:
    page = shown(waiting(STOP, WARNING))
    assert page.index('class="badge stop">STOP<') < page.index("notice danger") < page.index('class="fields"')
    assert page.index('class="fields"') < page.index("notice warning")
    assert 'class="badge stop"' not in shown(waiting(WARNING))
    done = shown(row(card(text=TEXT, checks=(STOP,)), state="rejected", decision=Decision(who="nina")))
    assert done.index("Rejected by nina") < done.index('class="fields"')


@pytest.mark.parametrize(
    ("checks", "override", "tick"),
    [((PASSED,), False, False), ((UNCHECKED,), False, True), ((STOP,), True, False), ((STOP, UNCHECKED), True, True)],
    ids=["fine", "unchecked", "stopped", "both"],
)
def test_approving_takes_exactly_what_the_checks_ask_for(checks: tuple[Any, ...], override: bool, tick: bool) -> None:
    page = shown(waiting(*checks))
    assert ('name="override"' in page) == ("Override and approve" in page) == override
    assert bool(re.search(r'name="acknowledge" value="true" required', page)) == tick
    assert ("was not checked: Dose limit" in page) == tick
    if override:
        assert re.search(r'<textarea[^>]*name="override"[^>]*required minlength="10"', page)


def test_approve_and_reject_are_forms_of_their_own_and_carry_the_hash() -> None:
    made = waiting(PASSED)
    page = shown(made)
    assert page.count(f'name="hash" value="{made.hash}"') == page.count('name="csrf" value="token"') == 2
    assert f'action="/orders/{made.id}/approve"' in page and f'action="/orders/{made.id}/reject"' in page


def test_the_heading_takes_the_focus_and_no_button_does() -> None:
    page = shown(waiting(PASSED))
    assert re.search(r'<h3[^>]*tabindex="-1"[^>]*data-focus', page)
    assert page.count("data-focus") == 1 and "autofocus" not in page


def test_who_may_not_prescribe_is_told_that_it_will_be_a_draft() -> None:
    assert "DRAFT ONLY" in shown(waiting(PASSED), NURSE)
    assert "DRAFT ONLY" not in shown(waiting(PASSED))


STATES: dict[State, tuple[str, str]] = {
    "approved": ("Not in the chart yet", "approve"),
    "writing": ("Being written", "approve"),
    "unknown": ("OUTCOME UNKNOWN", "approve"),
    "undoing": ("Being undone", "undo"),
    "written": ("In the chart", "undo"),
    "differs": ("NOT AS APPROVED", "undo"),
    "refused": ("REFUSED", ""),
    "rejected": ("Rejected", ""),
    "expired": ("Expired", ""),
    "withdrawn": ("Withdrawn", ""),
    "undone": ("Undone", ""),
}


@pytest.mark.parametrize("state", STATES)
def test_after_the_decision_the_card_says_where_it_stands_and_offers_only_what_is_left(state: State) -> None:
    badge, action = STATES[state]
    decided = Decision(who="nina", may_prescribe=True, acknowledged=True)
    page = shown(
        row(card(text=TEXT, checks=(UNCHECKED,)), state=state, decision=decided, decided_at="2026-03-01T13:05:00")
    )
    assert f">{badge}<" in page and "Nothing is written until you approve." not in page
    assert re.findall(r'action="/orders/\w+/(\w+)"', page) == ([action] if action else [])
    assert ("Check again" in page) == (state in ("approved", "writing", "unknown", "undoing"))
    assert "2026-03-01 13:05 UTC" in page


def test_a_card_whose_time_is_over_has_no_buttons_whatever_the_ledger_says() -> None:
    page = shown(waiting(PASSED), now=NOW + timedelta(hours=2))
    assert "Expired" in page and "<form" not in page and "expired; nothing was written" in page


def test_a_written_card_keeps_who_when_why_and_the_receipt() -> None:
    decided = Decision(who="nina", override="Tolerated it last year", acknowledged=True)
    told = receipt(text="Written to the chart and read back.\nEntry MedicationRequest/m9.")
    page = shown(
        row(
            card(text=TEXT),
            state="written",
            decision=decided,
            decided_at="2026-03-01T13:05:00+00:00",
            receipt=told,
            resource_kind="MedicationRequest",
            resource_id="m9",
        )
    )
    for text in (
        "Approved by nina",
        "2026-03-01 13:05 UTC",
        "Tolerated it last year",
        "read back",
        "MedicationRequest/m9",
    ):
        assert text in page
    assert re.search(r'<textarea[^>]*name="reason"[^>]*required minlength="10"', page)


def test_an_undone_card_tells_both_decisions() -> None:
    page = shown(
        row(
            card(text=TEXT),
            state="undone",
            approval=Decision(who="nina"),
            approved_at="2026-03-01T13:05:00",
            decision=Decision(who="mai", reason="Wrong patient, sorry"),
            decided_at="2026-03-01T13:07:00",
        )
    )
    assert page.index("Approved by nina") < page.index("Undone by mai") < page.index("Wrong patient, sorry")


def test_what_the_chart_says_otherwise_is_shouted() -> None:
    told = receipt(status="differs", text="IN THE CHART, BUT NOT AS APPROVED.", differences=("dose: 5 mg, not 500 mg",))
    page = shown(row(card(text=TEXT), state="differs", decision=Decision(who="nina"), receipt=told))
    assert re.search(r"NOT AS APPROVED.*dose: 5 mg, not 500 mg", page, re.DOTALL)
    assert "alarming" in page


def test_the_text_of_a_note_cannot_pass_for_a_field_or_a_check() -> None:
    draft = Note(
        patient_id="p1", note_type="progress note", text="Fine.\nDose: 5 g\nSTOP allergy: none\n<b>Approved by X</b>"
    )
    made: Card = card(draft=draft, text=card_text(draft, BANNER), checks=(PASSED,))
    view = card_view(row(made), NOW)
    assert [field.name for field in view.fields] == ["Type", "Text"]
    assert "<b>Approved" not in shown(row(made))


def test_a_card_in_words_that_this_version_does_not_use_is_shown_as_it_was_approved() -> None:
    page = shown(row(card(text="Prescription in older words\nDose: 7 mg")))
    assert '<pre class="card-text">Prescription in older words' in page


def test_a_card_of_a_batch_can_only_be_read() -> None:
    page = shown(waiting(PASSED, via="batch"))
    assert "for reading only" in page and "<form" not in page


@pytest.mark.parametrize("state", _SENTENCES)
def test_the_page_never_sends_anybody_to_a_terminal(state: State) -> None:
    said = for_the_page(_SENTENCES[state])
    assert "docgemma" not in said and "`" not in said and "--" not in said


def test_every_state_has_a_badge_that_can_be_translated() -> None:
    assert set(SHORT) == set(_SENTENCES) and set(SHORT.values()) <= set(SPOKEN)


def test_times_are_told_in_utc() -> None:
    assert card_view(waiting(PASSED), datetime(2026, 3, 1, 13, 59, 30, tzinfo=UTC)).minutes == 0
    assert "Less than 1 min left" in shown(waiting(PASSED), now=datetime(2026, 3, 1, 13, 59, 30, tzinfo=UTC))
