"""What is searched for, made from the words that say so.

Two texts come in: a query, which may be a model's, and the parts of a message that were marked for the search, joined
by "; ". What has to be there is the user's own. A model's other words are further phrasings, and never an obligation:
it may have guessed. Years and kinds of study are exact forms: which words of a sentence those are, the reader tells.
"Recent" is no year: it bears on the order alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime
from functools import cache

from docgemma.entities.tables import rows
from docgemma.entities.words import word_set
from docgemma.reader.contract import Reader
from docgemma.reader.labels import SpanType
from docgemma.sources.literature.concepts import (
    MOST,
    MOST_CONCEPTS,
    Concept,
    concepts_in,
    fold,
    is_known,
    meaning,
    once,
    share,
    specificity,
)
from docgemma.sources.literature.contract import KINDS, Kind, Sought
from docgemma.sources.literature.people import without_people
from docgemma.sources.openfda.texts import plain
from docgemma.sources.reading import NARROWING, Part, parts_of
from docgemma.sources.trials.words import age_of, place_of

Years = tuple[int | None, int | None]

_YEAR = re.compile(r"(?<![\d.])(?:19[4-9]|20[0-4])\d(?![\d%])")
_SPAN = re.compile(r"(?:(?P<many>\d{1,2}|[a-z]+)\s+(?:of\s+)?)?(?P<unit>years?|yrs?|months?|decades?)\b")
_COUNTS = {"one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10}
_COUNTS |= {"couple": 2, "few": 5, "several": 5, "twelve": 12, "fifteen": 15, "twenty": 20}
_MONTHS = {"m": 1, "y": 12, "d": 120}
_FROM = re.compile(r"\b(?:since|from|onwards?|on|upwards|forward|later|newer|now|present|date)\b|\d\+")
_AFTER = re.compile(r"\b(?:after|post|(?:later|newer)\sthan)\b")
_BEFORE = re.compile(r"\b(?:before|prior|pre|older|earlier)\b")
_UNTIL = re.compile(r"\b(?:until|till|up\sto|through)\b")
_IN = re.compile(r"\b(?:in|of|during|dated)\b")
_LAST = re.compile(r"\b(?:last|past|previous|recent|within)\b")
_NEWEST = word_set("latest newest newer new recent recently current currently lately")
_REFUSED = word_set("not no non excluding except without")
_APART = re.compile(r"[,;/&+]|\b(?:and|or)\b")


def years_in(texts: Iterable[str], today: date) -> Years:
    """From the first to the last year that is meant, of those that are not of the future."""
    read = [years for text in texts if any(years := _years(text.lower().replace("-", " "), today))]
    since = [low for low, _ in read if low]
    until = [high for _, high in read if high]
    return min(since, default=None), max(until, default=None)


def kinds_in(texts: Iterable[str]) -> tuple[Kind, ...]:
    """The kinds of article that these words name and do not refuse; of each phrase the first that fits."""
    phrases = (part.lower().replace("-", " ").split() for text in texts for part in _APART.split(text))
    wanted = (f" {' '.join(phrase)}" for phrase in phrases if _REFUSED.isdisjoint(phrase))
    found = (next((kinds for said, kinds in _kinds() if f" {said}" in phrase), ()) for phrase in wanted)
    return tuple(dict.fromkeys(kind for kinds in found for kind in kinds))


def asks_for_newest(text: str) -> bool:
    """Whether what is new should come first."""
    return not _NEWEST.isdisjoint(re.findall(r"[a-z]+", text.lower()))


def _years(text: str, today: date) -> Years:
    """One phrase: "2018 2022", "since 2018", "before 2010", "last 5 years", "2018", which is a beginning."""
    named = sorted(year for year in map(int, _YEAR.findall(text)) if year <= today.year)
    if not named:
        counted = None if _YEAR.search(text) else _SPAN.search(text)
        if counted is None or not (_LAST.search(text) or "this" in text.split()):
            return None, None
        many = counted["many"] or ""
        months = (int(many) if many.isdecimal() else _COUNTS.get(many, many != "this")) * _MONTHS[counted["unit"][0]]
        return (today.year * 12 + today.month - 1 - months) // 12, None
    low, high = named[0], named[-1]
    if low < high:
        return low, high
    if _AFTER.search(text):
        return low + 1, None
    if _BEFORE.search(text):
        return None, low - 1
    if _UNTIL.search(text) and not _FROM.search(text):
        return None, low
    return low, low if _IN.search(text) and not _FROM.search(text) else None


@cache
def _kinds() -> tuple[tuple[str, tuple[Kind, ...]], ...]:
    by_name: dict[str, Kind] = {kind: kind for kind in KINDS}
    table = rows("docgemma.sources.literature", "kinds.tsv")
    return tuple((said, tuple(by_name[kind] for kind in kinds.split())) for said, kinds in table)


_FRAME = "find articles on "
_TOPICS: tuple[SpanType, ...] = ("topic", "condition", "drug", "substance", "indication", "reaction", "service", "lab")
_OLD = re.compile(r"\b\d{1,3}[\s-](?:years?|yrs?|months?|weeks?|days?)[\s-]olds?\b", re.IGNORECASE)
_PMID = re.compile(r"(?<![\w-])(?:PMID|pubmed\s(?:id|number))[\s:#]{0,3}(?P<id>[1-9]\d{0,8})(?!\d)", re.IGNORECASE)
_BARE_PMID = re.compile(r"\s*(?P<id>[1-9]\d{4,8})\s*")
_DOI = re.compile(r"(?<![\w.])(?P<id>10\.\d{4,9}/[\w.()/:;<>-]{1,150}[\w)])", re.ASCII)


def sought_in(query: str, question: str | None = None, *, reader: Reader, today: date | None = None) -> Sought:
    """What to search for. Without a single concept when neither text says anything. Never raises."""
    day = today or datetime.now(UTC).date()
    number = _number(query) or _number(question or "")
    if number is not None:
        return number
    wanted = parts_of(reader, _FRAME, query)
    own = {part.strip() for part in plain(question or "").split(";")} - {""}
    asked = [part for part in parts_of(reader, _FRAME, f"{query}; {question}") if part.text in own] if own else wanted
    concepts = _together(_concepts(asked, day), _concepts(wanted, day))
    where = _where(asked)
    concepts = (*[each for each in concepts if each not in where][: MOST_CONCEPTS - len(where)], *where)
    since, until = years_in(_narrowing(asked, "year"), day)
    return Sought(
        concepts,
        kinds=kinds_in(_narrowing(asked, "study_kind")),
        since=since,
        until=until,
        words=_words(concepts),
        newest=any(asks_for_newest(part.text) for part in asked),
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


def _concepts(parts: Sequence[Part], today: date) -> tuple[Concept, ...]:
    """Of what was marked as a topic; where nothing was marked, of the part itself. Groups of people last."""
    marked = [text for part in parts for text in part.runs(*_TOPICS)]
    marked += [kind for part in parts for kind in part.of("study_kind") if not kinds_in([kind])]  # "qualitative"
    unmarked = [part.text for part in parts if not part.spans]
    rest = [
        text for text in unmarked if not (any(years_in([text], today)) or kinds_in([text]) or asks_for_newest(text))
    ]
    topics = [*marked, *rest] or [part.without(*NARROWING) for part in parts]
    ages = [*(age for part in parts for age in part.of("age")), *(age for text in topics for age in _OLD.findall(text))]
    return concepts_in([*(without_people(_OLD.sub(", ", text)) for text in topics), *_groups(ages)])


def _groups(ages: Iterable[str]) -> Iterator[str]:
    """Whom it is about, as far as it matters: a child and the old, never a grown-up's own age."""
    for age in map(age_of, ages):
        if age is not None and (age.to or age.years) < 18:
            yield "children"
        elif age is not None and age.to and age.years >= 60:
            yield "older adults"


