"""What is searched for, made from a question in a clinician's own words.

Two texts come in: the user's whole question, and the words a model or a rule took from it. What has to be there is the
user's own. A model's other words are further phrasings of what it left out, and never an obligation: it may have
guessed.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, date, datetime
from typing import NamedTuple

from docgemma.entities.drugs.names import ingredients
from docgemma.entities.grammar.parts import parts
from docgemma.entities.searches.told_conditions import told_condition
from docgemma.entities.searches.topics import find_topics
from docgemma.entities.sentences import split
from docgemma.sources.literature.contract import Sought
from docgemma.sources.literature.filters import blanked, filters_in
from docgemma.sources.literature.naming import MOST, fold, is_known, meaning, once
from docgemma.sources.literature.people import CHILDREN, PREGNANCY, without_people
from docgemma.sources.literature.reading import MOST_CONCEPTS, Concept, concepts_in, content, raw, specificity
from docgemma.sources.openfda.texts import plain
from docgemma.sources.shorthand import written_out

_LONGEST = 4_000
"""Letters that are read. Who pastes a whole letter asks before or behind it."""

_LONGEST_TOPIC = 400
_SHORT = 30
"""Words of a question that may be read as a whole when no part of it is known to be the topic."""

_PMID = re.compile(r"(?<![\w-])(?:PMID|pubmed\s(?:id|number))[\s:#]{0,3}(?P<id>[1-9]\d{0,8})(?!\d)", re.IGNORECASE)
_BARE_PMID = re.compile(r"\s*(?P<id>[1-9]\d{4,8})\s*")
_ASKING = re.compile(
    r"\W{0,3}(?:(?:and|also|then|please|can you|could you)\s){0,2}(?:what|which|who|when|where|how|why|is|are|was|were"
    r"|does|do|did|can|could|should|show|find|check|list|get|give|pull|tell|search|look|open|add|order|prescribe|start|save)(?!\w)",
    re.IGNORECASE,
)
_OPENING = re.compile(
    r"\W{0,3}(?:and|also|but|only|just|same|or|in|for|with|without|at|on|of|sorry|oops|no|not|what about|how about"
    r"|anything|narrow|restrict|limit)(?!\w)",
    re.IGNORECASE,
)
_POINTER = re.compile(
    r"(?<!\w)(?:that|it|this|these|those|them|same|instead|too|tho|ones|specifically)(?![\w'’])", re.IGNORECASE
)
_MOST_TELLING = 3
_SHORT_STORY = 3
_SETTINGS = frozenset(("intensive care unit", "computed tomography", "magnetic resonance imaging", "body mass index"))
_DOI = re.compile(r"(?<![\w.])(?P<id>10\.\d{4,9}/[\w.()/:;<>-]{1,150}[\w)])", re.ASCII)


def sought_in(query: str, question: str | None = None, *, today: date | None = None) -> Sought:
    """What to search for. Without a single concept when neither text says anything."""
    day = today or datetime.now(UTC).date()
    query, question = written_out(plain(_bounded(query))), written_out(plain(_bounded(question or "")))
    number = _number(query) or _number(question)
    if number is not None:
        return number
    query, question = without_people(query), without_people(question)
    own = _own_parts(question, day)
    asked = blanked(filters_in(question, day)[0], own.requests)
    words, narrowed = filters_in(query, day)
    if question.strip():  # a model's query may hold years that nobody asked for
        narrowed = filters_in(blanked(question, (*own.requests, *own.tales)), day)[1]
    concepts = _concepts(words, asked, question)
    return Sought(
        concepts,
        kinds=narrowed.kinds,
        since=narrowed.since,
        until=narrowed.until,
        words=", ".join(concept[0] for concept in concepts),
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


def _bounded(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST // 2]}\n{text[-_LONGEST // 2 :]}"


class _Others(NamedTuple):
    """Places in a question that do not ask for this search."""

    requests: tuple[tuple[int, int], ...] = ()
    tales: tuple[tuple[int, int], ...] = ()


def _own_parts(question: str, today: date) -> _Others:
    """The other requests of a question, and what it tells: "her potassium of last year, and find studies on gout" names
    no years for the studies. What only narrows ("Only RCTs, please.") is part of the search.
    """
    topics = find_topics(question)
    if not topics:
        return _Others()
    others = [
        part
        for part in parts(question)
        if not any(part.start <= topic.start < part.end for topic in topics)
        and content(filters_in(question[part.start : part.end], today)[0])
    ]
    asking = [part for part in others if part.mark == "?" or _ASKING.match(question, part.start)]
    return _Others(
        tuple((part.start, part.end) for part in asking),
        tuple((part.start, part.end) for part in others if part not in asking),
    )


def _concepts(words: str, asked: str, question: str) -> tuple[Concept, ...]:
    topic = _topic(words, asked, question)
    found = concepts_in(topic[:_LONGEST_TOPIC])
    if topic is not words:
        found = _with_phrasings(found, concepts_in(words[:_LONGEST_TOPIC]), content(asked))
    if not found:
        return concepts_in(words[:_LONGEST_TOPIC])
    return (*found, *_context(found, asked))[:MOST_CONCEPTS]


def _context(found: Sequence[Concept], asked: str) -> tuple[Concept, ...]:
    """What a topic that names little is asked for: "4 year old with croup, is there evidence for heliox?".

    Only conditions, by a name that is known or as what somebody is said to have, children and pregnancy: the rest of a
    story narrows a search to nothing.
    """
    names = {meaning(concept[0]) for concept in found}
    new = [concept for concept in concepts_in(asked) if meaning(concept[0]) not in names]
    children = [concept for concept in new if concept[0] in (CHILDREN[0], PREGNANCY[0])]
    telling = [concept for concept in found if specificity(concept) == _MOST_TELLING]
    if len(found) > 1 and any(not ingredients(concept[0]) for concept in telling):
        return tuple(children)
    known = [concept for concept in new if specificity(concept) == _MOST_TELLING and concept[0] not in _SETTINGS]
    conditions = [concept for concept in known if not ingredients(concept[0])]
    said = told_condition(asked, len(asked), of_somebody=True)
    if not conditions and said is not None:
        conditions = [concept for concept in concepts_in(said.value) if concept in new]
    few = conditions[: 1 if len(found) == 1 else 2] if len(conditions) <= _SHORT_STORY else []
    return (*few, *children)


def _topic(words: str, asked: str, question: str) -> str:
    """The stretch of text that has to be searched for.

    The query where its words are the user's own, or where the question goes on from what was said before. Else what the
    question says it is about; else the question, or of a long one the sentences that share something with the query.
    """
    said, wanted = content(asked), content(words)
    places = [(mention.start, mention.end) for mention in find_topics(question)]
    topics = [topic for start, end in places if content(topic := asked[start:end])]
    whole = [topic for topic in topics if wanted and wanted <= content(topic)]
    if whole:
        return whole[0]
    if not said or (wanted and (wanted <= said or _goes_on(question, topics))):
        return words if wanted else asked
    shared = [topic for topic in topics if content(topic) & wanted]
    if shared or len(topics) == 1:
        return ", ".join(shared or topics)
    if len(asked.split()) <= _SHORT:
        return asked
    close = [sentence for sentence in split(asked) if content(sentence) & wanted]
    return " ".join(close)[:_LONGEST_TOPIC] if close else words


def _goes_on(question: str, topics: Sequence[str]) -> bool:
    """Whether the question alone does not say what it is about: "and budesonide?", "any studies on it in newborns"."""
    pointing = any(_POINTER.search(topic) for topic in topics)
    return pointing or (not topics and bool(_OPENING.match(question) or _POINTER.search(question)))


def _with_phrasings(found: Sequence[Concept], others: Sequence[Concept], said: frozenset[str]) -> tuple[Concept, ...]:
    """The user's concepts, each with what a model called it.

    A concept of the model's that shares a word with one of the user's is that one in other words, unless it only says
    less. One that the user said elsewhere in the question is sought too. What the user did not say stands for the one
    concept that the model left out, if there is exactly one; else it is an addition, and is not sought.
    """
    made = [list(concept) for concept in found]
    covered: set[int] = set()
    loose: list[Concept] = []
    for other in others:
        alike = [place for place, concept in enumerate(found) if _share(concept, other)]
        covered.update(alike)
        if alike:
            place = alike[0]
            made[place] += [name for name in other[:1] if not any(raw(name) <= raw(had) for had in found[place])]
        elif content(other[0]) <= said and len(made) < MOST_CONCEPTS:
            made.append(list(other))
        else:
            loose.append(other)
    missing = [place for place in range(len(found)) if place not in covered]
    if len(missing) == 1:
        made[missing[0]] += [name for other in loose for name in other[:1]]
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
