"""`python -m bench.knowledge.common_words`: writes the shipped table of words that are common in medical text.

The text is what the National Institutes of Health answer to patients (MedQuAD). Only counts are kept of it.
"""

from __future__ import annotations

import json
import math
from collections import Counter, defaultdict
from pathlib import Path

from docgemma.knowledge.search import english
from docgemma.knowledge.search.rarity import TABLE
from docgemma.knowledge.search.tables import FOLDER

MEDQUAD = Path("../shared/data/kb/medquad.jsonl")
_AT_LEAST = 12


def main() -> None:
    with MEDQUAD.open(encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    seen = Counter(word for row in rows for word in set(english.words(f"{row['question']} {row['answer']}")))
    steps: dict[int, list[str]] = defaultdict(list)
    for word, count in seen.items():
        if count >= _AT_LEAST and word.isalpha():
            steps[round(2 * math.log(len(rows) / count))].append(word)
    lines = [f"{step}\t{' '.join(sorted(steps[step]))}" for step in sorted(steps)]
    head = "# Half units of ln(1 / share of texts with the word), then the words in compared form. All others are rare."
    table = FOLDER / TABLE
    table.write_text("\n".join((head, *lines)) + "\n", encoding="utf-8")
    print(f"{table.name}: {sum(map(len, steps.values()))} words of {len(seen)}")


if __name__ == "__main__":
    main()
