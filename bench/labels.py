"""Labels to measure with: invented, in the shape of openFDA's bulk files, each of about 10 KB."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

_SYLLABLES = ("ba", "cor", "dan", "el", "fir", "gol", "hu", "is", "jo", "kem", "lar", "mo", "nis", "or", "pa", "rin")
_WORDS = 4000
_SECTIONS = ("indications_and_usage", "contraindications", "warnings", "drug_interactions", "dosage_and_administration")
_EACH_DRUG = 5
_UNHARMONISED = 10
"""One label in so many has no names of its own."""


def name(number: int) -> str:
    """An ingredient; another one for each number."""
    base = len(_SYLLABLES)
    letters = [_SYLLABLES[number // base**place % base] for place in range(4)]
    return f"{''.join(letters)}{number // base**4 or ''}ol"


def drugs(labels: int) -> int:
    return max(1, labels // _EACH_DRUG)


def write(path: Path, labels: int, *, kilobytes: int = 10) -> None:
    """One part, written record by record: it may be larger than memory."""
    with path.open("w", encoding="utf-8") as file:
        file.write(
            '{"meta": {"last_updated": "2026-08-11", "results": {"skip": 0, "limit": 1, "total": 1}}, "results": ['
        )
        for number, record in enumerate(records(labels, kilobytes)):
            file.write((",\n" if number else "\n") + json.dumps(record, ensure_ascii=False))
        file.write("]}\n")


def records(labels: int, kilobytes: int = 10) -> Iterator[dict[str, Any]]:
    draw = random.Random(5)
    words = [name(draw.randrange(60_000)) for _ in range(_WORDS)]
    for number in range(labels):
        yield _record(number, drugs(labels), words, draw, kilobytes)


def _record(number: int, drugs: int, words: list[str], draw: random.Random, kilobytes: int) -> dict[str, Any]:
    ingredient = name(number % drugs).upper()
    brand = f"{name(number + 100_000).capitalize()} Forte"
    record: dict[str, Any] = {
        "set_id": f"{number:08x}-0000-4000-8000-{number:012x}",
        "id": f"{number:08x}-1111-4000-8000-{number:012x}",
        "version": str(number % 9 + 1),
        "effective_time": f"20{10 + number % 16:02}{number % 12 + 1:02}{number % 28 + 1:02}",
        "spl_product_data_elements": [f"{brand} {ingredient} sodium {ingredient} SODIUM {ingredient} LACTOSE TALC"],
        "openfda": {},
    }
    if number % _UNHARMONISED:
        record["openfda"] = {
            "brand_name": [brand],
            "generic_name": [f"{ingredient} SODIUM"],
            "substance_name": [ingredient],
            "manufacturer_name": [f"Bench {number % 300} Inc"],
            "product_type": ["HUMAN PRESCRIPTION DRUG"],
            "route": ["ORAL"],
            "is_original_packager": [number % 3 == 0],
        }
    each = kilobytes * 1000 // len(_SECTIONS) // 13
    for section in _SECTIONS:
        record[section] = [f"{section.replace('_', ' ').upper()} • {' '.join(draw.choices(words, k=each))} ≥ 5 mg."]
    return record