def _narrowing(parts: Sequence[Part], kind: SpanType) -> list[str]:
    """The words of this type, and parts in which nothing was marked."""
    return [text for part in parts for text in (part.led(kind) if part.spans else (part.text,))]


def _where(parts: Sequence[Part]) -> tuple[Concept, ...]:
    """The places where it is studied: one of them."""
    places = (place_of(without_people(place)) for part in parts for place in part.of("place"))
    names = once(name for place in places for name in place.split(" or ") if name)
    return (names[:MOST],) if names else ()


def _together(said: Sequence[Concept], wanted: Sequence[Concept]) -> tuple[Concept, ...]:
    """The user's concepts, each with what a model called it; texts that share no word say two things.

    A concept of the model's that shares a word with one of the user's is that one in other words. What the user did not
    say stands for the one concept that the model left out, if there is exactly one; else it is an addition, and is not
    sought.
    """
    alike = {other: [place for place, own in enumerate(said) if share(own, other)] for other in wanted}
    if not any(alike.values()):
        each = {meaning(concept[0]): concept for concept in reversed((*wanted, *said))}
        return tuple(reversed(each.values()))
    made = [list(concept) for concept in said]
    missing = [place for place in range(len(said)) if not any(place in places for places in alike.values())]
    for other, places in alike.items():
        if places:
            made[places[0]] += other[:1]
        elif len(missing) == 1:
            made[missing[0]] += other[:1]
    return tuple(once(names)[:MOST] for names in made)


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
