"""A turn record as lines for a terminal. Pure: a style is a word here, and colour only where the screen decides so."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from docgemma.agent.record import Approval, Clarification, TurnRecord
from docgemma.agent.telling import CONFIDENCE, confidence, in_order, line_of, quotes, tells_gap
from docgemma.cli.render import Line, Style, moment, one_line
from docgemma.clinical import Patient, Source, TimelineStep
from docgemma.drugs.rules.outcome import UNREVIEWED
from docgemma.entities.cutting import shortened
from docgemma.entities.printable import plain
from docgemma.orders.carding import called, check_lines, grouped, in_brackets, rests_on_tables
from docgemma.orders.model import Check, CheckOutcome
from docgemma.orders.standing import MARKS

SOURCES, ASK_ALSO = "Sources", "You could also ask:"
VIETNAMESE = {
    SOURCES: "Nguồn",
    ASK_ALSO: "Bạn có thể hỏi thêm:",
    CONFIDENCE["high"]: "Độ tin cậy cao: mọi tra cứu cần thiết đều có kết quả đầy đủ.",
    CONFIDENCE["medium"]: "Độ tin cậy trung bình: hãy xem nguồn trước khi làm theo.",
    CONFIDENCE["low"]: "Độ tin cậy thấp: hãy kiểm chứng độc lập trước khi làm theo.",
}
"""Our own words beside an answer in Vietnamese."""

_QUOTE_LENGTH = 300
NOTHING = "Nothing is in the chart yet"


def details(record: TurnRecord) -> list[Line]:
    """Everything beside the response that the user must see, in the order in which it matters."""
    sure = confidence(record)
    blocks = [
        _clarification(record.clarification, record.response) if record.clarification else [],
        *(_approval(record, card) for card in record.cards),
        _receipt(record.receipt, record.response) if record.receipt else [],
        _notices(record),
        sources(record.sources, record.response),
        _suggestions(record.suggestions),
        [*(patient(record.patient) if record.patient else []), *([Line(sure, "dim")] if sure else [])],
    ]
    if record.consult is not None and record.consult.language == "vi":
        blocks = [[replace(line, text=VIETNAMESE.get(line.text, line.text)) for line in block] for block in blocks]
    return [line for block in blocks if block for line in (Line(), *block)]


def _notices(record: TurnRecord) -> list[Line]:
    """Each once, in the order given; an allergy that concerns a drug of the answer before all else."""
    response = record.response
    # The answer itself may say it: a warning or a finding as a line of its own, or why a source was silent.
    unsaid = (each for each in in_order(record.notices) if not (tells_gap(each, response) or line_of(each, response)))
    return [Line(f"! {notice}", "warning", hang=2) for notice in dict.fromkeys(map(one_line, unsaid))]


def _clarification(asked: Clarification, response: str) -> list[Line]:
    lines = [] if asked.question.strip() in response else [Line(one_line(asked.question), "strong")]
    listed = [f"{number}. {one_line(option.label)}" for number, option in enumerate(asked.options, 1)]
    lines += [] if all(line in response for line in listed) else [Line(f"  {line}") for line in listed]
    return [*lines, Line("Answer with a number, or in words.", "dim")] if asked.options else lines


def _approval(record: TurnRecord, approval: Approval) -> list[Line]:
    """The card and its checks, unless the response has them word for word, and how long it waits."""
    response, text, made = record.response, plain(approval.card).strip(), checks_of(approval)
    said = {one_line(line) for line in response.splitlines()}
    repeats = said.issuperset(one_line(line) for line in check_lines(made))
    until = f"until {moment(approval.expires_at)}" if approval.expires_at else "for a person"
    nothing = "" if NOTHING in response else f" {NOTHING}."
    return [
        *(framed(text) if text not in response else []),
        *(checks(made) if not repeats else []),
        Line(f"Order {one_line(approval.id)} waits {until}.{nothing}", "warning"),
    ]


def checks_of(approval: Approval) -> list[Check]:
    """The checks that a record tells of. An outcome unheard of did not pass."""
    words = ("name", "detail", "basis", "gap")
    return [
        Check(
            outcome=check["outcome"] if check.get("outcome") in MARKS else "not_checked",
            **{word: str(check.get(word) or "") for word in words},
        )
        for check in approval.checks
    ]


def framed(text: str) -> list[Line]:
    """What is decided about, behind a bar: nothing in it can pass for a check or a receipt."""
    return [Line(f"  | {line}".rstrip(), "strong", hang=4) for line in plain(text).splitlines()]


_STYLES: dict[CheckOutcome, Style] = {"hard_stop": "danger", "not_checked": "warning", "passed": "dim"}


def checks(made: Sequence[Check]) -> list[Line]:
    """Every check with what it found and what that rests on, the gravest first."""
    lines: list[Line] = []
    for check in grouped(made):
        said = f"{called(check)}: {check.detail}" if check.detail else called(check)
        text = f"  {MARKS[check.outcome]:<13}{one_line(said + in_brackets(check.basis))}"
        lines.append(Line(text, _STYLES.get(check.outcome, "warning"), hang=15))
    return [*lines, *([Line(f"  * {UNREVIEWED}", "warning", hang=4)] if rests_on_tables(made) else [])]


def how_to_decide(ident: str, made: Sequence[Check], *, chat: bool = False) -> list[Line]:
    """What to type for a card with these checks: everything that approving it takes."""
    outcomes, command, ident = {check.outcome for check in made}, "/" if chat else "docgemma ", one_line(ident)
    acknowledge = " --acknowledge" if "not_checked" in outcomes else ""
    override = (" override: REASON" if chat else ' --override "REASON"') if "hard_stop" in outcomes else ""
    return [
        Line(f"To approve: {command}approve {ident}{acknowledge}{override}", "strong"),
        Line(f"To reject:  {command}reject {ident}", "strong"),
    ]


def _receipt(receipt: Mapping[str, Any], response: str) -> list[Line]:
    """What became of an order, where the response does not say so itself."""
    text = plain(str(receipt.get("text") or ""))
    lines = [Line(line, "strong") for line in text.splitlines()] if text.strip() not in response else []
    differences = [one_line(str(one)) for one in receipt.get("differences") or ()]
    return [*lines, *(Line(f"  ! {one}", "warning", hang=4) for one in differences if one not in response)]


def sources(found: Sequence[Source], response: str = "") -> list[Line]:
    """What the answer rests on, with its words; those of a label not a second time where the response has them."""
    if not found:
        return []
    lines = [Line(SOURCES, "strong")]
    for source in found:
        facts = ", ".join(one_line(fact) for fact in (source.date, source.url) if fact)
        title = f"[{source.id}] {one_line(source.title)}" if source.id else one_line(source.title)
        lines.append(Line(f"  {title} ({facts})" if facts else f"  {title}"))
        if source.quote and not quotes(source, response):
            lines.append(Line(f'      "{one_line(shortened(plain(source.quote), _QUOTE_LENGTH))}"', "dim"))
    return lines


def _suggestions(suggestions: Sequence[str]) -> list[Line]:
    heading = [Line(ASK_ALSO, "dim")] if suggestions else []
    return [*heading, *(Line(f"  {one_line(text)}", "dim") for text in suggestions)]


def patient(who: Patient) -> list[Line]:
    """Whom this is about: what a person checks before trusting an answer."""
    banner, ident = one_line(who.banner), one_line(who.id)
    return [Line(f"Patient: {banner} (id {ident})" if banner else f"Patient: id {ident}", "strong")]


def timeline(steps: Sequence[TimelineStep]) -> list[Line]:
    """What happened, by whom and how long it took."""
    if not steps:
        return [Line("No steps were recorded.", "dim")]
    width = max(len(one_line(step.label)) for step in steps)
    texts = (
        f"  {step.ms:7.0f} ms  {step.by:<6}  {one_line(step.label):<{width}}  {one_line(step.detail, 100)}"
        for step in steps
    )
    return [Line("Timeline", "strong"), *(Line(text.rstrip()) for text in texts)]


def decide_all(record: TurnRecord, *, chat: bool = False) -> list[Line]:
    """How to decide about every card of the answer."""
    return [line for card in record.cards for line in how_to_decide(card.id, checks_of(card), chat=chat)]


def how_to_continue(record: TurnRecord, *, consult: bool = False) -> list[Line]:
    """The session, and the command that goes on with it; before it how to decide about a card."""
    command = f"kb ask --role {one_line(record.consult.role) if record.consult else 'ROLE'}" if consult else "ask"
    return [
        Line(),
        *decide_all(record),
        Line(f'Continue: docgemma {command} --session {one_line(record.session_id)} "…"', "dim"),
    ]
