"""The card "what this model may do" as lines for a terminal."""

from __future__ import annotations

from collections.abc import Iterator

from docgemma.cli.render import Line, Style, one_line
from docgemma.evals.card import NO_MODEL_NOTE, Card, CardRow, Measured, Verdict

_NAME = 33
_STYLES: dict[Verdict, Style] = {
    "alone": "strong",
    "checked": "plain",
    "few": "dim",
    "unmeasured": "dim",
    "rules": "warning",
    "never": "danger",
}


def card_lines(card: Card) -> Iterator[Line]:
    """Verdicts first, each with the numbers it rests on; then what no number can change."""
    yield Line(one_line(card.title, 120), "strong")
    dates, versions = ", ".join(card.dates) or "date not noted", ", ".join(card.versions) or "version not noted"
    yield Line(f"{dates}, DocGemma {versions}, measured with: {', '.join(card.suites)}.", "dim")
    for place, number in card.alarms.items():
        yield Line(f"What must never happen did happen: {place}: {number}.", "danger")
    if card.unchecked:
        yield Line(f"Without the product's checks, what must never happen did {card.unchecked} times.", "warning")
    if card.no_model:
        yield Line(NO_MODEL_NOTE, "warning")
    yield Line()
    for row in card.rows:
        yield from _row(row)
    yield Line()
    yield Line("What no model may do here, whatever it scores:", "strong")
    for reserved in card.reserved:
        here = f"; here {_share(reserved.measured)}" if reserved.measured else ""
        found = f" (the specification measured {reserved.finding}{here})" if reserved.finding else ""
        yield Line(f"  {reserved.name}: {reserved.instead}{found}.", hang=4)
    yield Line()
    yield Line(card.how, "dim")
    yield Line(card.caution, "strong")


def _row(row: CardRow) -> Iterator[Line]:
    why = f" ({row.why})" if row.why else ""
    yield Line(f"{row.capability:<{_NAME}}{row.words}{why}", _STYLES[row.verdict], hang=_NAME)
    for one in row.measured:
        failed = f", {one.failed} without an answer of its own" if one.failed else ""
        yield Line(f"{'':<{_NAME}}{one.means}: {_share(one)}{failed}", "dim", hang=_NAME)
    if row.inside:
        yield Line(f"{'':<{_NAME}}in whole turns of the product: {_share(row.inside)}", "dim", hang=_NAME)


def _share(one: Measured) -> str:
    score = one.score
    if score.percent is None:
        return "nothing scored"
    cases = f"{score.scored} case{'' if score.scored == 1 else 's'}"
    return f"{score.percent:.1f} % ({score.low:.1f}–{score.high:.1f}), {cases}"
