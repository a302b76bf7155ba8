"""Finding drug names in a megabyte of notes, beside flashtext with the same names and the same word boundaries."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from statistics import median

from bench.report import Row
from docgemma.entities.drugs import matcher as drug_matcher
from docgemma.entities.drugs.table import table

SIZE = 1_000_000
GOAL = 1 / 7
ROUNDS = 5
Found = list[tuple[str, int, int]]

_SENTENCES = (
    "Seen in clinic today with her daughter, feels well in herself and is sleeping better.",
    "Started on {} after the last visit, no side effects so far.",
    "Blood pressure 142/88, pulse 76 and regular, saturations 97 per cent on air.",
    "Past history of type 2 diabetes, hypertension and a hip replacement in 2014.",
    "Regular medicines are {}, {} and {}, all taken as prescribed.",
    "Chest clear, heart sounds normal, no ankle swelling, abdomen soft and not tender.",
    "Advised to stop {} two days before the procedure and to restart it the day after.",
    "Creatinine 96, potassium 4.4, haemoglobin 12.9, HbA1c down from 8.1 to 7.2.",
    "Allergic to {}, which gave her a rash many years ago.",
    "Lives alone, manages her own shopping, does not smoke and drinks on occasion.",
    "The pharmacist asked whether {} may be given together with {}.",
    "Plan: repeat the bloods in six weeks and review with the results, sooner if worse.",
)
_LOAD = """
import json, pathlib, resource, time
from docgemma.entities.drugs import matcher

def held():
    return int(pathlib.Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize() / 1e6

before, start = held(), time.process_time()
matcher.find("metformin")
print(json.dumps({"ms": (time.process_time() - start) * 1000, "mb": held() - before}))
"""


@dataclass(frozen=True, slots=True)
class Load:
    """What the first question costs: reading the dictionary and building the search."""

    ms: float
    mb: float


def notes(size: int = SIZE, seed: int = 7) -> str:
    """Text as clinicians write it; two of three drug names are daily ones, the others come from all."""
    draw = random.Random(seed)
    daily, every = sorted(table().common), sorted(table().names)
    pieces: list[str] = []
    length = 0
    while length < size:
        sentence = draw.choice(_SENTENCES)
        names = [draw.choice(daily if draw.random() < 2 / 3 else every) for _ in range(sentence.count("{}"))]
        pieces.append(sentence.format(*names) + draw.choice((" ", " ", " ", "\n", "\n\n")))
        length += len(pieces[-1])
    return "".join(pieces)[:size]


def flashtext() -> Callable[[str], Found]:
    """The peer, told our names."""
    from flashtext import KeywordProcessor

    processor = KeywordProcessor()
    for name in drug_matcher.keys().values():
        processor.add_keyword(name, name)
    return lambda text: processor.extract_keywords(text, span_info=True)


def rows() -> Iterator[Row]:
    """Both on the same text in turn; the median round counts. Unequal matches make the comparison void."""
    text, peer = notes(), flashtext()
    contenders: dict[str, Callable[[str], Found]] = {"ours": drug_matcher.find, "flashtext": peer}
    found = {name: contender(text) for name, contender in contenders.items()}
    if found["ours"] != found["flashtext"]:
        odd = set(found["ours"]) ^ set(found["flashtext"])
        raise RuntimeError(f"The contenders find different names, for example {sorted(odd, key=str)[:3]}.")
    spent: dict[str, list[float]] = {name: [] for name in contenders}
    for _ in range(ROUNDS):
        for name, contender in contenders.items():
            start = time.process_time()
            contender(text)
            spent[name].append((time.process_time() - start) * 1000)
    ours, theirs = median(spent["ours"]), median(spent["flashtext"])
    load = first_question()
    yield from (
        Row(f"Drug names in 1 MB, {len(found['ours'])} found, CPU", ours, "ms", "flashtext", theirs, GOAL),
        Row("Times as fast as flashtext", theirs / ours, "×"),
        Row(f"Dictionary of {len(table().names)} names, first question, CPU", load.ms, "ms"),
        Row("Dictionary, memory", load.mb, "MB"),
    )


def first_question() -> Load:
    """In a process of its own, because the dictionary is read once."""
    done = subprocess.run([sys.executable, "-c", _LOAD], capture_output=True, text=True, check=True)
    return Load(**json.loads(done.stdout))
