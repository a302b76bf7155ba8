"""Numbers that only one suite has, as tables: whatever shape they came in, nothing of them is left out."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Table:
    """A table of texts. Without a head it is a list of names and values."""

    title: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def tables(figures: Mapping[str, Any]) -> tuple[Table, ...]:
    """Plain values together first, then one table for each group of values."""
    single = {name: value for name, value in figures.items() if not _grouped(value)}
    found = [Table("", (), _pairs(single))] if single else []
    for name, value in figures.items():
        if _grouped(value):
            found += _tables(_named(name), value)
    return tuple(found)


def _tables(title: str, value: Any) -> Iterator[Table]:
    rows = list(value.items()) if isinstance(value, Mapping) else [("", one) for one in value]
    if all(isinstance(one, Mapping) and not any(map(_grouped, one.values())) for _, one in rows):
        columns = tuple(dict.fromkeys(column for _, one in rows for column in one))
        first = ("",) if isinstance(value, Mapping) else ()
        yield Table(
            title,
            (*first, *map(_named, columns)),
            tuple(
                (*([_named(name)] if first else []), *(_text(one[key]) if key in one else "–" for key in columns))
                for name, one in rows
            ),
        )
    elif isinstance(value, Mapping) and not any(_grouped(one) for one in value.values()):
        yield Table(title, (), _pairs(value))
    else:
        for name, one in rows:
            below = f"{title}: {_named(name)}" if name else title
            if _grouped(one):
                yield from _tables(below, one)
            else:
                yield Table(below, (), (("", _text(one)),))


def _grouped(value: Any) -> bool:
    """A mapping, or a list of mappings: a table of its own."""
    listed = isinstance(value, Sequence) and not isinstance(value, str)
    return (isinstance(value, Mapping) and bool(value)) or (
        listed and bool(value) and all(isinstance(one, Mapping) for one in value)
    )


def _pairs(values: Mapping[str, Any]) -> tuple[tuple[str, ...], ...]:
    return tuple((_named(name), _text(value)) for name, value in values.items())


def _named(name: Any) -> str:
    return str(name).replace("_", " ")


def _text(value: Any) -> str:
    if value is None:
        return "–"
    if isinstance(value, float):
        return f"{value:.3f}".rstrip("0").rstrip(".")
    return str(value) if isinstance(value, (str, int)) else json.dumps(value, ensure_ascii=False, default=str)
