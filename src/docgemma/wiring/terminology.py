"""Which terminology is asked, by the settings: UTS with a key, else the index on this machine."""

from __future__ import annotations

import asyncio
import hashlib
import shutil
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from contextlib import ExitStack, asynccontextmanager, contextmanager, suppress
from importlib.resources import files
from pathlib import Path
from typing import Literal

from docgemma import __version__
from docgemma.config import Settings
from docgemma.errors import BadInput, Conflict
from docgemma.fetch.door import Door
from docgemma.store.snapshot import resumable
from docgemma.terminology.contract import Concept, Terminology
from docgemma.terminology.index.layout import FORMAT

Told = Callable[[str, int, int], None]

BUILT = "full.sqlite"
UMLS = "UMLS Metathesaurus, U.S. National Library of Medicine, under the user's own licence."
_TABLES = (".tsv", ".tsv.gz")
_LOCK = "building.lock"
_LOOK_AGAIN_S, _PATIENCE_S = 0.25, 300.0


def back_end(settings: Settings) -> Literal["embedded", "uts"]:
    """UTS is asked where there is a key for it, or where it was asked for."""
    if settings.terms == "auto":
        return "uts" if settings.umls_api_key is not None else "embedded"
    return settings.terms


def built_index(settings: Settings) -> Path | None:
    """The index that was named, or that `docgemma terms build` made; None: only the shipped one is there."""
    if settings.terms_index is not None:
        return settings.terms_index
    built = settings.terms_folder / BUILT
    return built if built.is_file() else None


def shipped_index(settings: Settings) -> Path:
    """Where the shipped terms are compiled to. Another release, or a removed file of codes, is another name."""
    data = files("docgemma.terminology").joinpath("data")
    tables = sorted((each for each in data.iterdir() if each.name.endswith(_TABLES)), key=lambda each: each.name)
    content = hashlib.sha256(repr((__version__, FORMAT, [each.name for each in tables])).encode())
    for each in tables:
        content.update(each.read_bytes())
    name = content.hexdigest()[:12]
    return settings.terms_folder / f"shipped-{name}.sqlite"


def notices() -> str:
    """Licences and attributions of what ships and of what `terms build` reads; empty where the file was removed."""
    path = files("docgemma.terminology").joinpath("data", "NOTICES.md")
    return path.read_text(encoding="utf-8") if path.is_file() else ""


def _silent(what: str, done: int, of: int) -> None:
    """Nobody asked how far it has come."""


@asynccontextmanager
async def open_terminology(
    settings: Settings, door: Door | None = None, *, told: Told = _silent
) -> AsyncIterator[Terminology]:
    """The terminology for as long as it is used. The first use on a machine compiles the shipped terms, in seconds."""
    from docgemma.terminology.embedded import EmbeddedTerminology

    chosen = back_end(settings)
    if chosen == "uts" and door is None:
        async with Door() as own, open_terminology(settings, own, told=told) as opened:
            yield opened
        return
    with index_file(settings) as path:
        if settings.terms_index is None and not path.is_file():
            await asyncio.to_thread(compile_once, path, told)
        embedded = await asyncio.to_thread(EmbeddedTerminology, path)
        try:
            yield embedded if chosen == "embedded" else _uts(settings, door, embedded)
        finally:
            await asyncio.to_thread(embedded.close)


def _uts(settings: Settings, door: Door | None, linker: Terminology) -> Terminology:
    """Mentions are found by the index on this machine; what they stand for is asked of UTS."""
    from docgemma.fetch.outside import Outside
    from docgemma.terminology.uts import BASE_URL, MANNERS, UtsTerminology
    from docgemma.wiring.sources import service_address

    if settings.umls_api_key is None:
        raise BadInput("The terminology 'uts' needs a key: set DOCGEMMA_UMLS_API_KEY.")
    assert door is not None
    address = service_address(settings, "uts_url", BASE_URL)
    key = settings.umls_api_key.get_secret_value()
    return UtsTerminology(Outside(door, manners=MANNERS), key, linker, base_url=address)


@contextmanager
def index_file(settings: Settings) -> Iterator[Path]:
    """Where the index is, or is to be. A home that cannot be written to keeps nobody from looking a term up."""
    path = built_index(settings) or shipped_index(settings)
    if path.is_file() or settings.terms_index is not None or _writable(settings.terms_folder):
        yield path
        return
    folder = Path(tempfile.mkdtemp(prefix="docgemma-terms-"))
    try:
        yield folder / path.name
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _writable(folder: Path) -> bool:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


def _shipped() -> Iterable[Concept]:
    from docgemma.terminology.building.shipped import shipped_concepts

    return shipped_concepts()


def compile_once(path: Path, told: Told, concepts: Callable[[], Iterable[Concept]] = _shipped) -> None:
    """One process compiles, the others wait for it: it takes seconds, and a killed one leaves the lock free."""
    from docgemma.terminology.index.building import compile_index

    with building(path.parent):
        if path.is_file():
            return
        compile_index(concepts(), path, told)
        for old in path.parent.glob("shipped-*.sqlite"):
            if old != path:
                with suppress(OSError):
                    old.unlink()


@contextmanager
def building(folder: Path) -> Iterator[None]:
    """The only one that makes an index in this folder. Waits for another one to end."""
    folder.mkdir(parents=True, exist_ok=True)
    give_up = time.monotonic() + _PATIENCE_S
    with ExitStack() as held:
        while True:
            try:
                held.enter_context(resumable(folder / _LOCK, "terminology index"))
                break
            except Conflict:
                if time.monotonic() > give_up:
                    raise
                time.sleep(_LOOK_AGAIN_S)
        yield


def build_index(settings: Settings, *, rrf: Path | None, wheels: Path | None, snomed: bool, told: Told) -> Path:
    """Make the full index, from the open vocabularies or a UMLS release. The one before serves until it is whole."""
    from dataclasses import replace

    from docgemma.terminology.building.full import full_concepts
    from docgemma.terminology.building.rrf import rrf_concepts
    from docgemma.terminology.index.building import compile_index

    path = settings.terms_index or settings.terms_folder / BUILT
    with building(path.parent):
        concepts: Iterable[Concept] = rrf_concepts(rrf, told) if rrf else full_concepts(wheels, told)
        if not snomed:
            concepts = (replace(each, snomed_code=None) for each in concepts)
        compile_index(concepts, path, told, notices=(UMLS,) if rrf else ())
    return path
