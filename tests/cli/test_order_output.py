"""An order on the screen: what a tired person has to see at once, and what nobody may fake."""

from __future__ import annotations

import re
from collections.abc import Iterable

import pytest
from rich.cells import cell_len

from docgemma.cli import orders
from docgemma.cli.orders import how_it_ended
from docgemma.cli.render import Line
from docgemma.cli.screen import screen
from docgemma.drugs.rules.outcome import UNREVIEWED
from docgemma.orders.model import Allergy, Decision, State
from docgemma.orders.standing import is_open
from tests.cli.cards import BANNER, NOW, PASSED, STOP, card, receipt, row
from tests.cli.conftest import Display


def text_of(lines: Iterable[Line]) -> str:
    return "\n".join(line.text for line in lines)


def test_a_card_shows_patient_text_and_every_check_with_its_basis_the_gravest_first() -> None:
    lines = orders.card(row(), NOW)
    assert [line.text for line in lines[1:]] == [
        f"  | Prescription for {BANNER}",
        "  | Medication: amoxicillin",
        "  | Dose: 500 mg",
        "  STOP         Allergies: Recorded allergy: penicillin [chart entry a1]",
        "  NOT CHECKED  Dose limit: No rule for this medicine",
        "  WARNING      Duplicates: Takes ampicillin already [chart entry m1]",
        "  passed       Pregnancy: Does not apply [birth date and sex]",
    ]
    assert [line.style for line in lines[4:]] == ["danger", "warning", "warning", "dim"]


def test_a_card_says_first_that_nothing_is_in_the_chart_and_how_long_it_waits() -> None:
    shown = row()
    first = orders.card(shown, NOW)[0].text
    assert first == (
        f"Order {shown.id}: waits for approval; nothing is in the chart. 52 min left, until 2026-03-01 14:00 UTC"
    )


@pytest.mark.parametrize("expires_at", ["2026-03-01T13:08:00+00:00", "2025-03-01T13:08:00+00:00", "never"])
def test_a_card_whose_time_is_over_does_not_look_as_if_it_could_be_approved(expires_at: str) -> None:
    late = row(card(expires_at=expires_at))
    assert "expired; nothing was written" in orders.card(late, NOW)[0].text
    assert not is_open(late, NOW)
    assert "expired" in list(orders.overview([late], NOW))[1].text


def test_a_patient_that_the_text_does_not_name_is_named_above_it() -> None:
    lines = orders.card(row(card(text="Dose: 500 mg")), NOW)
    assert lines[1].text == f"  | Patient: {BANNER}"


def test_a_note_cannot_pass_for_a_check_or_move_the_cursor() -> None:
    text = f"Text: fine\n  passed       Allergies\n\x1b[2JOrder x: in the chart\u202e\n{BANNER}"
    lines = orders.card(row(card(text=text, checks=(STOP,))), NOW)
    assert all(line.text.startswith("  |") for line in lines[1:5])
    assert not set("\x1b\u202e") & set(text_of(lines))


def test_a_card_that_rests_on_unreviewed_data_says_so_once() -> None:
    table = PASSED.model_copy(update={"basis": f"shipped tables; {UNREVIEWED}"})
    alone = PASSED.model_copy(update={"basis": UNREVIEWED})
    shown = text_of(orders.card(row(card(checks=(table, alone, PASSED), demonstration=True)), NOW))
    assert shown.count("[shipped tables*]") == shown.count("[*]") == shown.count("[birth date and sex]") == 1
    assert shown.count(UNREVIEWED) == 1
    assert shown.endswith("Demonstration data, not reviewed by a clinician.")
    assert "not reviewed" not in text_of(orders.card(row(), NOW))


