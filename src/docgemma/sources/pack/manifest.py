"""The kinds of packs there are, and `pack.json`: what a pack is, what it was made from, and how it is recognised."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, cast, get_args

from pydantic import Field, ValidationError

from docgemma.clinical import Frozen
from docgemma.errors import Unavailable
from docgemma.seal import DESCRIBED

Kind = Literal["openfda", "europepmc", "ctgov"]
KINDS: tuple[Kind, ...] = get_args(Kind)


@dataclass(frozen=True, slots=True)
class Called:
    """The words for a kind: where its data come from, what a record of it is, and which files it is made from."""

    source: str
    one: str
    many: str
    files: str
    endings: tuple[str, ...]
    several_in_a_zip: bool = True
    may_be_empty: bool = True
    """The last page of a search may have nothing on it."""


CALLED: dict[Kind, Called] = {
    "openfda": Called(
        "openFDA",
        "drug label",
        "drug labels",
        "the parts of drug/label",
        (".json", ".zip", ".gz"),
        several_in_a_zip=False,
        may_be_empty=False,
    ),
    "europepmc": Called(
        "Europe PMC",
        "article",
        "articles",
        "search pages of Europe PMC (resultType=core) or PubMed's XML files",
        (".json", ".jsonl", ".ndjson", ".xml", ".zip", ".gz"),
    ),
    "ctgov": Called(
        "ClinicalTrials.gov",
        "trial",
        "trials",
        "the register's JSON download",
        (".json", ".jsonl", ".ndjson", ".zip", ".gz"),
    ),
}


def source_of(kind: Kind, date: str) -> str:
    """What an answer from a pack names as its source."""
    return f"{CALLED[kind].source} pack of {date}"


def build_command(kind: Kind) -> str:
    return f"docgemma pack build {kind}"


FILE = "pack.json"
DATABASES: dict[Kind, str] = {"openfda": "labels.sqlite", "europepmc": "articles.sqlite", "ctgov": "trials.sqlite"}
INDEX = "index.sqlite"
FORMATS: dict[Kind, int] = {"openfda": 1, "europepmc": 1, "ctgov": 1}
REBUILD = "`docgemma pack verify` says more; `docgemma pack build` makes it again."
_MOST_BYTES = 8_000_000
_NAME = re.compile(rf"({'|'.join(KINDS)})-(\d{{4}}-\d{{2}}-\d{{2}})(?:\.(\d{{1,6}}))?")


class PartFact(Frozen):
    name: str
    size: int
    sha256: str
    records: int


class Counts(Frozen):
    """Where the records went. `dropped`: labels left out for better ones of the same drug; articles taken back."""

    records: int
    kept: int
    drugs: int = 0
    replaced: int
    dropped: int
    skipped: dict[str, int] = Field(default_factory=dict)


class Manifest(Frozen):
    kind: Kind
    format: int
    data_date: str = Field(pattern=r"^\d{4}-\d{2}-\d{2}$")
    made_at: str
    docgemma: str
    keep: int
    plan: str = Field(description="Stands for the files and options it was built from")
    parts: tuple[PartFact, ...]
    missing_parts: tuple[str, ...] = ()
    counts: Counts
    database_size: int
    database_sha256: str
    index_size: int = 0
    index_sha256: str = ""

    @property
    def databases(self) -> tuple[tuple[str, int, str], ...]:
        """Name, size and checksum of each."""
        whole = (DATABASES[self.kind], self.database_size, self.database_sha256)
        return (whole, (INDEX, self.index_size, self.index_sha256)) if self.index_sha256 else (whole,)


@dataclass(frozen=True, slots=True)
class Place:
    """A folder that is called like a pack, whatever is in it."""

    folder: Path
    kind: Kind
    date: str
    copy: int

    @property
    def name(self) -> str:
        return self.folder.name

    @property
    def source(self) -> str:
        return source_of(self.kind, self.date)

    @property
    def database(self) -> Path:
        return self.folder / DATABASES[self.kind]

    @property
    def index(self) -> Path:
        return self.folder / INDEX


def places(folder: Path, kind: Kind) -> list[Place]:
    """Packs in this folder, the newest first. One of the same date that was built later comes before the other."""
    try:
        found = [place for place in _places(folder) if place.kind == kind]
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as error:
        raise Unavailable(f"The folder of packs cannot be read: {error.strerror}. Check its rights.") from error
    return sorted(found, key=lambda place: (place.date, place.copy), reverse=True)


def _places(folder: Path) -> Iterator[Place]:
    for path in folder.iterdir():
        match = _NAME.fullmatch(path.name)
        if match and path.is_dir():
            yield Place(path, cast(Kind, match[1]), match[2], int(match[3] or 1))


def written(manifest: Manifest) -> bytes:
    values = manifest.model_dump(mode="json")
    return json.dumps({**values, "seal": DESCRIBED.of(_sealed(values))}, indent=1, ensure_ascii=False).encode() + b"\n"


def read(place: Place) -> Manifest:
    """Raises Unavailable with what is the matter and what to do."""
    try:
        with (place.folder / FILE).open("rb") as file:
            data = file.read(_MOST_BYTES)
        values = json.loads(data)
    except FileNotFoundError:
        raise Unavailable(f"The pack {place.name} has no {FILE}: it is no pack, or half of one. {REBUILD}") from None
    except OSError as error:
        raise Unavailable(f"The pack {place.name} cannot be read: {error.strerror}. Check its rights.") from error
    except (ValueError, RecursionError):
        raise _damaged(place) from None
    return _checked(values, place)


def _checked(values: Any, place: Place) -> Manifest:
    if not isinstance(values, dict):
        raise _damaged(place)
    sealed = values.pop("seal", None)
    if not DESCRIBED.fits(sealed, _sealed(values)):
        raise _damaged(place)
    if values.get("format") != FORMATS[place.kind]:
        raise Unavailable(
            f"The pack {place.name} has a format that this version of DocGemma does not read. "
            "Use the version that made it, or build it again with `docgemma pack build`."
        )
    try:
        manifest = Manifest.model_validate(values)
    except ValidationError:
        raise _damaged(place) from None
    if (manifest.kind, manifest.data_date) != (place.kind, place.date):
        real = f"{CALLED[manifest.kind].source} of {manifest.data_date}"
        raise Unavailable(f"The pack {place.name} is one of {real}: its folder was renamed. Rename it back.")
    return manifest


def _sealed(values: dict[str, Any]) -> bytes:
    return json.dumps(values, sort_keys=True).encode()


def _damaged(place: Place) -> Unavailable:
    return Unavailable(f"The {FILE} of the pack {place.name} is damaged or was changed. {REBUILD}")
