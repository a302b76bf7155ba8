"""What the columns of other people's files are called, in English and Vietnamese, and which field each one fills."""

from __future__ import annotations

import unicodedata
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from docgemma.errors import BadInput
from docgemma.ingest.problem import shown
from docgemma.knowledge.reading.contract import FIELDS, Field, Options

_NAMES: dict[Field, str] = {
    "id": "id, entry id, mã câu hỏi",
    "question": "question, câu hỏi",
    "answer": "answer, câu trả lời, trả lời",
    "role": "role, vai trò",
    "topic": "topic, đề mục, chủ đề",
    "subtopic": "subtopic, chủ đề con",
    "language": "language, lang, ngôn ngữ",
    "source": "source, nguồn",
    "url": "url, link, đường dẫn",
    "reviewed": "reviewed, reviewed date, review date, reviewed on, ngày duyệt",
}
"""As they are told apart without case, accents, blanks and underscores. STT is a running number, and no id."""

_NEEDED: tuple[Field, ...] = ("question", "answer")
_FILLED: tuple[Field, ...] = ("role", "topic", "source")
_SHOWN = 20


def folded(name: str) -> str:
    apart = unicodedata.normalize("NFKD", name.casefold().replace("đ", "d"))
    return "".join(char for char in apart if char.isalnum())


_KNOWN: dict[str, Field] = {folded(name): field for field, names in _NAMES.items() for name in names.split(",")}


@dataclass(frozen=True, slots=True)
class Columns:
    """`places`: which column fills which field. `unknown`: those that fill none."""

    places: Mapping[int, Field]
    unknown: tuple[str, ...]

    @property
    def filled(self) -> frozenset[Field]:
        return frozenset(self.places.values())

    @property
    def missing(self) -> tuple[Field, ...]:
        return tuple(field for field in _NEEDED if field not in self.filled)


def columns(header: Sequence[str], options: Options, file: str) -> Columns:
    """BadInput where two columns would fill one field: which of them is meant, only a person knows."""
    wanted = {folded(name): field for field, name in _mapped(options).items()}
    taken = frozenset(wanted.values())
    places: dict[int, Field] = {}
    for place, name in enumerate(header):
        key = folded(name)
        field = wanted.get(key) or _KNOWN.get(key)
        if field is None or (field in taken and key not in wanted):
            continue
        if field in places.values():
            first = next(at for at, one in places.items() if one == field)
            raise BadInput(
                f"{file} has two columns for the {field}: {_names([header[first], name])}. "
                f"Rename one, or say which is meant with --map {field}=COLUMN."
            )
        places[place] = field
    return Columns(places, tuple(name for at, name in enumerate(header) if at not in places and name.strip()))


def table_columns(header: Sequence[str], options: Options, file: str) -> Columns:
    """The columns of a file with one header for all rows: what is missing there is missing everywhere."""
    check_mapped(columns(header, options, file).filled, header, options, file)
    found = checked_columns(header, options, file)
    absent = [name for name in _FILLED if name not in found.filled and not getattr(options, name)]
    if absent:
        flags = " ".join(f"--{name} TEXT" for name in absent)
        raise BadInput(
            f"{file} has no column for: {', '.join(absent)}. Columns found: {_names(header)}. Add it, "
            f"say which column it is with --map {absent[0]}=COLUMN, or give it for all rows: {flags}."
        )
    return found


def checked_columns(header: Sequence[str], options: Options, file: str) -> Columns:
    """BadInput without question or answer: no row could become an entry."""
    found = columns(header, options, file)
    if found.missing:
        raise BadInput(
            f"{file} has no column for the {' and '.join(found.missing)}. Columns found: {_names(header)}. "
            f"Rename it, or say which it is with --map {found.missing[0]}=COLUMN."
        )
    return found


def check_mapped(filled: Collection[Field], header: Sequence[str], options: Options, file: str) -> None:
    """BadInput where a column that the operator named is nowhere: it was meant to be used."""
    lost = [name for field, name in _mapped(options).items() if field not in filled]
    if lost:
        raise BadInput(f"{file} has no column {_names(lost)} as --map says. Columns found: {_names(header)}.")


def recognised(header: Sequence[str], options: Options) -> int:
    """How many of these are names that mean something here."""
    wanted = {folded(name) for name in _mapped(options).values()}
    return sum(folded(name) in _KNOWN or folded(name) in wanted for name in header)


def ignored(names: Sequence[str]) -> str:
    return f"Columns that are not used: {_names(names)}."


def _mapped(options: Options) -> dict[Field, str]:
    return {field: options.columns[field] for field in FIELDS if field in options.columns}


def _names(names: Sequence[str]) -> str:
    said = [f"'{shown(name.strip())[:40]}'" for name in names if name.strip()]
    more = f" and {len(said) - _SHOWN} more" if len(said) > _SHOWN else ""
    return ", ".join(said[:_SHOWN]) + more if said else "none"
