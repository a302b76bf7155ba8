"""The report as a file: all of it there, nothing of it obeyed, nothing fetched, and small enough to open."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path
from stat import S_IMODE
from typing import Any

import pytest
from markupsafe import escape

from docgemma.errors import BadInput
from docgemma.evals.report import page, tables, write_html
from docgemma.evals.suite import CaseRecord, Difference
from docgemma.evals.views import commands
from tests.evals.html.seeded import asked, counted, drawn, head, record, reports, turn

HOSTILE = (
    "<script>alert(1)</script>",
    "</style><img src=x onerror=alert(1)>",
    "</details></main><iframe src='https://example.org/'></iframe>",
    '"><a href="javascript:alert(1)">x</a>',
    "' onload='alert(1)",
    "{{ 7 * 7 }}{% raw %}",
    "[x](javascript:alert(1)) ![x](https://example.org/x.png)",
    "<!-- --><svg/onload=alert(1)>",
    "<meta http-equiv=refresh content='0;url=https://example.org'>",
)
TAGS = {
    *("html", "head", "meta", "title", "style", "body", "header", "nav", "main", "section", "div", "footer"),
    *("h1", "h2", "h3", "p", "span", "strong", "a", "pre", "code", "br", "q", "ul", "ol", "li", "dl", "dt", "dd"),
    *("table", "caption", "thead", "tbody", "tr", "th", "td", "details", "summary", "svg", "path", "circle", "rect"),
}
FETCHING = frozenset(("src", "srcset", "action", "formaction", "data", "poster", "background", "style", "xlink:href"))


class Seen(HTMLParser):
    """Every tag and attribute of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[tuple[str, str | None]] = set()
        self.ids: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {(name, value) for name, value in attrs if name != "aria-label"}
        self.ids |= {str(value) for name, value in attrs if name == "id"}


def missed(number: int = 0, **more: Any) -> CaseRecord:
    told = (Difference(column="right", expected="this", got="that"),)
    return record("made_up", number, **({"scores": {"right": 0.0}, "differences": told} | more))


def everywhere(words: str) -> list[CaseRecord]:
    """One case that says these words in every place where anybody but us can write."""
    told = (Difference(column="right", expected=words, got=words),)
    return [
        missed(
            id=words,
            kind=words,
            model=words,
            say=words,
            before=(words,),
            patient=words,
            differences=told,
            alarms=(words,),
            asked=asked(words),
            record=turn(0, words),
        ),
        missed(1, model=words, error=words),
    ]


@pytest.mark.parametrize("words", HOSTILE)
def test_words_of_others_are_shown_and_never_obeyed(words: str) -> None:
    text = drawn(everywhere(words))
    seen = Seen(text)
    assert seen.tags <= TAGS
    assert not {name for name, _ in seen.attributes if name in FETCHING or name.startswith("on")}
    assert all(str(value).startswith("#") for name, value in seen.attributes if name == "href")
    assert str(escape(words)) in text
    assert words == str(escape(words)) or words not in text


def test_marks_of_direction_and_control_are_taken_out() -> None:
    text = drawn(everywhere("take \u202e5 mg\x1b[2J"))
    assert "\u202e" not in text
    assert "\x1b" not in text


def test_nothing_outside_of_the_file_is_referred_to() -> None:
    text = drawn([missed(record=turn())])
    assert "https://example.org/lab" in text, "the address of a source is told"
    assert not re.search(r"(?:src|href|srcset|action)\s*=\s*(?![\"']?#)", text)
    assert not re.search(r"url\(|@import|@font-face|<script|<link|<base|<img", text)
    assert re.search(r"default-src &#39;none&#39;; style-src &#39;sha256-[\w+/=]{44}&#39;", text)


def test_a_miss_is_told_down_to_its_timeline() -> None:
    text = drawn([missed(say="what of the potassium?", before=("chart of abc-123",), record=turn(), asked=asked())])
    for told in (
        "what of the potassium?",
        "chart of abc-123",
        "Result judged",
        "Rule of the only candidate",
        "One source was not reached.",
        "patient_id: &#34;abc-0&#34;",
        "success_rich",
        "Laboratory 4",
        "tool_select",
        "characters left out",
        "what is the last potassium?",
    ):
        assert told in text, told
    assert all(f'class="by-{by}"' in text for by in ("code", "model", "tool", "person"))


