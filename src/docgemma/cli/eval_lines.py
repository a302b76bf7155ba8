"""The report of an eval as lines for a terminal: the table, what it cost, a comparison, and every miss."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from docgemma.cli.render import Line, Style, one_line
from docgemma.evals.card import NO_MODEL_NOTE, Card, CardRow, Measured, Verdict
from docgemma.evals.casefiles import Split
from docgemma.evals.summary import Comparison, Miss, Paired, Report, Row, Score

_FIRST, _KIND = 16, 15
_SAID, _SHOWN, _TOGETHER = 300, 400, 90
_SPLITS: dict[Split, str] = {"dev": "dev", "held": "held out"}


def table_lines(report: Report, *, misses: bool) -> Iterator[Line]:
    """Everything there is to say about one variant of a run."""
    variant = f", {one_line(report.variant, 60)}" if report.variant != "routed" else ""
    counted = _counted(report.totals.cases)
    yield Line(f"{report.title} with the model {one_line(report.model, 80)}{variant}: {counted}", "strong")
    for name, value in report.about.items():
        yield Line(f"{name[0].upper()}{name[1:].replace('_', ' ')}: {one_line(str(value), 120)}", "dim")
    yield Line()
    yield from _table(report)
    yield Line()
    yield from _costs(report)
    yield from figure_lines(report.suite, report.figures)
    if misses and report.misses:
        yield Line()
        yield Line(f"Misses: {len(report.misses)} of {counted}", "strong")
        for miss in report.misses:
            yield from _miss(miss, report.alarm)


def side_by_side(reports: Sequence[Report], names: Sequence[str] = ()) -> Iterator[Line]:
    """The totals of several variants, a line each; `names` for those that their variant does not tell apart."""
    first = reports[0]
    models = " and ".join(dict.fromkeys(one_line(report.model, 80) for report in reports))
    yield Line(f"{first.title} with the model {models}", "strong")
    yield Line()
    columns = list(first.metrics)
    labels = [one_line(name, 60) for name in names or [report.variant for report in reports]]
    rows = [["variant", "cases", *columns, "all right", "calls a turn", "right a call"]]
    for name, report in zip(labels, reports, strict=True):
        whole, calls = _share(report.totals.whole), report.whole_per_model_call
        costs = [f"{report.model_calls_per_turn:.2f}", "–" if calls is None else f"{calls:.3f}"]
        rows.append([*_row(name, report.totals, columns), whole, *costs])
    for number, text in enumerate(_set(rows)):
        yield Line(text, "plain" if number else "strong")
    yield Line()
    for name, report in zip(labels, reports, strict=True):
        yield from _warnings(report, f"{name}: ")
        if report.totals.alarms:
            yield Line(f"{name}: {report.alarm}: {report.totals.alarms}", "warning")


def comparison_lines(comparison: Comparison) -> Iterator[Line]:
    """B beside A, case by case."""
    yield Line()
    yield Line(f"{one_line(comparison.b, 60)} beside {one_line(comparison.a, 60)}", "strong")
    for pair in comparison.metrics:
        yield Line(f"  {pair.metric:<{_FIRST}}{_difference(pair)}", hang=4)
    yield Line(
        f"  {'model calls':<{_FIRST}}{comparison.calls_a:.2f} → {comparison.calls_b:.2f} a case; "
        f"{len(comparison.changed)} cases came out otherwise"
        + (f"; {comparison.unpaired} are in one of the two alone" if comparison.unpaired else ""),
        hang=4,
    )
    if comparison.apart:
        yield Line(f"  The two runs also differ in: {', '.join(comparison.apart)}.", "warning", hang=4)


def _difference(pair: Paired) -> str:
    chance = "" if pair.p is None else f", p {pair.p:.3f}" if pair.p >= 0.001 else ", p < 0.001"
    sure = "" if pair.clear else ", may be chance"
    return (
        f"{pair.a:.1f} → {pair.b:.1f} %: {pair.difference:+.1f} points "
        f"(95 %: {pair.low:+.1f} to {pair.high:+.1f}{chance}{sure}), {pair.pairs} pairs"
    )


def _table(report: Report) -> Iterator[Line]:
    columns = list(report.metrics)
    splits = report.splits if len(report.splits) > 1 else {}
    name = "all" if splits else next(_SPLITS[split] for split in report.splits)
    rows = [
        ["kind", "cases", *columns],
        *(_row(kind, row, columns) for kind, row in report.kinds.items()),
        *(_row(_SPLITS[split], row, columns) for split, row in splits.items()),
        _row(name, report.totals, columns),
        ["95 % interval", "", *(_interval(report.totals.scores[column]) for column in columns)],
    ]
    head, *lines, last = _set(rows)
    yield Line(head, "strong")
    for number, text in enumerate(lines):
        if number == len(report.kinds):
            yield Line("-" * max(map(len, (head, *lines, last))), "dim")
        yield Line(text)
    yield Line(last, "dim")


def _costs(report: Report) -> Iterator[Line]:
    alarms = report.totals.alarms
    yield Line(f"{report.alarm[0].upper()}{report.alarm[1:]}: {alarms}", "warning" if alarms else "plain")
    yield from _warnings(report)
    if report.stable is not None:
        yield Line(f"The same in all {report.repeats} repeats: {report.stable:.1f} % of the cases")
    spread = report.seconds_per_turn
    took = f"Seconds a turn: {spread.median:.2f}, {spread.p95:.2f} at most in 95 %. " if report.model != "rules" else ""
    yield Line(f"Model calls a turn: {report.model_calls_per_turn:.2f}. {took}{_now(report)}".rstrip())


def _now(report: Report) -> str:
    """What was used of this machine is known of the turns that were run just now, and of no others."""
    if not report.turns_now:
        return ""
    earlier = report.turns - report.turns_now
    before = f" {earlier} turn{'' if earlier == 1 else 's'} of an earlier run not counted." if earlier else ""
    used = f"CPU a turn: {report.cpu_ms_per_turn:.1f} ms ({report.turns_now} turns in {report.seconds:.1f} s)."
    return used + before


def _warnings(report: Report, before: str = "") -> Iterator[Line]:
    if report.errors:
        yield Line(f"{before}Without a record: {report.errors}", "warning")
    if report.rule_instead:
        failed = f"The model failed and a rule answered in its place: {report.rule_instead} of the turns"
        yield Line(before + failed, "warning")


def _miss(miss: Miss, alarm: str) -> Iterator[Line]:
    screen = f", {one_line(miss.patient, 64)} on screen" if miss.patient else ""
    again = f", repeat {miss.repeat + 1}" if miss.repeat else ""
    yield Line()
    yield Line(f"{miss.id} ({miss.kind}, {_SPLITS[miss.split]}{screen}{again})", "strong")
    for message in miss.before:
        yield Line(f"  before: {one_line(message, _SAID)}", "dim", hang=10)
    yield Line(f"  said: {one_line(miss.say, _SAID)}", hang=8)
    for one in miss.differences:
        expected, got = one_line(one.expected, _SHOWN), one_line(one.got, _SHOWN)
        if len(expected) + len(got) <= _TOGETHER:
            yield Line(f"  {one.column}: expected {expected}, got {got}", hang=4)
        else:
            yield Line(f"  {one.column}: expected {expected}", hang=4)
            yield Line(f"  {'got':>{len(one.column) + 10}} {got}", hang=len(one.column) + 13)
    for text in miss.alarms:
        yield Line(f"  {alarm}: {one_line(text, _SHOWN)}", "warning", hang=4)


def _row(name: str, row: Row, columns: Sequence[str]) -> list[str]:
    return [name, str(row.cases), *(_share(row.scores[column]) for column in columns)]


def _counted(cases: int) -> str:
    return f"{cases} case{'' if cases == 1 else 's'}"


def _set(rows: Sequence[Sequence[str]]) -> list[str]:
    """Each column as wide as what stands in it: terminals are narrow, and a broken row cannot be read."""
    first = max(_KIND, *(len(row[0]) for row in rows))
    widths = [max(len(row[place]) for row in rows) for place in range(1, len(rows[0]))]
    return [
        f"{row[0]:<{first}}" + "".join(f"  {cell:>{width}}" for cell, width in zip(row[1:], widths, strict=True))
        for row in rows
    ]


def _share(score: Score) -> str:
    return "–" if score.percent is None else f"{score.passed:.4g}/{score.scored} {score.percent:5.1f} %"


def _interval(score: Score) -> str:
    return "–" if score.low is None or score.high is None else f"{score.low:.1f}–{score.high:.1f} %"


# ----------
# The card "what this model may do" as lines for a terminal.


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
        yield from _capability(row)
    yield Line()
    yield Line("What no model may do here, whatever it scores:", "strong")
    for reserved in card.reserved:
        here = f"; here {_measured(reserved.measured)}" if reserved.measured else ""
        found = f" (the specification measured {reserved.finding}{here})" if reserved.finding else ""
        yield Line(f"  {reserved.name}: {reserved.instead}{found}.", hang=4)
    yield Line()
    yield Line(card.how, "dim")
    yield Line(card.caution, "strong")


def _capability(row: CardRow) -> Iterator[Line]:
    why = f" ({row.why})" if row.why else ""
    yield Line(f"{row.capability:<{_NAME}}{row.words}{why}", _STYLES[row.verdict], hang=_NAME)
    for one in row.measured:
        failed = f", {one.failed} without an answer of its own" if one.failed else ""
        yield Line(f"{'':<{_NAME}}{one.means}: {_measured(one)}{failed}", "dim", hang=_NAME)
    if row.inside:
        yield Line(f"{'':<{_NAME}}in whole turns of the product: {_measured(row.inside)}", "dim", hang=_NAME)


def _measured(one: Measured) -> str:
    score = one.score
    if score.percent is None:
        return "nothing scored"
    return f"{score.percent:.1f} % ({score.low:.1f}–{score.high:.1f}), {_counted(score.scored)}"


# ----------
# Numbers that only one suite has, below the table that every suite has.


_CONSULTED = ("found", "first", "topic", "refused", "urgent", "worded")


def consult_lines(figures: Mapping[str, Any]) -> Iterator[Line]:
    """What was asked in each language and by each role, in percent."""
    for group in (figures["languages"], figures["roles"]):
        for name, row in group.items():
            shares = ", ".join(f"{column} {share:.1f} %" for column, share in row.items() if column in _CONSULTED)
            yield Line(f"{name} ({row['cases']}): {shares}", hang=4)


_NAMED, _WIDTH = 14, 9
_CONCEPTS = {
    "there": "of all entities that have one",
    "found": "of those that were found",
    "grounded": "of those called grounded",
    "proposed": "of those that were found: among the candidates",
}


def grounding_lines(figures: Mapping[str, Any]) -> Iterator[Line]:
    """Entities by type, what was read about them, their concepts, and what was left to an expert."""
    yield Line(_cells("entities", "there", "found", "strict P", "R", "F1", "relaxed P", "R", "F1"), "strong")
    for kind, strict in figures["strict"].items():
        shares = [*_shares(strict), *_shares(figures["relaxed"][kind])]
        style: Style = "strong" if kind == "all" else "plain"
        yield Line(_cells(kind, str(strict["there"]), str(strict["found"]), *shares), style)
    yield Line()
    yield Line("Of entities that were found", "strong")
    for name, accuracy in figures["attributes"].items():
        yield Line(f"  {name:<{_NAMED}}{_accuracy(accuracy)}")
    yield Line("Right concept", "strong")
    for name, words in _CONCEPTS.items():
        yield Line(f"  {_accuracy(figures['concepts'][name]):<18} {words}")
    yield Line(f"For an expert: {_accuracy(figures['expert_review'])} of the entities")
    if figures["by_model"] is not None:
        precision, recall, f1 = _shares(figures["by_model"])
        yield Line(f"Entities that the model named itself, relaxed: P {precision}, R {recall}, F1 {f1}")
    if figures["listed_by_code"]:
        listed = figures["listed_by_code"]
        yield Line(f"The model's answer was of no use and code listed the entities: {listed}", "warning")


def _shares(finding: Mapping[str, Any]) -> list[str]:
    return ["–" if finding[name] is None else f"{finding[name]:.1f}" for name in ("precision", "recall", "f1")]


def _cells(first: str, *cells: str) -> str:
    return f"{first:<{_NAMED}}" + "".join(f"{cell:>{_WIDTH + 1}}" for cell in cells)


def _accuracy(one: Mapping[str, Any]) -> str:
    return "–" if one["percent"] is None else f"{one['right']}/{one['judged']} {one['percent']:.1f} %"


_HEAD = ("turns", "calls", "p95", "budget", "seconds", "p95", "text ms", "tokens in", "out", "tools ms", "own ms")


def latency_lines(figures: Mapping[str, Any]) -> Iterator[Line]:
    """Medians by path; `p95` is what only a twentieth exceeds, `text ms` the time until the first sentence."""
    yield Line(_cells("path", *_HEAD), "strong")
    for path, row in figures["paths"].items():
        calls = [f"{row['calls'][name]:g}" for name in ("median", "p95")]
        seconds = [f"{row['seconds'][name]:.2f}" for name in ("median", "p95")]
        names = ("first_text_ms", "prompt_tokens", "completion_tokens", "tool_ms", "own_ms")
        rest = ["–" if row[name] is None else f"{row[name]:.0f}" for name in names]
        yield Line(_cells(path, str(row["turns"]), *calls, str(row["budget"]), *seconds, *rest))


_LINES: dict[str, Callable[[Mapping[str, Any]], Iterator[Line]]] = {
    "consult": consult_lines,
    "grounding": grounding_lines,
    "latency": latency_lines,
}


def figure_lines(suite: str, figures: Mapping[str, Any]) -> Iterator[Line]:
    """Nothing for a suite whose numbers are all in the table."""
    if figures and suite in _LINES:
        yield Line()
        yield from _LINES[suite](figures)