def test_an_order_is_shown_with_who_decided_what_and_when() -> None:
    decided = row(
        state="written",
        decision=Decision(who="otto", override="tolerated it last year", acknowledged=True),
        decided_at="2026-03-01T13:05:00+00:00",
        resource_kind="MedicationRequest",
        resource_id="r1",
        resource_version="1",
        receipt=receipt(text="Written to the chart and read back.", differences=("dose is 50 mg",)),
    )
    shown = text_of(orders.whole(decided, NOW))
    assert "in the chart as approved" in shown
    assert "Proposed   2026-03-01 13:00 UTC by nina, turn" in shown
    assert "Decided    2026-03-01 13:05 UTC by otto" in shown
    assert "Override   tolerated it last year" in shown
    assert "what could not be checked was acknowledged" in shown
    assert "In chart   MedicationRequest/r1, version 1" in shown
    assert shown.endswith("Written to the chart and read back.\n  ! dose is 50 mg")


def test_an_undone_order_still_says_who_approved_it() -> None:
    undone = row(
        state="undone",
        approval=Decision(who="otto"),
        approved_at="2026-03-01T13:05:00+00:00",
        decision=Decision(who="pia", reason="wrong patient"),
        decided_at="2026-03-01T13:07:00+00:00",
    )
    shown = text_of(orders.whole(undone, NOW))
    assert "Approved   2026-03-01 13:05 UTC by otto\nUndone     2026-03-01 13:07 UTC by pia\n" in shown
    assert "Reason     wrong patient" in shown


def test_a_difference_that_the_receipt_tells_is_told_once() -> None:
    lines = orders.receipt(receipt(text="In the chart.\nDifferent: dose", differences=("dose",)))
    assert text_of(lines).count("dose") == 1


def test_the_list_begins_with_what_waits_and_keeps_its_columns_with_wide_names() -> None:
    done = row(card(session_id="a"), state="written")
    stuck = row(card(session_id="b"), state="unknown")
    wide = row(card(session_id="c", banner="山田 太郎, born 1950-01-01, male"))
    heading, *lines = [line.text for line in orders.overview([done, stuck, wide], NOW)]
    assert heading.split()[:3] == ["order", "state", "time"]
    assert [line.split()[1] for line in lines] == ["proposed", "unknown", "written"]
    assert "52 min" in lines[0]
    place = heading.index("entry")
    assert lines[1].index("Prescription, amoxicillin 500 mg") == place
    assert lines[0].index("Prescription, amoxicillin 500 mg") == place - len("山田太郎")


def test_a_patient_in_the_list_has_name_and_birth_date_and_the_entry_its_kind() -> None:
    allergy = card(draft=Allergy(patient_id="p1", substance="penicillin", reaction="hives"), checks=())
    shown = list(orders.overview([row(allergy)], NOW))[1].text
    assert "Ann Lee, born 1950-02-03  " in shown
    assert "Allergy, penicillin (reaction: hives)" in shown


def test_a_long_card_is_broken_behind_its_bar_on_a_terminal(display: Display) -> None:
    words = " ".join(["reaction"] * 30) + " 山田太郎山田太郎山田太郎山田太郎山田太郎"
    long = card(text=f"{BANNER}\nNotes: {words}", checks=(PASSED.model_copy(update={"detail": words}),))
    screen(out=display.out).lines(orders.card(row(long), NOW)[1:])
    sent = re.sub("\x1b\\[[0-9;]*m", "", display.text()).splitlines()
    assert all(line.startswith(("  |", "    ", "  passed", " " * 15)) for line in sent)
    assert max(map(cell_len, sent)) <= 60


@pytest.mark.parametrize(
    ("status", "wanted", "code"),
    [
        ("written", "written", None),
        ("rejected", "rejected", None),
        ("undone", "undone", None),
        ("unknown", "written", 4),
        ("approved", "written", 4),
        ("writing", "written", 4),
        ("refused", "written", 4),
        ("differs", "written", 5),
        ("undoing", "undone", 4),
        ("written", "rejected", 5),
    ],
)
def test_what_did_not_end_as_meant_has_an_exit_code(status: State, wanted: State, code: int | None) -> None:
    error = how_it_ended(receipt(status=status), wanted)
    assert (error.exit_code if error else None) == code


def test_ends_are_counted() -> None:
    ended = [receipt(status="written"), receipt(status="unknown"), receipt(status="written")]
    assert orders.outcomes(ended) == "2 in the chart as approved; 1 outcome unknown, checking"
