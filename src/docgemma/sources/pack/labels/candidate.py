"""What a record has to say before it is read in full: which label it is, of which drug, and how it ranks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from docgemma.seal import PACKED
from docgemma.sources.contract import Label
from docgemma.sources.openfda.record import ELEMENTS, SAFETY, label_of
from docgemma.sources.openfda.texts import words

Skipped = Literal["not a record", "no set id", "no name"]

_READ = ("set_id", "effective_time", "openfda")
_HEAD = 2000
_MOST_RUN = 12
_MOST_VERSION = 9
_LONGEST_PHRASE = 4


@dataclass(frozen=True, slots=True)
class Candidate:
    """A label that may go into the pack. The smaller `rank` is the better one; no two labels have the same.

    `drug` stands for its ingredients, `group` for ingredients and route: a gel must not push out the tablets.
    """

    set_id: str
    version: int
    effective: str
    drug: bytes
    group: bytes
    rank: str
    names: tuple[str, ...]
    run: tuple[str, ...]


def candidate_of(record: Any) -> Candidate | Skipped:
    """Most records are never kept, so only their few short fields are looked at here."""
    if not isinstance(record, Mapping):
        return "not a record"
    label = label_of({name: record[name] for name in _READ if name in record} | {ELEMENTS: _head(record.get(ELEMENTS))})
    if not label.set_id:
        return "no set id"
    names, run = comparable_names(label), leading_words(label)
    if not names and not run:
        return "no name"
    drug = tuple(sorted(set(map(comparable, label.substances or label.generics)))) or run or names
    harmonised = bool(label.substances or label.generics)
    identity = "\n".join(("named" if harmonised else "unharmonised", *drug)).encode()
    return Candidate(
        set_id=label.set_id,
        version=_version(record.get("version")),
        effective=label.effective or "",
        drug=PACKED.of(identity),
        group=PACKED.of(identity, "\n".join(_routes(record)).encode()),
        rank=_rank(label, record, len(drug) if harmonised else 1),
        names=names,
        run=run,
    )


def comparable(name: str) -> str:
    """A name as it is looked up: its words alone."""
    return " ".join(words(name))


def comparable_names(label: Label) -> tuple[str, ...]:
    named = (*label.generics, *label.brands, *label.substances)
    return tuple(dict.fromkeys(filter(None, map(comparable, named))))


def leading_words(label: Label) -> tuple[str, ...]:
    """Brand and generic name of a label that openFDA did not harmonise, out of its product data.

    Those list brand, generic name, active and then inactive ingredients without a mark between them. Up to the first
    word that comes again it is the names; what follows may be lactose, and whoever asks for that gets no label of it.
    """
    if label.substances or label.generics:
        return ()
    run: list[str] = []
    for word in words(" ".join(label.sections.get(ELEMENTS, ()))):
        if word in run or len(run) == _MOST_RUN:
            break
        run.append(word)
    return tuple(run)


def phrases_of(run: Sequence[str]) -> list[str]:
    """What an unharmonised label is found by: its leading words, and those that stand next to each other."""
    return [
        " ".join(run[start : start + size])
        for size in range(1, _LONGEST_PHRASE + 1)
        for start in range(len(run) - size + 1)
    ]


def phrases_to_ask(asked: Sequence[str]) -> list[str]:
    """The phrases that a label with all of these words in this order has."""
    size = min(len(asked), _LONGEST_PHRASE)
    return [" ".join(asked[start : start + size]) for start in range(len(asked) - size + 1)]


def _rank(label: Label, record: Mapping[str, Any], ingredients: int) -> str:
    """Fewest ingredients, with safety sections, prescription, original packager, newest; the set id decides ties."""
    silent = SAFETY.isdisjoint(record)
    counter = "PRESCRIPTION" not in label.product_type.upper()
    newest_first = 99_999_999 - int((label.effective or "0").replace("-", ""))
    return (
        f"{min(ingredients, 99):02}{silent:d}{counter:d}{not label.original:d}{newest_first:08}{label.set_id.lower()}"
    )


def _head(elements: object) -> list[str]:
    """The beginning of the product data, which may list hundreds of packages."""
    texts = elements if isinstance(elements, list) else [elements]
    return [" ".join(text for text in texts if isinstance(text, str))[:_HEAD]]


def _routes(record: Mapping[str, Any]) -> list[str]:
    block = record.get("openfda")
    given = block.get("route") if isinstance(block, Mapping) else None
    routes = given if isinstance(given, list) else [given]
    return sorted({comparable(route) for route in routes if isinstance(route, str)})


def _version(value: object) -> int:
    text = str(value) if isinstance(value, (str, int)) else ""
    return int(text) if text.isascii() and text.isdigit() and len(text) <= _MOST_VERSION else 0
