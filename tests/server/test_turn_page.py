"""One turn on the page: dangers first and in words, nothing of the answer lost, and buttons that are understood."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from html.parser import HTMLParser
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docgemma.accounts.model import Identity
from docgemma.agent.answer.check import MARK
from docgemma.agent.answer.notices import DEMONSTRATION, DIRECT, IMAGE
from docgemma.agent.cards import question_with_options
from docgemma.agent.record import Clarification
from docgemma.agent.recording import URGENT
from docgemma.agent.session import NOT_KEPT, Question, Sessions
from docgemma.agent.vision.choosing import NAMES_ANOTHER, SENT_FOR_ANOTHER
from docgemma.agent.vision.findings import SAID
from docgemma.clinical import Option
from docgemma.entities.choice import pick
from docgemma.server.context import Site
from docgemma.server.pages.templating import Pages
from docgemma.server.pages.turn import TurnView, said_for, step_view, turn_view
from docgemma.server.pages.words import SPOKEN, graded
from docgemma.store.rows import Turn, TurnStatus
from tests.cli.cards import card, row
from tests.cli.records import record

NOW = datetime(2026, 3, 1, 13, 8, tzinfo=UTC)
NINA = Identity.at_this_machine("nina", prescriber=True)
CALL = {"tool": "check_drug_safety", "label": "Drug Safety Report", "args": {}, "status": "found", "origin": "pack"}
BY_MODEL = {"step": "synthesize", "label": "Writing the answer", "by": "model"}
BOXED = "Boxed warning (dofetilide): Start in hospital."


def turn(status: TurnStatus = "done", by: str = "agent", told: bool = True, **fields: Any) -> Turn:
    made = record(**fields)
    data = made.model_dump(mode="json") if told else None
    return Turn("t1", "k3v9", status, by, made.query, None, data, "2026-03-01T13:00:00+00:00", None)


def view(last: bool = True, **fields: Any) -> TurnView:
    return turn_view(turn(**fields), {}, NOW, last)


def html(shown: TurnView) -> str:
    pages = Pages(lambda _: "token", local=True, mode=None)
    return pages.part("part/turn.html", "en", NINA, turn=shown)


def page(**fields: Any) -> str:
    return html(view(**fields))


@pytest.mark.parametrize(
    ("notice", "grade", "word"),
    [
        ("Allergy conflict (amoxicillin): Recorded allergy.", "danger", "ALLERGY CONFLICT"),
        (BOXED, "danger", "BOXED WARNING"),
        ("Contraindicated (dofetilide): Long QT.", "danger", "CONTRAINDICATED"),
        ("Interaction: a with b (contraindicated): “Never.”", "danger", "INTERACTION, CONTRAINDICATED"),
        ("Interaction: a with b (major): “Rarely.”", "danger", "INTERACTION, MAJOR"),
        ("Interaction: a with b (moderate): “(major): rats.”", "warning", "INTERACTION, MODERATE"),
        ("Interaction: a with b: “Watch.”", "warning", "INTERACTION"),
        ("Not checked: a with b.", "gap", "NOT CHECKED"),
        ("The Drug Safety Report was not available: it was silent.", "gap", "NOT CHECKED"),
        (DIRECT, "gap", "NOT CHECKED"),
        (f"{NOT_KEPT} The disk is full.", "gap", "NOT KEPT"),
        ("Allergies on record: Penicillin", "warning", "ALLERGIES ON RECORD"),
        (IMAGE, "warning", "IMAGE"),
        (NAMES_ANOTHER, "warning", "IMAGE"),
        (SENT_FOR_ANOTHER, "warning", "IMAGE"),
        (SAID["person"], "warning", "IMAGE"),
        (SAID["drug"], "warning", "IMAGE"),
        ("The attached image was not looked at: no vision model is available.", "gap", "IMAGE NOT READ"),
        (DEMONSTRATION, "note", "Demonstration data"),
        ("Something that nobody foresaw.", "warning", "Notice"),
    ],
)
def test_how_grave_a_notice_is(notice: str, grade: str, word: str) -> None:
    found = graded(notice)
    assert (found.grade, found.word) == (grade, word)
    assert found.text in notice and found.word in SPOKEN


def test_warnings_stand_before_the_answer_and_notes_after_it() -> None:
    shown = page(notices=[DEMONSTRATION, "Not checked: b.", BOXED], response="Take care.", tool_calls=[CALL])
    places = [shown.index(text) for text in ("Start in hospital.", "NOT CHECKED", "Take care.", DEMONSTRATION)]
    assert places == sorted(places)


def test_warnings_of_one_kind_about_one_drug_share_a_box() -> None:
    shown = view(notices=[BOXED, "Boxed warning (dofetilide): Watch the ECG.", "Boxed warning (sotalol): Likewise."])
    assert [(one.about, len(one.texts)) for one in shown.warnings] == [("dofetilide", 2), ("sotalol", 1)]


def test_a_line_that_became_a_warning_stands_on_the_page_once() -> None:
    shown = page(notices=[BOXED], response="[Drug Safety Report]\nBoxed warning: Start in hospital.\nRead: the label.")
    assert shown.count("Start in hospital.") == 1
    assert "Read: the label." in shown


def test_a_models_sentence_with_the_same_words_is_kept_beside_the_warning() -> None:
    shown = page(notices=[BOXED], response="There is no need to Start in hospital.", timeline=[BY_MODEL])
    assert shown.count("Start in hospital.") == 2


def test_every_card_of_a_turn_is_shown_and_one_that_is_gone_is_said() -> None:
    made = (row(), row(card(session_id="s2")))
    approvals = [{"id": id_, "tool": "prescribe_medication", "args": {}} for id_ in (made[0].id, made[1].id, "gone")]
    told = turn(outcome="approval", approvals=approvals, approval=approvals[0])
    shown = html(turn_view(told, {each.id: each for each in made}, NOW, True))
    assert [shown.count(f'id="card-{each.id}"') for each in made] == [1, 1]
    assert [shown.count(f'action="/orders/{each.id}/approve"') for each in made] == [1, 1]
    assert "The ledger has no card gone." in shown
    older = turn(outcome="approval", approval=approvals[0])  # as records were kept before
    assert f'id="card-{made[0].id}"' in html(turn_view(older, {made[0].id: made[0]}, NOW, True))


def test_an_emergency_stands_first_and_once() -> None:
    shown = page(urgent=URGENT, notices=[URGENT, BOXED], response="Take care.")
    assert shown.count(URGENT) == 1
    places = [shown.index(text) for text in ("URGENT", URGENT, "Start in hospital.", "Take care.")]
    assert places == sorted(places)


LINES = st.sampled_from(
    [
        "[Drug Safety Report]",
        "dofetilide:",
        "Boxed warning: Start in hospital.",
        "- Potassium 4.5*10*9/L",
        "",
        "a:",
        "x",
    ]
)


@given(lines=st.lists(LINES, max_size=12), noticed=st.booleans())
def test_no_finding_of_a_composed_answer_is_lost(lines: list[str], noticed: bool) -> None:
    """Headings under which nothing stands may go; a finding stays, in the text or in a warning."""
    shown = view(response="\n".join(lines), notices=[BOXED] if noticed else [])
    text = [line for block in shown.blocks for line in block.lines] + [t for one in shown.warnings for t in one.texts]
    for line in lines:
        if line and not line.endswith(":") and not line.startswith("["):
            assert line.removeprefix("- ") in text or line.removeprefix("Boxed warning: ") in text


@pytest.mark.parametrize("by_model", [True, False])
def test_asterisks_of_a_laboratory_value_survive(by_model: bool) -> None:
    shown = page(response="Platelets 4.5*10*9/L.", timeline=[BY_MODEL] if by_model else [])
    assert "4.5*10*9/L" in shown


def test_a_sentence_that_no_source_has_is_marked() -> None:
    shown = page(response=f"Check the kidneys.{MARK} Fine.", timeline=[BY_MODEL])
    assert '<mark class="unsourced">[not from the sources]</mark>' in shown


def test_only_a_models_text_may_have_emphasis() -> None:
    assert "<strong>not</strong>" in page(response="Do **not** stop.", timeline=[BY_MODEL])
    assert "**not**" in page(response="Do **not** stop.")


class Tags(HTMLParser):
    """What a browser would see in it."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: list[tuple[str, str]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes += [(name, value or "") for name, value in attrs]


