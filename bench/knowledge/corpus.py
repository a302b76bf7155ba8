"""What is searched and what is asked: MedQuAD beside the repository, and the demonstration entries that ship."""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from docgemma.embed import Embedder
from docgemma.knowledge.entry import LONGEST_ANSWER, LONGEST_QUESTION, LONGEST_TOPIC, Entry, Language
from docgemma.knowledge.search.meaning import meaning_text

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

HERE = Path(__file__).parent
MEDQUAD = Path("../shared/data/kb/medquad.jsonl")
DEMO = Path("src/docgemma/knowledge/demo")
CACHE = Path(".cache/knowledge")
READER = "reader"
EASY = ("other_topic", "chitchat", "nonsense")
"""Kinds of questions that no knowledge base of medicine should answer."""


@dataclass(frozen=True, slots=True)
class Question:
    """`relevant`: keys of entries that answer it; `kind`: why nothing does, empty where something does."""

    text: str
    role: str
    language: Language
    split: str
    relevant: frozenset[str] = frozenset()
    kind: str = ""


@dataclass(frozen=True, slots=True)
class Corpus:
    """`keys`: entry id → what a right answer is known by. Entries without one are there to distract."""

    name: str
    entries: list[Entry]
    keys: dict[str, str]
    questions: list[Question]
    mixed: list[tuple[int, int]] = field(default_factory=list)
    """Of each distractor the two entries it was made of."""


def rows(path: Path) -> list[dict[str, Any]]:
    with path.open(encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def medquad(size: int = 0) -> Corpus:
    """All of it, filled up to `size` with entries made of it. A key is its (focus, qtype) pair."""
    found = rows(MEDQUAD)
    entries = [_medquad_entry(number, row) for number, row in enumerate(found)]
    keys = {entry.id: _pair(row["focus"], row["qtype"]) for entry, row in zip(entries, found, strict=True)}
    asked = [
        Question(row["query"], READER, "en", row["split"], frozenset(_pair(*each) for each in row["relevant"]))
        for row in rows(HERE / "paraphrases.jsonl")
    ]
    refused = [
        Question(row["query"], READER, "en", "dev" if number % 2 == 0 else "test", kind=row["kind"])
        for number, row in enumerate(rows(HERE / "out_of_scope.jsonl"))
    ]
    made, mixed = _distractors(found, size - len(entries))
    return Corpus("MedQuAD", entries + made, keys, asked + refused, mixed)


def demonstration(language: Language) -> Corpus:
    found = [row for path in sorted(DEMO.glob(f"*.{language}.jsonl")) for row in rows(path)]
    entries = [Entry(**row, demonstration=True) for row in found]
    asked = [
        Question(row["query"], row["role"], row["language"], row["split"], frozenset(row["relevant"]))
        for row in rows(HERE / "demo_questions.jsonl")
    ]
    refused = [
        Question(row["query"], row["role"], row["language"], row["split"], kind=row["kind"])
        for row in rows(HERE / "demo_out_of_scope.jsonl")
    ]
    questions = [each for each in asked + refused if each.language == language]
    return Corpus(f"demonstration, {language}", entries, {entry.id: entry.id for entry in entries}, questions)


def vectors(corpus: Corpus, embedder: Embedder) -> NDArray[np.float32]:
    """Kept between runs. A distractor's vector lies between those of the entries it was made of."""
    import numpy as np

    real = corpus.entries[: len(corpus.entries) - len(corpus.mixed)]
    texts = [meaning_text(entry) for entry in real]
    name = hashlib.sha256("\n".join((embedder.name, *texts)).encode()).hexdigest()[:16]
    kept = CACHE / f"{name}.npy"
    if kept.exists():
        found: NDArray[np.float32] = np.load(kept)
    else:
        found = embedder.embed(texts)
        CACHE.mkdir(parents=True, exist_ok=True)
        np.save(kept, found)
    if not corpus.mixed:
        return found
    one, other = (np.array(side) for side in zip(*corpus.mixed, strict=True))
    between = found[one] + found[other]
    return np.vstack((found, between / np.linalg.norm(between, axis=1, keepdims=True)))


def _medquad_entry(number: int, row: dict[str, Any]) -> Entry:
    """As the documentation says that it is ingested: the focus is the topic, the kind of question the subtopic."""
    return Entry(
        id=f"m{number}",
        question=row["question"][:LONGEST_QUESTION],
        answer=row["answer"][:LONGEST_ANSWER],
        role=READER,
        topic=row["focus"][:LONGEST_TOPIC].strip() or "-",
        subtopic=row["qtype"],
        language="en",
        source=row["source"],
    )


def _pair(focus: str, kind: str) -> str:
    return f"{focus}\n{kind}"


def _distractors(found: Sequence[dict[str, Any]], count: int) -> tuple[list[Entry], list[tuple[int, int]]]:
    """Entries on diseases that do not exist: the name and the text of one are mixed with those of another."""
    dice = random.Random(7)
    entries: list[Entry] = []
    mixed: list[tuple[int, int]] = []
    for number in range(max(0, count)):
        one, other = dice.randrange(len(found)), dice.randrange(len(found))
        entries.append(_mixture(number, found[one], found[other]))
        mixed.append((one, other))
    return entries, mixed


def _mixture(number: int, one: dict[str, Any], other: dict[str, Any]) -> Entry:
    name = " ".join((*one["focus"].split()[:2], *other["focus"].split()[-2:])) or "Unnamed"
    question = one["question"].replace(one["focus"], name) if one["focus"] else f"What is {name}?"
    sentences = zip(one["answer"].split(". "), other["answer"].split(". "), strict=False)
    answer = ". ".join(each for pair in sentences for each in pair)[: max(300, len(one["answer"]))]
    row = {"question": question, "answer": answer, "focus": name, "qtype": one["qtype"], "source": "mixed"}
    return _medquad_entry(10_000_000 + number, row)


def batches(entries: Sequence[Entry], size: int = 1_000) -> Iterator[tuple[int, Sequence[Entry]]]:
    for start in range(0, len(entries), size):
        yield start, entries[start : start + size]
