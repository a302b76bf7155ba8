"""The cases that come with DocGemma, understood without a model."""

from __future__ import annotations

from pathlib import Path

from docgemma.config import Settings
from docgemma.evals.turns.cases import load_cases
from docgemma.evals.report import summarize
from docgemma.evals.turns.scoring import COLUMNS
from docgemma.evals.turns.suite import run_turns

LEAST = 95.0


async def test_rules_alone_understand_them(tmp_path: Path) -> None:
    report = summarize(await run_turns(Settings(home=tmp_path, model="rules"), load_cases()))
    shown = {column: report.totals.scores[column].percent for column in COLUMNS}
    assert report.totals.cases >= 250
    assert report.errors == 0
    assert report.totals.unasked_writes == 0, [miss.id for miss in report.misses if miss.unasked_writes]
    assert report.below(LEAST) == [], shown