def test_every_case_has_a_mark_for_every_variant_and_leads_to_its_miss() -> None:
    passed, once = record("made_up", 0), [missed(1), record("made_up", 1, repeat=1)]
    text = drawn([passed, *once, missed(0, variant="triage")])
    seen = Seen(text)
    links = {str(value)[1:] for name, value in seen.attributes if name == "href"}
    assert {"m1", "m2"} <= links <= seen.ids
    assert '<a href="#m1">1/2</a>' in text
    assert '<td class="mark">✓</td><td class="mark"><a href="#m2">✗</a></td>' in text


def test_variants_are_compared_and_the_finding_stands_beside() -> None:
    text = drawn([*counted("turns", 40, 0), *counted("turns", 30, 10, variant="no_shortcuts")])
    assert "A = routed, B = no_shortcuts" in text
    assert "-25.0 points, 95 % interval" in text
    assert "10 / 0" in text
    assert "4 or 5 calls for a single tool" in text
    assert "--configuration no_shortcuts" in text


def test_only_a_suite_that_watches_for_it_says_that_nothing_happened() -> None:
    nothing = page([one.model_copy(update={"alarm": "unasked writes"}) for one in reports([missed()])], [missed()])
    assert "Unasked writes: 0." in nothing
    assert ": 0.</p>" not in drawn([missed()])
    assert "What must not happen: 1." in drawn([missed(alarms=("a write",))])


def test_two_runs_of_the_same_are_told_apart() -> None:
    first, second = [record("made_up", 0), missed(1)], [missed(0), record("made_up", 1)]
    text = page([*reports(first), *reports(second)], [*first, *second])
    assert "routed, run 1: 1 missed" in text
    assert "routed, run 2: 1 missed" in text


def test_models_are_told_apart_and_each_has_a_card() -> None:
    text = drawn([record("made_up", 0), record("made_up", 0, model="another")])
    assert "a-small-model · routed" in text
    assert "another · routed" in text
    assert text.count('<section class="card">') == 2


def test_a_thousand_turns_stay_small() -> None:
    records = [missed(n, kind=f"kind_{n % 9}", record=turn(n), asked=asked()) for n in range(1000)]
    size = len(drawn(records).encode())
    assert 1_000_000 < size < 8_000_000


def test_beyond_the_room_whole_turns_are_left_out_but_never_an_alarm() -> None:
    records = [missed(n, record=turn(n)) for n in range(30)]
    records.append(missed(99, kind="zz", record=turn(99), alarms=("an unasked write",)))
    text = drawn(records, details=40_000)
    whole = text.count('class="steps"')
    assert 1 < whole < 12
    assert text.count("The whole turn is left out here") == 31 - whole
    last = text.rindex('<details class="case"')
    assert "an unasked write" in text[last:]
    assert 'class="steps"' in text[last:]
    assert len(drawn(records)) > len(text)


def test_the_file_is_its_owners_alone_and_says_why_it_cannot_be_written(tmp_path: Path) -> None:
    records = [record("made_up", 0)]
    write_html(tmp_path / "report.html", reports(records), records, [], [head("made_up")])
    assert S_IMODE((tmp_path / "report.html").stat().st_mode) == 0o600
    assert (tmp_path / "report.html").read_text("utf-8").startswith("<!doctype html>")
    with pytest.raises(BadInput, match=r"nowhere\.html cannot be written"):
        write_html(tmp_path / "no" / "nowhere.html", reports(records), records, [], [])


def test_the_command_to_run_it_again_names_graphs_and_ways() -> None:
    records = [
        *counted("turns", 2, 0),
        *counted("turns", 2, 0, variant="triage"),
        *counted("turns", 2, 0, variant="decompose+no_shortcuts"),
        *counted("turns", 2, 0, model="rules", repeat=2),
    ]
    assert list(commands(reports(records), [])) == [
        "docgemma eval turns --model-name a-small-model --graph routed --graph triage",
        "docgemma eval turns --model-name a-small-model --graph decompose --configuration no_shortcuts",
        "docgemma eval turns --model rules --repeat 3",
    ]


def test_figures_of_any_shape_become_tables() -> None:
    found = tables({"words": 12.5, "empty": None, "paths": {"direct": {"calls": 2}, "image": {"tokens": 7}}})
    assert [(one.title, one.head, one.rows) for one in found] == [
        ("", (), (("words", "12.5"), ("empty", "–"))),
        ("paths", ("", "calls", "tokens"), (("direct", "2", "–"), ("image", "–", "7"))),
    ]
    deep = tables({"a": {"b": {"c": {"d": 1}}, "e": 2}})
    assert [(one.title, one.rows) for one in deep] == [("a: b", (("c", "1"),)), ("a: e", (("", "2"),))]
