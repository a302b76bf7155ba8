"""docs/benchmarks.md is what the generator makes: its form is compared, its numbers are of the machine."""

from __future__ import annotations

import re

import pytest

from bench import page
from bench.gathering import PARTS
from bench.growth import Curve
from bench.keeping import Kept
from bench.report import Row, skipped
from tests.repository.tree import ROOT

MACHINE = "2 cores, 8 GiB, Linux x86_64, Python 3.11.7"
WRITTEN = ROOT / page.PAGE


def kept(part: str, *figures: Row | Curve, day: str = "2026-11-16") -> Kept:
    return Kept(part, day, MACHINE, tuple(figure.as_json() for figure in figures))


@pytest.fixture
def made() -> str:
    rows = [
        kept("start", Row("size", 300.0, "MB", goal=250)),
        kept("linking", skipped("linking", "no gold"), day="2026-11-17"),
    ]
    curves = [kept("charts", Curve("Name search", "resources", "ms", ((1_000, 1.0), (10_000, 10.0)), 0.3))]
    return page.page(rows, curves)


def tables(text: str) -> dict[str, list[list[str]]]:
    """Under each heading the rows of its table, the head first."""
    found: dict[str, list[list[str]]] = {}
    for section in text.split("\n## ")[1:]:
        title, _, body = section.partition("\n")
        lines = [line for line in body.splitlines() if line.startswith("|") and not set(line) <= set("|-")]
        found[title] = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return found


def test_every_figure_is_on_it_with_its_verdict(made: str) -> None:
    found = tables(made)
    assert found["Small sizes"][1:] == [
        ["start", "size", "300.00 MB", "", "", "≤ 250 MB", "SHORT"],
        ["linking", "linking", "–", "", "", "", "skipped: no gold"],
    ]
    told = "1,000: 1.00 ms · 10,000: 10.00 ms"
    assert found["Growth"][1:] == [["charts", "Name search", "resources", told, "1.00", "≤ 0.3", "SHORT"]]
    assert found["Where it was measured"][1:] == [[MACHINE, "2026-11-16 to 2026-11-17", "2026-11-16"]]
    assert "Short of its goal: size." in made


def test_the_page_has_the_form_that_the_generator_gives_it(made: str) -> None:
    written = WRITTEN.read_text(encoding="utf-8")
    assert written.startswith(page.OPENING)
    ours, theirs = tables(made), tables(written)
    assert list(theirs) == list(ours) == list(page.SECTIONS)
    assert {title: rows[0] for title, rows in theirs.items()} == {title: rows[0] for title, rows in ours.items()}
    for title in ("Commands", "Parts"):
        assert theirs[title] == ours[title], "run `make bench-docs`"


def test_no_part_is_missing_on_the_page() -> None:
    found = tables(WRITTEN.read_text(encoding="utf-8"))
    assert [row[0] for row in found["Parts"][1:]] == [part.name for part in PARTS]
    for title, names in (
        ("Small sizes", [part.name for part in PARTS]),
        ("Growth", [part.name for part in PARTS if part.grows]),
    ):
        assert list(dict.fromkeys(row[0] for row in found[title][1:])) == names, title


def test_every_row_on_the_page_has_a_day_and_a_machine() -> None:
    found = tables(WRITTEN.read_text(encoding="utf-8"))["Where it was measured"][1:]
    assert found
    for machine, *days in found:
        assert re.fullmatch(r"\d+ cores, \d+ GiB, \w+ \w+, Python [\d.]+", machine)
        assert all(re.fullmatch(r"–|\d{4}-\d\d-\d\d( to \d{4}-\d\d-\d\d)?", day) for day in days)


def test_what_the_readme_says_was_measured_has_its_command() -> None:
    """A sentence of the README with a figure of speed or size names the command that measures it, or has none."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    figure = re.compile(r"\d[\d.,]*\s?(?:ms|MB|GB|seconds?|minutes?|%|times|×)(?!\w)")
    claims = [
        paragraph
        for paragraph in re.sub(r"```.*?```", "", text, flags=re.DOTALL).split("\n\n")
        if figure.search(paragraph)
    ]
    assert [claim for claim in claims if not re.search(r"`make [a-z-]+`|\(docs/benchmarks\.md\)", claim)] == []
