"""What is searched for, made from the words that say so.

Two texts come in: the topic's own words or a model's query, and the parts of a message that were marked for the search,
joined by "; ". What has to be there is the user's own. A model's other words are further phrasings, and never an
obligation: it may have guessed.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, date, datetime

from docgemma.sources.literature.contract import Sought
from docgemma.sources.literature.filters import filters_in
from docgemma.sources.literature.naming import MOST, fold, is_known, meaning, once
from docgemma.sources.literature.people import without_people
from docgemma.sources.literature.reading import MOST_CONCEPTS, Concept, concepts_in, raw, specificity
from docgemma.sources.openfda.texts import plain
from docgemma.sources.shorthand import written_out
from docgemma.sources.trials.places import listed_place

_LONGEST = 1_000
"""Letters that are read."""

_LONGEST_TOPIC = 400
_PMID = re.compile(r"(?<![\w-])(?:PMID|pubmed\s(?:id|number))[\s:#]{0,3}(?P<id>[1-9]\d{0,8})(?!\d)", re.IGNORECASE)
_BARE_PMID = re.compile(r"\s*(?P<id>[1-9]\d{4,8})\s*")
_DOI = re.compile(r"(?<![\w.])(?P<id>10\.\d{4,9}/[\w.()/:;<>-]{1,150}[\w)])", re.ASCII)


def sought_in(query: str, question: str | None = None, *, today: date | None = None) -> Sought:
    """What to search for. Without a single concept when neither text says anything."""
    day = today or datetime.now(UTC).date()
    query, question = (written_out(plain(text[:_LONGEST])) for text in (query, question or ""))
    number = _number(query) or _number(question)
    if number is not None:
        return number
    words, narrowed = filters_in(without_people(query), day)
    asked, told = filters_in(without_people(question), day)
    if question.strip():  # a model's query may hold years that nobody asked for
        narrowed = told
    concepts = _concepts(words, asked)
    return Sought(
        concepts,
        kinds=narrowed.kinds,
        since=narrowed.since,
        until=narrowed.until,
        words=_words(concepts),
        newest=narrowed.newest,
    )


def wider(sought: Sought) -> Sought | None:
    """One step wider, None when that would be another question.

    The filters go first. Without any, long phrases become words that only have to be there, and of three concepts and
    more the one that says least is left out. Of two it is left out only where it says little by itself.
    """
    if sought.by_number:
        return None
    if sought.kinds or sought.since or sought.until:
        kept = sought.concepts if len(sought.concepts) <= 3 else _without_least(sought.concepts)
        return replace(sought, kinds=(), since=None, until=None, concepts=kept, words=_words(kept))
    least = min(map(specificity, sought.concepts), default=0)
    drops = len(sought.concepts) > 2 or (len(sought.concepts) == 2 and least == 0)
    kept = _loosened(_without_least(sought.concepts) if drops else sought.concepts)
    return None if kept == sought.concepts else replace(sought, concepts=kept, words=_words(kept))


def _number(text: str) -> Sought | None:
    """An article that is asked for by its number or its DOI."""
    pmid = _PMID.search(text) or _BARE_PMID.fullmatch(text)
    if pmid:
        return Sought((), words=f"PMID {pmid['id']}", pmid=pmid["id"])
    doi = _DOI.search(text)
    return Sought((), words=f"DOI {doi['id']}", doi=doi["id"].lower()) if doi else None


def _concepts(words: str, asked: str) -> tuple[Concept, ...]:
    """The topic with what a model called it, and where it is studied. Texts that share no word say two things."""
    places = {part: place for part in asked.split(";") if (place := listed_place(part))}
    wanted = concepts_in(words[:_LONGEST_TOPIC])
    said = concepts_in(";".join(part for part in asked.split(";") if part not in places)[:_LONGEST_TOPIC])
    if any(_share(one, other) for one in said for other in wanted):
        wanted = _with_phrasings(said, wanted)
        said = ()
    where = concepts_in(" or ".join(places.values()))
    each = {meaning(concept[0]): concept for concept in reversed((*wanted, *said)) if concept not in where}
    return (*[*reversed(each.values())][: MOST_CONCEPTS - len(where)], *where)


def _with_phrasings(found: Sequence[Concept], others: Sequence[Concept]) -> tuple[Concept, ...]:
    """The user's concepts, each with what a model called it.

    A concept of the model's that shares a word with one of the user's is that one in other words, unless it only says
    less. What the user did not say stands for the one concept that the model left out, if there is exactly one; else it
    is an addition, and is not sought.
    """
    made = [list(concept) for concept in found]
    covered: set[int] = set()
    loose: list[str] = []
    for other in others:
        alike = [place for place, concept in enumerate(found) if _share(concept, other)]
        covered.update(alike)
        if not alike:
            loose.append(other[0])
        elif not any(raw(other[0]) <= raw(had) for place in alike for had in found[place]):
            made[alike[0]].append(other[0])
    missing = [place for place in range(len(found)) if place not in covered]
    if len(missing) == 1:
        made[missing[0]] += loose
    return tuple(once(names)[:MOST] for names in made)


def _share(one: Concept, other: Concept) -> bool:
    return bool({word for name in one for word in raw(name)} & {word for name in other for word in raw(name)})


def _without_least(concepts: Sequence[Concept]) -> tuple[Concept, ...]:
    """Of those that say equally little the last goes: what matters most is said first."""
    least = min(reversed(range(len(concepts))), key=lambda place: specificity(concepts[place]))
    return tuple(concept for place, concept in enumerate(concepts) if place != least)


def _loosened(concepts: Sequence[Concept]) -> tuple[Concept, ...]:
    """A phrase that has no other name, as its words."""
    made: list[Concept] = []
    for concept in concepts:
        one = len({fold(name) for name in concept}) == 1
        apart = one and " " in concept[0] and not is_known(concept[0])
        made += [(word,) for word in concept[0].split() if len(word) > 1] if apart else [concept]
    return tuple(made)


def _words(concepts: Sequence[Concept]) -> str:
    return ", ".join(concept[0] for concept in concepts)
