"""The concepts of a user's own UMLS release."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from docgemma.errors import BadInput
from docgemma.ingest.text import byte_lines
from docgemma.terminology.building.groups import spelled
from docgemma.terminology.contract import Concept
from docgemma.terminology.sources.rrf import semantic_types, umls_concepts

_SHORTEST = 4
_EVERY = 1 << 24
_LONGEST_LINE = 1_000_000


def rrf_concepts(path: Path, told: Callable[[str, int, int], None]) -> Iterator[Concept]:
    """Stream MRCONSO.RRF (the file, or the META folder that holds it) as concepts, telling how many bytes are read."""
    names = path / "MRCONSO.RRF" if path.is_dir() else path
    if not names.is_file():
        raise BadInput(f"{names} does not exist. Give the MRCONSO.RRF of your UMLS release or the folder it lies in.")
    kinds = names.with_name("MRSTY.RRF")
    types = None
    if kinds.is_file():
        with kinds.open(encoding="utf-8") as file:
            types = semantic_types(file)
    found = False
    for concept in umls_concepts(_lines(names, told), types):
        found = True
        yield _with_weak(concept)
    if not found:
        raise BadInput(f"{names.name} holds no English UMLS concept that can be used. Is it an MRCONSO.RRF file?")


def _with_weak(concept: Concept) -> Concept:
    """UMLS does not say which names are ambiguous: the very short ones are."""
    weak = frozenset(name for name in concept.names[1:] if len(spelled(name)) < _SHORTEST)
    return Concept(
        concept.display,
        concept.type,
        concept.ontology,
        concept.names,
        concept.cui,
        concept.snomed_code,
        concept.ids,
        weak,
    )


def _lines(path: Path, told: Callable[[str, int, int], None]) -> Iterator[str]:
    """Lines that no release has, being too long for one, are passed over."""
    total, next_word = path.stat().st_size, _EVERY
    with path.open("rb") as file:
        for line in byte_lines(file, _LONGEST_LINE):
            if file.tell() >= next_word:
                told(path.name, file.tell(), total)
                next_word = file.tell() + _EVERY
            if not line.cut:
                yield line.data.decode("utf-8", errors="replace")
    told(path.name, total, total)