HOSTILE = "<img src=x onerror=alert(1)> <script>x</script> [a](javascript:x) ![b](https://evil.example/?q=1) \"'>"


@pytest.mark.parametrize(
    "fields",
    [
        {"response": HOSTILE},
        {"response": HOSTILE, "timeline": [BY_MODEL]},
        {"query": HOSTILE},
        {"notices": [HOSTILE], "suggestions": [HOSTILE]},
        {
            "sources": [
                {"id": "S1", "kind": "article", "title": HOSTILE, "url": f"https://x/{HOSTILE}", "quote": HOSTILE}
            ]
        },
        {"patient": {"id": "p", "banner": HOSTILE}},
        {"clarification": {"reason": "r", "question": HOSTILE, "options": [{"label": HOSTILE, "value": HOSTILE}]}},
        {"timeline": [{"step": "s", "label": HOSTILE, "detail": HOSTILE}], "tool_calls": [CALL | {"label": HOSTILE}]},
    ],
    ids=["composed", "model", "query", "notices", "sources", "patient", "question", "timeline"],
)
def test_nothing_that_others_wrote_becomes_markup(fields: dict[str, Any]) -> None:
    shown = Tags()
    shown.feed(page(**fields))
    assert not shown.tags & {"script", "img", "iframe", "style"}
    assert not [name for name, _ in shown.attributes if name.startswith("on") or name == "style"]
    assert all(value.startswith(("/", "#", "https://x")) for name, value in shown.attributes if name in ("href", "src"))


