"""The whole report in one file: the card, the tables with their intervals, and every miss down to its timeline.

Words of models, sources and users are hostile text here: escaped, stripped of control characters, never rendered as
markdown, never a link. The page carries a policy that allows its own style sheet, by hash, and nothing else.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from docgemma.entities.printable import plain
from docgemma.errors import BadInput
from docgemma.evals.card import ALONE, CAUTION, CHECKED, NO_MODEL_NOTE, cards_of
from docgemma.evals.journal import Head
from docgemma.evals.suite import CaseRecord
from docgemma.evals.summary import Comparison, Report, Score
from docgemma.evals.views import Missed, suites

DETAILS = 6_000_000
"""Bytes for whole turns. A run that misses more keeps what was expected and got; the rest is in its file of records."""

_BEGINNING, _END = 400, 2000


def write_html(
    path: Path,
    reports: Sequence[Report],
    records: Sequence[CaseRecord],
    comparisons: Sequence[Comparison],
    heads: Sequence[Head],
) -> None:
    """FILE, readable by its owner alone, as the records are: cases of one's own may be taken from life."""
    text = page(reports, records, comparisons, heads)
    try:
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as stream:
            stream.write(text.encode("utf-8", "replace"))
    except OSError as error:
        raise BadInput(f"{path.name} cannot be written: {error.strerror}.") from None


def page(
    reports: Sequence[Report],
    records: Sequence[CaseRecord],
    comparisons: Sequence[Comparison] = (),
    heads: Sequence[Head] = (),
    *,
    details: int = DETAILS,
) -> str:
    """The text of the page; `details` bytes of it at most are whole turns."""
    style = files("docgemma.evals").joinpath("templates", "report.css").read_text("utf-8")
    template = environment().get_template("report.html")
    return template.render(
        style=Markup(style),  # noqa: S704 - our own file
        policy=policy(style),
        models=list(dict.fromkeys(report.model for report in reports)),
        cards=cards_of(records, heads),
        no_model=NO_MODEL_NOTE,
        caution=CAUTION,
        marks=(CHECKED, ALONE),
        suites=suites(reports, records, comparisons, heads),
        heads=heads,
        drill=_drill(details),
    )


def policy(style: str) -> str:
    """Nothing is fetched, nothing runs, and of styles only ours holds."""
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    return f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"


@cache
def environment() -> Environment:
    """Compiled once a process; strict, so that a misspelt name is an error and not a gap."""
    made = Environment(
        loader=PackageLoader("docgemma.evals", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=lambda value: plain(value) if type(value) is str else value,
    )
    made.filters |= {each.__name__: each for each in (cut, middle, percent, interval, arguments, tables, counted)}
    return made


def cut(text: str, most: int) -> str:
    """The beginning, and how much was left out: a cut that is not told could turn a dose or a denial around."""
    shown = plain(text)
    return shown if len(shown) <= most else f"{shown[:most]} … [{len(shown) - most:,} more characters]"


def middle(text: str) -> str:
    """A prompt without its middle: what is fixed stands first, and the case itself last."""
    shown = plain(text)
    if len(shown) <= _BEGINNING + _END:
        return shown
    left_out = len(shown) - _BEGINNING - _END
    return f"{shown[:_BEGINNING]}\n… [{left_out:,} characters left out] …\n{shown[-_END:]}"


def percent(score: Score) -> str:
    return "–" if score.percent is None else f"{score.percent:.1f} %"


def interval(score: Score) -> str:
    return "" if score.low is None or score.high is None else f"{score.low:.1f}–{score.high:.1f}"


def arguments(args: dict[str, Any]) -> str:
    return ", ".join(f"{name}: {json.dumps(value, ensure_ascii=False, default=str)}" for name, value in args.items())


def counted(number: int, word: str) -> str:
    return f"{number:,} {word}{'' if number == 1 else 's'}"


def _drill(room: int) -> Callable[[Missed], Markup]:
    """Tells one miss; once the room is used up, in short. An alarm is always told in full."""
    template = environment().get_template("case.html")
    used = 0

    def drill(missed: Missed) -> Markup:
        nonlocal used
        whole = used < room or bool(missed.record.alarms)
        text = template.render(anchor=missed.anchor, one=missed.record, whole=whole)
        used += len(text.encode("utf-8", "replace")) if whole else 0
        return Markup(text)  # noqa: S704 - rendered by our own template, which escapes

    return drill


# ----------
# A suite's own numbers as tables of texts.


@dataclass(frozen=True, slots=True)
class Table:
    """A table of texts. Without a head it is a list of names and values."""

    title: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def tables(figures: Mapping[str, Any]) -> tuple[Table, ...]:
    """Plain values together first, then one table for each group of values."""
    groups = {name: value for name, value in figures.items() if _grouped(value)}
    single = {name: value for name, value in figures.items() if name not in groups}
    found = [Table("", (), _pairs(single))] if single else []
    return (*found, *(one for name, group in groups.items() for one in _tables(_named(name), group)))


def _tables(title: str, group: Mapping[str, Any]) -> Iterator[Table]:
    """Groups of plain values are the rows of one table; what is deeper than that gets a table of its own."""
    if not any(map(_grouped, group.values())):
        yield Table(title, (), _pairs(group))
    elif all(isinstance(row, Mapping) and not any(map(_grouped, row.values())) for row in group.values()):
        columns = dict.fromkeys(column for row in group.values() for column in row)
        rows = [(_named(name), *(_text(row.get(key)) for key in columns)) for name, row in group.items()]
        yield Table(title, ("", *map(_named, columns)), tuple(rows))
    else:
        for name, value in group.items():
            yield from _tables(f"{title}: {_named(name)}", value if _grouped(value) else {"": value})


def _grouped(value: Any) -> bool:
    """Values under names: a table of its own."""
    return isinstance(value, Mapping) and bool(value)


def _pairs(values: Mapping[str, Any]) -> tuple[tuple[str, ...], ...]:
    return tuple((_named(name), _text(value)) for name, value in values.items())


def _named(name: Any) -> str:
    return str(name).replace("_", " ")


def _text(value: Any) -> str:
    if value is None:
        return "–"
    if isinstance(value, float):
        return f"{value:.3f}".rstrip("0").rstrip(".")
    return str(value) if isinstance(value, (str, int)) else json.dumps(value, ensure_ascii=False, default=str)
