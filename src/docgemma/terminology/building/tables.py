"""Records as text: one tab-separated line each, so that what ships can be read, compared and corrected by anyone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from docgemma.terminology.contract import ENTITY_TYPES
from docgemma.terminology.sources.record import SNOMED, Record

SEPARATOR = "|"
_UNTYPED = "-"
_LETTERS = {kind[0]: kind for kind in ENTITY_TYPES}


def render(records: Iterable[Record]) -> str:
    """Columns: first letter of the type, id, name, synonyms, references. SNOMED CT ids are left to their own file."""
    return "".join(f"{line}\n" for line in map(_line, records))


def _line(record: Record) -> str:
    refs = SEPARATOR.join(f"{system}={ref}" for system, ref in record.xrefs if system != SNOMED)
    cells = (
        record.type[0] if record.type else _UNTYPED,
        record.id,
        record.name,
        SEPARATOR.join(_joinable(record.synonyms)),
        refs,
    )
    return "\t".join(cells).rstrip("\t")


def _joinable(names: Iterable[str]) -> Iterator[str]:
    return (name for name in names if SEPARATOR not in name and "\t" not in name)


def parse(text: str, source: str, system: str, snomed: Mapping[tuple[str, str], tuple[str, ...]]) -> Iterator[Record]:
    """The records of one file, with the SNOMED CT codes that the other file gives them."""
    for line in text.splitlines():
        if not line or line.startswith("#"):
            continue
        kind, own, name, synonyms, refs = [*line.split("\t"), "", "", "", ""][:5]
        pairs = [tuple(ref.split("=", 1)) for ref in refs.split(SEPARATOR) if ref]
        codes = [(SNOMED, code) for code in snomed.get((system, own), ())]
        yield Record(
            source=source,
            system=system,
            id=own,
            name=name,
            synonyms=_split(synonyms),
            xrefs=(*((held, ref) for held, ref in pairs), *codes),
            type=_LETTERS.get(kind),
        )


def _split(cell: str) -> tuple[str, ...]:
    return tuple(cell.split(SEPARATOR)) if cell else ()


def render_snomed(records: Iterable[Record]) -> str:
    """Columns: source system, id in it, SNOMED CT codes."""
    rows = ((record, [ref for system, ref in record.xrefs if system == SNOMED]) for record in records)
    return "".join(f"{record.system}\t{record.id}\t{SEPARATOR.join(codes)}\n" for record, codes in rows if codes)


def parse_snomed(text: str) -> dict[tuple[str, str], tuple[str, ...]]:
    rows = (line.split("\t") for line in text.splitlines() if line and not line.startswith("#"))
    return {(system, own): _split(codes) for system, own, codes in rows}