@pytest.mark.parametrize(
    ("url", "linked"),
    [("https://x.example/1", True), ("http://x.example/1", False), ("javascript:alert(1)", False), ("", False)],
)
def test_only_https_sources_are_links_and_tell_nobody_where_one_comes_from(url: str, linked: bool) -> None:
    shown = page(sources=[{"id": "S1", "kind": "article", "title": "An article", "url": url, "quote": "Words."}])
    assert (f'href="{url}"' in shown) == linked
    assert shown.count('rel="noreferrer noopener"') == linked


def test_a_source_mark_leads_to_its_source_and_an_unknown_one_nowhere() -> None:
    source = {"id": "S1", "kind": "label", "title": "Tikosyn", "quote": "Words."}
    known = page(response="Watch the ECG [1].", sources=[source], timeline=[BY_MODEL])
    assert 'href="#s-t1-1"' in known and 'id="s-t1-1"' in known
    assert 'href="#s-t1' not in page(response="Watch the ECG [2].", sources=[source], timeline=[BY_MODEL])


def test_confidence_and_where_data_came_from_are_said_in_words() -> None:
    shown = page(confidence="low", tool_calls=[CALL])
    assert "Low confidence: verify it independently" in shown
    assert re.search(r"Drug Safety Report: found\s*\(local data pack\)", shown)


def test_a_step_is_told_in_clinical_words() -> None:
    step = step_view(
        record(
            timeline=[
                {"step": "x", "label": "Choosing", "detail": "ask_user: two fit (one_candidate: it fits)", "ms": 1736}
            ]
        ).timeline[0]
    )
    assert (step.detail, step.time, step.tag) == ("two fit (it fits)", "1.7 s", "code")


@pytest.mark.parametrize(
    ("status", "last", "offered"),
    [("interrupted", True, True), ("interrupted", False, False), ("running", True, False)],
)
def test_a_question_that_was_cut_off_says_so_and_can_be_run_again(
    status: TurnStatus, last: bool, offered: bool
) -> None:
    shown = html(turn_view(turn(status, told=False), {}, NOW, last))
    assert "NO ANSWER" in shown and "Nothing was written to a chart." in shown
    assert ('name="retry"' in shown) == offered


WILSONS = (
    Option(label="James Wilson, born 1949-09-02, male, MRN …6785", value="pqr-678"),
    Option(label="James Wilson Jr., born 1979-02-09, male, MRN …3454", value="mno-345"),
    Option(label="James Wilson Sr., born 1949-02-09, male, MRN …0123", value="jkl-012"),
)
AS_WRITTEN = (Option(label="hydroxyzine", value="hydroxyzine"), Option(label="“hydroxy”, as written", value="hydroxy"))
TWINS = (Option(label="Ann Lee", value="a-1"), Option(label="Ann Lee", value="a-2"))
ASKING = (Option(label="Is it 5 mg?", value="5 mg"), Option(label="Is it 50 mg?", value="50 mg"))
ENDLESS = (Option(label="x" * 300, value="y" * 300), Option(label="z" * 300, value="w" * 300))


@pytest.mark.parametrize(
    "options",
    [WILSONS, AS_WRITTEN, TWINS, ASKING, ENDLESS],
    ids=["people", "as-written", "twins", "with-a-question-mark", "endless"],
)
def test_what_a_button_sends_is_taken_for_its_option(options: tuple[Option, ...]) -> None:
    assert [pick(said_for(option, options), options) for option in options] == list(options)


def test_a_button_of_an_older_question_cannot_answer_a_newer_one() -> None:
    """It sends the person's own identifiers, not a number that the newer question has too."""
    newer = (
        Option(label="Maria Garcia, born 1961-07-03", value="d"),
        Option(label="Maria Garcia, born 1994-11-21", value="g"),
    )
    assert [pick(said_for(option, WILSONS), newer) for option in WILSONS] == [None] * 3


@pytest.mark.parametrize("last", [True, False])
def test_options_are_buttons_only_while_the_question_is_open(last: bool) -> None:
    question = Clarification(reason="multiple_patient_matches", question="Which one?", options=WILSONS)
    asked = question_with_options(question)
    fields = {"clarification": question.model_dump(), "outcome": "ask_user", "response": asked}
    shown = page(last=last, **fields)
    assert (shown.count('<button type="button" data-say=') == 3) == last
    assert shown.count("Which one?") == 1
    assert "1. James" not in shown, "the list of the response would stand there twice"


async def test_pressing_a_button_goes_on_with_the_request(site: Site) -> None:
    sessions: Sessions = site.app.sessions
    first = await sessions.ask(Question("What meds is James Wilson on?", owner="local"))
    shown = view(**first.model_dump(exclude={"id", "turn_id", "session_id", "created_at", "model"}))
    assert shown.question is not None and len(shown.question.options) == 3
    junior = next(option for option in shown.question.options if "Jr." in option.label)
    then = await sessions.ask(Question(junior.say, session_id=first.session_id, owner="local"))
    assert then.patient is not None and then.patient.id == "mno-345"
    assert [call.tool for call in then.tool_calls] == ["get_patient_chart"]
