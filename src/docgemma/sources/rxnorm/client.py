"""Drug names, spellings and classes from RxNorm and RxClass.

Their "nothing" is a missing key; a key of another type than promised is a fault.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any, TypeVar

from docgemma.fetch.door import Reply
from docgemma.sources.openfda.query import asked_name
from docgemma.sources.openfda.texts import LONGEST_NAME, name, plain, words
from docgemma.sources.web import Web, object_in, unusable, whichever

SERVICE = "RxNorm"
Object = Mapping[str, Any]

CLASS_RELATIONS = frozenset({"", "isa", "has_moa", "has_pe", "has_epc", "has_chemical_structure", "has_chemstructure"})
"""What a drug is or does. Others tell what it is given for or must not be given with: no class of the drug."""


@dataclass(frozen=True, slots=True)
class Concept:
    """A name with its kind: IN is an ingredient, BN a brand and so on."""

    rxcui: str
    name: str
    tty: str


def ids(found: Object) -> tuple[str, ...]:
    """The concepts that a name stands for."""
    return tuple(rxcui for rxcui in _items(_part(found, "idGroup"), "rxnormId") if is_id(rxcui))


def concept(found: Object) -> Concept | None:
    """The properties of one concept; None for an id that is not active any more."""
    return _concept(_part(found, "properties"))


def related(found: Object) -> tuple[Concept, ...]:
    groups = _items(_part(found, "relatedGroup"), "conceptGroup")
    rows = [row for group in groups for row in _items(_object(group), "conceptProperties")]
    return tuple(one for row in rows if (one := _concept(_object(row))) is not None)


def candidates(found: Object) -> tuple[str, ...]:
    """The names of the nearest concepts, best first, each concept once. Licensed names are left blank there."""
    rows = [_object(row) for row in _items(_part(found, "approximateGroup"), "candidate")]
    names: dict[str, str] = {}
    for row in sorted(rows, key=lambda row: _rank(row.get("rank"))):
        rxcui, name = _text(row.get("rxcui")), _text(row.get("name"))
        if rxcui and name:
            names.setdefault(rxcui, name)
    return tuple(dict.fromkeys(names.values()))


def spellings(found: Object) -> tuple[str, ...]:
    rows = _items(_part(_part(found, "suggestionGroup"), "suggestionList"), "suggestion")
    return tuple(dict.fromkeys(name for row in rows if (name := _text(row))))


def class_names(found: Object, rxcui: str) -> tuple[str, ...]:
    """The classes of this one concept; rows repeat, and rows of related drugs are among them."""
    names: list[str] = []
    for row in map(_object, _items(_part(found, "rxclassDrugInfoList"), "rxclassDrugInfo")):
        about = _text(_part(row, "minConcept").get("rxcui"))
        relation = _text(row.get("rela")).lower()
        if about in ("", rxcui) and relation in CLASS_RELATIONS:
            names.append(_text(_part(row, "rxclassMinConceptItem").get("className")))
    return tuple(dict.fromkeys(name for name in names if name))


def is_id(value: Any) -> bool:
    """Digits only: it becomes a part of the next address."""
    return isinstance(value, str) and value.isascii() and value.isdecimal() and len(value) <= 12


def _concept(found: Object) -> Concept | None:
    rxcui, name, tty = (_text(found.get(key)) for key in ("rxcui", "name", "tty"))
    return Concept(rxcui, name, tty) if is_id(rxcui) and name else None


def _part(found: Object, key: str) -> Object:
    value = found.get(key)
    return {} if value is None else _object(value)


def _object(value: Any) -> Object:
    if not isinstance(value, dict):
        raise unusable(SERVICE)
    return value


def _items(found: Object, key: str) -> list[Any]:
    value = found.get(key)
    if value is None:
        return []
    if not isinstance(value, list):
        raise unusable(SERVICE)
    return value


def _text(value: Any) -> str:
    """A name as it may be offered to a person. What is too long for one, or gives orders, is none."""
    if not isinstance(value, str) or len(plain(value)) > LONGEST_NAME:
        return ""
    return name(value)


def _rank(value: Any) -> int:
    """Numbers are text there. A row without a rank comes last."""
    text = str(value)
    return int(text) if text.isdecimal() and len(text) < 6 else 10**6


T = TypeVar("T")
Names = tuple[str, ...]

BASE_URL = "https://rxnav.nlm.nih.gov/REST"
_CLASS_SOURCES = ("ATC", "MEDRT", "FDASPL")
_EXACT_THEN_NORMALISED = "2"
_MOST_IDS = 3
_MOST_SUGGESTIONS = 5
_ALIKE = 0.7


class RxNorm:
    """A NameSource."""

    def __init__(self, web: Web, base_url: str = BASE_URL) -> None:
        self._web = web
        self._url = base_url.rstrip("/")

    async def ingredients(self, name: str, *, ends_at: float) -> tuple[str, ...]:
        """Empty also when the name stands for different medicines: which one is meant is for a person to say."""
        found = await self._ids(name, ends_at)
        sets = [parts for rxcui in found if (parts := await self._ingredients_of(rxcui, ends_at))]
        return sets[0] if len({frozenset(parts) for parts in sets}) == 1 else ()

    async def suggestions(self, name: str, *, ends_at: float) -> tuple[str, ...]:
        """Likest first. One of the two services is enough; each suggestion is a question, never an answer."""
        asked = asked_name(name)
        near, spelled = await whichever(
            self._ask("approximateTerm.json", candidates, ends_at, term=asked, maxEntries="20"),
            self._ask("spellingsuggestions.json", spellings, ends_at, name=asked),
        )
        close: dict[str, str] = {}
        for other in (*(spelled or ()), *(near or ())):
            if alike(asked, other) >= _ALIKE and other.casefold() != asked.casefold():
                close.setdefault(other.casefold(), other)
        return tuple(sorted(close.values(), key=lambda other: -alike(asked, other))[:_MOST_SUGGESTIONS])

    async def classes(self, ingredient: str, *, ends_at: float) -> tuple[str, ...]:
        """From three sources that classify differently. Those that answer count; none at all is a failure."""
        found = await self._ids(ingredient, ends_at)
        if not found:
            return ()
        rxcui = found[0]
        answers = await whichever(
            *(
                self._ask(
                    "rxclass/class/byRxcui.json",
                    lambda reply: class_names(reply, rxcui),
                    ends_at,
                    rxcui=rxcui,
                    relaSource=source,
                )
                for source in _CLASS_SOURCES
            )
        )
        names: dict[str, str] = {}
        for named in (named for answer in answers for named in answer or ()):
            names.setdefault(named.casefold(), named)
        return tuple(names.values())

    async def _ids(self, name: str, ends_at: float) -> tuple[str, ...]:
        asked = asked_name(name)
        found = await self._ask("rxcui.json", ids, ends_at, name=asked, search=_EXACT_THEN_NORMALISED)
        return (found or ())[:_MOST_IDS]

    async def _ingredients_of(self, rxcui: str, ends_at: float) -> tuple[str, ...]:
        """An ingredient is its own answer: what is related to it is another one (omeprazole, esomeprazole)."""
        one = await self._ask(f"rxcui/{rxcui}/properties.json", concept, ends_at)
        if one is None:
            return ()
        if one.tty == "IN":
            return (one.name.lower(),)
        parts = await self._ask(f"rxcui/{rxcui}/related.json", related, ends_at, tty="IN") or ()
        return tuple(dict.fromkeys(part.name.lower() for part in parts if part.tty in ("", "IN")))

    async def _ask(self, path: str, shape: Callable[[Object], T], ends_at: float, **params: str) -> T | None:
        """The answer in its shape, None for nothing. One of a wrong shape is a failure, and is not kept."""

        def read(reply: Reply) -> T | None:
            return shape(object_in(SERVICE, reply)) or None

        url = f"{self._url}/{path}"
        return (await self._web.ask(SERVICE, url, tuple(params.items()), read=read, ends_at=ends_at)).data


def alike(asked: str, other: str) -> float:
    """How alike two names are in spelling, from 0 to 1; a longer name is compared by as many words as were asked."""
    mine, theirs = words(asked), words(other)
    if any(word.isdecimal() for word in theirs) and not any(word.isdecimal() for word in mine):
        return 0.0  # a strength that nobody asked for: a product, no name
    return SequenceMatcher(None, " ".join(mine), " ".join(theirs[: len(mine)]), autojunk=False).ratio()
