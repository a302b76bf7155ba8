"""Drug names, spellings and classes from RxNorm and RxClass."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from difflib import SequenceMatcher
from typing import TypeVar

from docgemma.fetch.door import Reply
from docgemma.sources.contract import SourceError
from docgemma.sources.openfda.query import asked_name
from docgemma.sources.openfda.texts import words
from docgemma.sources.rxnorm import shapes
from docgemma.sources.rxnorm.shapes import SERVICE, Object
from docgemma.sources.web import Web, object_in

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
        near, spelled = await _whichever(
            self._ask("approximateTerm.json", shapes.candidates, ends_at, term=asked, maxEntries="20"),
            self._ask("spellingsuggestions.json", shapes.spellings, ends_at, name=asked),
        )
        close: dict[str, str] = {}
        for other in (*spelled, *near):
            if alike(asked, other) >= _ALIKE and other.casefold() != asked.casefold():
                close.setdefault(other.casefold(), other)
        return tuple(sorted(close.values(), key=lambda other: -alike(asked, other))[:_MOST_SUGGESTIONS])

    async def classes(self, ingredient: str, *, ends_at: float) -> tuple[str, ...]:
        """From three sources that classify differently. Those that answer count; none at all is a failure."""
        found = await self._ids(ingredient, ends_at)
        if not found:
            return ()
        rxcui = found[0]
        answers = await _whichever(
            *(
                self._ask(
                    "rxclass/class/byRxcui.json",
                    lambda reply: shapes.class_names(reply, rxcui),
                    ends_at,
                    rxcui=rxcui,
                    relaSource=source,
                )
                for source in _CLASS_SOURCES
            )
        )
        names: dict[str, str] = {}
        for name in (name for answer in answers for name in answer):
            names.setdefault(name.casefold(), name)
        return tuple(names.values())

    async def _ids(self, name: str, ends_at: float) -> tuple[str, ...]:
        asked = asked_name(name)
        found = await self._ask("rxcui.json", shapes.ids, ends_at, name=asked, search=_EXACT_THEN_NORMALISED)
        return (found or ())[:_MOST_IDS]

    async def _ingredients_of(self, rxcui: str, ends_at: float) -> tuple[str, ...]:
        """An ingredient is its own answer: what is related to it is another one (omeprazole, esomeprazole)."""
        one = await self._ask(f"rxcui/{rxcui}/properties.json", shapes.concept, ends_at)
        if one is None:
            return ()
        if one.tty == "IN":
            return (one.name.lower(),)
        parts = await self._ask(f"rxcui/{rxcui}/related.json", shapes.related, ends_at, tty="IN") or ()
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


async def _whichever(*questions: Awaitable[Names | None]) -> list[Names]:
    """The answers in order, empty for a question that failed. When all failed, the first failure."""
    answers = await asyncio.gather(*questions, return_exceptions=True)
    failures = [answer for answer in answers if isinstance(answer, BaseException)]
    for failure in failures:
        if len(failures) == len(answers) or not isinstance(failure, SourceError):
            raise failure
    return [() if answer is None or isinstance(answer, BaseException) else answer for answer in answers]
