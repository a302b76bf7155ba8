"""Files of questions and answers, as an operator brings them."""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping, Sequence
from pathlib import Path

SUGAR = "A blood sugar below 4 mmol/L is low. Give fast sugar, and measure again after 15 minutes."
WOUND = "Wash your hands, put on clean gloves, and look at the wound for redness, swelling and pus."


def row(
    id_: str = "n-1", question: str = "What is a low blood sugar?", answer: str = SUGAR, **more: str
) -> dict[str, str]:
    given = {"role": "nurse", "topic": "Diabetes", "subtopic": "Low sugar", "language": "en", "source": "Ward handbook"}
    return {"id": id_, "question": question, "answer": answer, **given, **more}


def two() -> list[dict[str, str]]:
    return [row(), row("n-2", "How is a wound looked after?", WOUND, topic="Wounds", subtopic="")]


def lines(path: Path, *rows: Mapping[str, str]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{json.dumps(each, ensure_ascii=False)}\n" for each in rows), encoding="utf-8")
    return path


def table(path: Path, rows: Sequence[Mapping[str, str]]) -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return path
