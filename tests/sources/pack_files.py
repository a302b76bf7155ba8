"""Parts of openFDA's download in small, and packs built from them."""

from __future__ import annotations

import gzip
import io
import json
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from docgemma.sources.contract import Labels
from docgemma.sources.pack.build import Built
from docgemma.sources.pack.labels.build import build
from docgemma.sources.pack.reader import open_packs
from tests.sources.asking import soon
from tests.support.labels import Record, record

DAY = "2026-08-11"


def document(records: Sequence[Any], updated: str | None = DAY) -> bytes:
    meta = {"disclaimer": "For tests.", "results": {"skip": 0, "limit": len(records), "total": len(records)}}
    if updated is not None:
        meta["last_updated"] = updated
    return json.dumps({"meta": meta, "results": records}, ensure_ascii=False, indent=1).encode()


def zipped(data: bytes, *names: str) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in names or ("drug-label-0001-of-0001.json",):
            archive.writestr(name, data)
    return out.getvalue()


def part(path: Path, records: Sequence[Any], updated: str | None = DAY) -> Path:
    """Packed the way that its name says."""
    data = document(records, updated)
    if path.name.endswith(".zip"):
        data = zipped(data)
    elif path.name.endswith(".gz"):
        data = gzip.compress(data)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


def shelf(number: int = 60) -> list[Record]:
    """Different drugs by different makers: alone and combined, some unknown to openFDA, some over the counter."""
    found = []
    for place in range(number):
        drug = f"drug{place % 17}"
        with_salt = place % 3 == 0
        found.append(
            record(
                f"{drug} sodium" if with_salt else drug,
                brand=f"Brand{place}",
                substances=[drug, "extra"] if place % 5 == 0 else [drug],
                maker=f"Maker {place % 7}",
                effective=f"20{10 + place % 15}0{1 + place % 9}15",
                kind="HUMAN OTC DRUG" if place % 4 == 0 else "HUMAN PRESCRIPTION DRUG",
                harmonised=place % 11 != 0,
                original=place % 6 == 0,
                contraindications=f"Not for people whose {drug} level is above {place} µmol/L. " * 5,
                drug_interactions=f"Taken with drug{(place + 1) % 17}, {drug} may stay longer. " * 9,
            )
        )
    return found


def built(folder: Path, records: Sequence[Any], *, updated: str = DAY, keep: int = 10) -> Built:
    """A pack of these, in the folder of packs."""
    return build([part(folder.parent / "in" / f"{updated}.json", records, updated)], folder, keep=keep)


def database_of(made: Built) -> Path:
    return made.place.database


async def ask(folder: Path, drug: str) -> Labels | None:
    """What the pack that is in use says."""
    (pack,) = open_packs(folder)
    try:
        return await pack.labels(drug, ends_at=soon())
    finally:
        await pack.close()
