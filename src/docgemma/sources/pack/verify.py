"""Whether a pack is still what was built, and what packs there are."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path

from docgemma.errors import Unavailable, UnknownId
from docgemma.sources.pack.build import building, is_whole
from docgemma.sources.pack.documents import database as documents
from docgemma.sources.pack.documents.pack import belongs
from docgemma.sources.pack.labels import database as labels
from docgemma.sources.pack.labels.database import proved
from docgemma.sources.pack.manifest import KINDS, Kind, Manifest, Place, places, read
from docgemma.sources.pack.rows import described
from docgemma.store.snapshot import reading

Heard = Callable[[str, int, int], None]
"""Hears the pack's name, how many of its rows are checked, and how many it has."""

_MEND = "Build it again with `docgemma pack build`, or delete its folder."


@dataclass(frozen=True, slots=True)
class Listed:
    """One pack as it presents itself. Nothing but its description was read; `problem` says what is wrong with that."""

    name: str
    data_date: str
    age_days: int | None
    kind: Kind = "openfda"
    records: int = 0
    labels: int = 0
    drugs: int = 0
    bytes: int = 0
    in_use: bool = False
    demonstration: bool = False
    missing_parts: tuple[str, ...] = ()
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Verdict:
    name: str
    ok: bool
    kind: Kind = "openfda"
    records: int = 0
    labels: int = 0
    problem: str = ""


def listed(folder: Path, today: date) -> list[Listed]:
    """Kind by kind, the newest first. The first one of a kind is the one that answers."""
    return [
        _listed(place, today, in_use=number == 0) for kind in KINDS for number, place in enumerate(places(folder, kind))
    ]


def verify(folder: Path, names: tuple[str, ...], heard: Heard = lambda *_: None) -> list[Verdict]:
    """Recompute everything: these packs, or all that are there."""
    there = {place.name: place for kind in KINDS for place in places(folder, kind)}
    for name in names:
        if name not in there:
            raise UnknownId("There is no pack of that name. `docgemma pack list` shows those that are there.")
    return [_verdict(there[name], heard) for name in dict.fromkeys(names or there)]


def interrupted(folder: Path) -> dict[Kind, int]:
    """The builds that were not finished, and how many bytes each takes."""
    found = {kind: _size(folder / building(kind)) for kind in KINDS}
    return {kind: size for kind, size in found.items() if size}


def age_days(data_date: str, today: date) -> int | None:
    """None for a date that is none, or lies ahead: such an age would reassure."""
    try:
        age = (today - date.fromisoformat(data_date)).days
    except ValueError:
        return None
    return age if age >= 0 else None


def _size(folder: Path) -> int:
    try:
        return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    except OSError:  # it may just be ending
        return 0


def _listed(place: Place, today: date, *, in_use: bool) -> Listed:
    found = Listed(place.name, place.date, age_days(place.date, today), place.kind, in_use=in_use)
    try:
        manifest = read(place)
        sizes = [(path.stat().st_size, size) for name, size, _ in manifest.databases if (path := place.folder / name)]
    except Unavailable as error:
        return replace(found, problem=str(error))
    except OSError:
        return replace(found, problem=f"Its database is missing. {_MEND}")
    as_built = all(size == expected for size, expected in sizes)
    counts = manifest.counts
    return replace(
        found,
        records=counts.kept,
        labels=counts.kept if place.kind == "openfda" else 0,
        drugs=counts.drugs,
        bytes=sum(size for size, _ in sizes),
        missing_parts=manifest.missing_parts,
        problem="" if as_built else f"Its database does not have the size it should have. {_MEND}",
    )


def _verdict(place: Place, heard: Heard) -> Verdict:
    found = Verdict(place.name, ok=False, kind=place.kind)
    try:
        manifest = read(place)
        problem = _problem(place, manifest, heard)
    except Unavailable as error:
        return replace(found, problem=str(error))
    except OSError as error:
        return replace(found, problem=f"Its database cannot be read: {error.strerror}. {_MEND}")
    kept = manifest.counts.kept
    of_labels = kept if place.kind == "openfda" else 0
    return replace(found, ok=not problem, records=kept, labels=of_labels, problem=problem)


def _problem(place: Place, manifest: Manifest, heard: Heard) -> str:
    if not is_whole(place, manifest):
        return f"Its database is not the one that was built: it is damaged or was changed. {_MEND}"
    with reading(place.database, f"database of the pack {place.name}") as handle:
        if handle.row("PRAGMA integrity_check(1)") != ("ok",):
            return f"Its database is not sound. {_MEND}"
        said = described(handle)
        if place.kind == "openfda":
            proved(place, handle)
            rows = int(said.get("labels", 0)) + int(said.get("terms", 0))
            labels.check(handle, lambda done: heard(place.name, done, rows))
            return ""
        belongs(manifest, said)
        total = int(said.get("records", 0))
        documents.check(handle, lambda rows: heard(place.name, rows, total))
    with reading(place.index, f"index of the pack {place.name}") as handle:
        if described(handle) != said:
            return f"Its databases do not belong together. {_MEND}"
    return ""
