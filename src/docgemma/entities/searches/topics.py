"""What a search is about: the condition of a trial search with its status, the topic of a literature search.

Each part of a message is read for itself, so that a topic ends where the next request begins. Names and ids of people
are left out: they have no business in a public search.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from docgemma.entities.grammar.parts import Part, parts
from docgemma.entities.model import Mention
from docgemma.entities.searches.announced import announced, clause_before, only_an_outcome, shown
from docgemma.entities.searches.phrases import after_head, before_head, listed
from docgemma.entities.searches.told_conditions import told_condition
from docgemma.entities.searches.words import (
    DEFINING,
    NCT,
    PMID,
    STATUS,
    TELLING,
    SearchKind,
    heads,
    is_weak,
    states,
    status_value,
)
from docgemma.entities.words import replaced

_SEARCHING = re.compile(
    r"(?<![\w-])(?:find|search|look(?:ing)?|show|any|anything|get|give|pull|list|need|want|are\sthere|is\sthere|which"
    r"|check|got|see"
    r"|fetch|run|do\s(?:we|you)\shave|looking\sfor"
    r"|what(?:['’]?s)?|anyone|anybody|know|ask(?:s|ed|ing)?|wants|keen|wondering|if|whether|interested)(?![\w-])",
    re.IGNORECASE,
)
_ONLY = re.compile(
    r"\W{0,3}(?:only|please|pls|plz|thanks|first|says?|shows?|suggests?|not\s[\w-]{3,20})\W{0,3}", re.IGNORECASE
)
_POLITELY = re.compile(r"\W{0,3}(?:please|pls|plz|kindly)(?!\w)", re.IGNORECASE)
_SOUGHT = re.compile(
    r"(?<!\w)(?:find|search|look|show|any|anything|give|pull|list|need|(?:is|are|s|if)\sthere|there\s(?:is|are)|which|what|check"
    r"|anyone|anybody|know|asks?|asked|asking|keen|wondering|whether|interested|want(?:s|ed)?|please|pls)(?!\w)"
    r"|^\W{0,3}(?:have|has|got|is|are|was|were|does|do)(?!\w)",
    re.IGNORECASE,
)
_SUBJECT = re.compile(
    r"\W{0,4}(?:the|this|that|our|my|his|her|she|he|they|we|i|it|there|mr|mrs|ms|dr)(?!\w)", re.IGNORECASE
)
_FINITE = re.compile(
    r"(?<!\w)(?:will|would|has|have|had|was|were|is|are|did|does|been|can|must|should|[a-z]{3,12}ed"
    r"|gave|read|heard|took|went|saw|wrote|made|came|found|told|sent|said|knew|thought|spoke|chose|began|brought)(?!\w)",
    re.IGNORECASE,
)
_WISH = re.compile(
    r"(?<!\w)(?:grateful|like|love|hop(?:e|ing)|appreciate|help|point|to\sread|recommend|curious|send|suggest|kindly|please|pls|plz)(?!\w)",
    re.IGNORECASE,
)
_CITED = re.compile(
    r"(?<!\w)(?:per|according\sto|in\s(?:line|keeping)\swith|based\son|supported\sby)\s(?:(?:the|current|recent|latest)\s){0,2}$",
    re.IGNORECASE,
)
_INNER_STATUS = re.compile(
    r"\s(?:recruiting|enroll?ing|accruing|completed|terminated|suspended|withdrawn)(?=\s(?:in|at|near|around|for)\s)",
    re.IGNORECASE,
)
""" "Trials for gout recruiting in Leeds": the status stands in the middle of what they are about."""

_OPEN_IN = re.compile(r"(?<!\w)(?:open|recruiting|enroll?ing|running|ongoing|available)\sin\s$", re.IGNORECASE)
""" "For sickle cell, are there trials open in Ghana": under a heading this is where, not what."""

_POLAR = re.compile(r"(?<!\w)(?:is|are)\s(?:it|they|that|this)\s", re.IGNORECASE)
_REFUSED = re.compile(
    r"(?<!\w)(?:not|n['’]t|dont|doesnt|didnt|never|no|refus\w{1,4}|declin\w{1,4}|withdr\w{2,4})(?!\w)", re.IGNORECASE
)
_OR_NOT = re.compile(r"\s{0,2}(?:or|/)\s{0,2}not(?!\w)", re.IGNORECASE)
_ONE = re.compile(r"(?:trial|study|paper|research|evidence)$", re.IGNORECASE)
"""After these a topic needs its preposition: "the trial was long" is about nothing."""

_ANY = re.compile(r"(?<!\w)(?:any|need|find)\s(?:(?:good|recent|new|published)\s){0,2}$", re.IGNORECASE)
""" "Any evidence bicarb in dka": a telegram leaves the preposition out."""

_SOMEBODY = re.compile(
    r"(?:(?:an?|the|my|this|our|some|older|elderly|young|pregnant|healthy)\s){0,3}"
    r"(?:\d{1,3}[\s-]?(?:years?|yrs?|yo\b|y/o|months?|weeks?)|(?:wom[ae]n|m[ae]n|females?|males?|ladies|lady|gentlem[ae]n|girls?"
    r"|boys?|child(?:ren)?|kids?|infants?|teenagers?|adults?|patients?|people|persons?|somebody|someone|her|him)(?!\w)(?!\swith))",
    re.IGNORECASE,
)
""" "Melanoma trials for a 64-year-old woman": who would take part, and not what they are about."""

_YEARS = re.compile(
    r"(?:(?:published|done|from|since|after|before|of|in|over|within|during|the|last|past|previous|only|and|to|until|between"
    r"|recent|few|couple|(?:19|20)\d\d|\d{1,2}|two|three|five|ten|years?|yrs?|decades?|months?|onwards?)\W{0,2}){1,8}",
    re.IGNORECASE,
)
_TITLE = re.compile(r"(?<!\w)(?:mr|mrs|ms|miss|mx|dr|prof)\.?\s{1,2}$", re.IGNORECASE)
_EITHER = re.compile(r"\s{0,2}(?:and|or|/|&|,|plus)\s{0,2}(?:(?:any|some|the|also|clinical)\s){0,2}", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Search:
    """One search that is asked for, the place that asks, and what it is about; no topic: it has to be asked for."""

    kind: SearchKind
    start: int
    topics: tuple[Mention, ...] = ()
    status: Mention | None = None


def find_searches(text: str, people: Iterable[Mention] = ()) -> tuple[Search, ...]:
    """Every search that the text asks for, in order."""
    owned = (
        (_with_title(text, who.start), who.end + 2 * (text[who.end : who.end + 2].replace("’", "'") == "'s"))
        for who in people
    )
    text = replaced(text, ((start, end, " " * (end - start)) for start, end in sorted(owned)))
    found: list[Search] = []
    for part in parts(text):
        found += [search for search in _in_part(text, part) if not (found and _is_repeated(found[-1], search))]
    return tuple(found)


def _with_title(text: str, start: int) -> int:
    """ "Mr." ends no sentence, and says as little in a search as the name behind it."""
    title = _TITLE.search(text, max(0, start - 12), start)
    return title.start() if title else start


def _is_repeated(before: Search, search: Search) -> bool:
    """ "Has anyone shown a benefit? Show me the papers": the second asks for the first once more.

    "Evidence for X, RCTs since 2020" does, too: years are no topic.
    """
    said = [topic for topic in search.topics if not _YEARS.fullmatch(topic.text)]
    if before.kind == search.kind == "literature" and before.topics and not said:
        return True
    if before.kind != search.kind or len(search.topics) != 1 or len(before.topics) != 1:
        return False
    one, other = before.topics[0].value.lower(), search.topics[0].value.lower()
    return one != other and one.startswith(other)


def find_conditions(text: str, skip: Iterable[Mention] = ()) -> tuple[Mention, ...]:
    """What each trial search is about: "trials for melanoma", "melanoma trials", a trial's own number."""
    return tuple(topic for search in find_searches(text, skip) if search.kind == "trials" for topic in search.topics)


def find_trial_statuses(text: str) -> tuple[Mention, ...]:
    """Status words, only where trials are asked for; "trials for active tuberculosis" has none."""
    return tuple(search.status for search in find_searches(text) if search.kind == "trials" and search.status)


def find_topics(text: str, people: Iterable[Mention] = ()) -> tuple[Mention, ...]:
    """What each literature search is about: an article's number, or the words of the topic."""
    found = find_searches(text, people)
    return tuple(topic for search in found if search.kind == "literature" for topic in search.topics)


_LONGEST_PART = 2000
"""What goes on for longer without another request is pasted text; its beginning says what is asked."""


def _in_part(text: str, part: Part) -> Iterator[Search]:
    own = text[part.start : min(part.end, part.start + _LONGEST_PART)]
    numbered = [*_numbered(own, part.start)]
    if numbered:
        yield from numbered
        return
    chain = [head for head in heads(own) if _is_sought(own, head, part.mark)]
    if not chain and (claim := shown(text, part.start, part.start + len(own))):
        yield Search("literature", part.start, (claim,))
    if not chain or (TELLING.match(own) and part.mark != "?"):
        return
    asked = _asked(own, chain)
    status = _status(own, [topic for _, topic in asked], part.start)
    for kind in dict.fromkeys(kind for kind, _ in asked):
        found = [_moved(topic, part.start) for each, topic in asked if each == kind and topic]
        place = next(start for start, _, each in chain if each == kind)
        if not found and not (_wants(own, chain) or _is_headed(text, part, chain)):
            continue
        about = _completed(text, part.start + place, kind, found)
        yield Search(kind, part.start + place, _unique(about), status if kind == "trials" else None)


def _completed(text: str, place: int, kind: SearchKind, found: Sequence[Mention]) -> Sequence[Mention]:
    """What was said before the request, where the request itself does not say what it is about."""
    elsewhere = len(found) == 1 and kind == "trials" and _OPEN_IN.search(text, place, found[0].start)
    outcome = len(found) == 1 and kind == "literature" and only_an_outcome(found[0])
    if found and not (elsewhere or outcome):
        return found
    told = announced(text, place, trials=kind == "trials")
    if elsewhere:
        return told or found
    if found:
        topic = found[0]
        return [Mention(topic.text, topic.start, topic.end, f"{one.value} {topic.value}") for one in told] or found
    condition = None if told else told_condition(text, place, of_somebody=kind == "literature")
    return [condition] if condition else told


def _is_sought(own: str, head: tuple[int, int, SearchKind], mark: str) -> bool:
    """Whether this noun is what the part asks for, or only what it tells of."""
    start, end, _ = head
    if mark == "?":
        return True
    if states(own, start, end) or _tells(own, start):
        return False
    if not is_weak(own[start:end]):
        return True
    before = own[:start]
    asked = not before.strip(" ,:-") or _SOUGHT.search(before) or _POLAR.search(own, end)
    return bool(asked) and not _REFUSED.search(before)


def _tells(own: str, start: int) -> bool:
    """ "The registrar will present the trial data": somebody does something, and nothing in the part asks."""
    clause = re.split(r"[,;:]", own[:start])[-1]
    told = _CITED.search(clause) or (_SUBJECT.match(clause) and _FINITE.search(clause))
    return bool(told) and not (_SEARCHING.search(own) or _WISH.search(own))


def _numbered(own: str, offset: int) -> Iterator[Search]:
    """A trial's or an article's own number is all a search needs."""
    trials = [
        _moved(Mention(m.group(), *m.span(), m.group().upper().replace(" ", "")), offset) for m in NCT.finditer(own)
    ]
    articles = [_moved(Mention(m.group(), *m.span(), m["id"]), offset) for m in PMID.finditer(own)]
    if trials:
        yield Search("trials", trials[0].start, _unique(trials))
    if articles:
        yield Search("literature", articles[0].start, _unique(articles))


def _asked(own: str, chain: Sequence[tuple[int, int, SearchKind]]) -> list[tuple[SearchKind, Mention | None]]:
    """Each kind of search with what it is about. "Studies and trials on gout": both are about gout."""
    groups: list[list[tuple[int, int, SearchKind]]] = []
    for head in chain:
        if groups and _EITHER.fullmatch(own, groups[-1][-1][1], head[0]):
            groups[-1].append(head)
        else:
            groups.append([head])
    found: list[tuple[SearchKind, Mention | None]] = []
    done = 0
    for group in groups:
        start, end, kind = group[-1]
        if start < done:  # inside the topic of the one before: "evidence from trials on gout"
            continue
        kinds = dict.fromkeys(each for _, _, each in group)
        topics = _topics(own, group[0][0], end, kind)
        found += [(each, topic) for each in kinds for topic in topics]
        if not topics:
            found += [(each, None) for each in kinds]
        done = max([end, *(topic.end for topic in topics)])
    with_topic = {kind for kind, topic in found if topic}
    return [(kind, topic) for kind, topic in found if topic or (kind not in with_topic and not with_topic)]


def _topics(own: str, start: int, end: int, kind: SearchKind) -> list[Mention]:
    bare = not _defines(own, start) and (not _ONE.search(own[start:end]) or _ANY.search(own, 0, start) is not None)
    whole = clause_before(own, start) if kind == "literature" else None
    before = None if _defines(own, start) else whole or before_head(own, start)
    after = after_head(own, end, trials=kind == "trials", bare=bare, over_marks=before is None)
    if kind == "literature" and after is not None and _YEARS.fullmatch(after.text):
        after = None  # "…, studies since 2015": when, and not what
    for_whom = kind == "trials" and after is not None and _is_somebody(after.text)
    about = before if before and for_whom else after or before
    found = listed(own, about, trials=kind == "trials") if about else []
    if kind == "literature":
        return found
    return [Mention(one.text, one.start, one.end, _INNER_STATUS.sub("", one.value, count=1)) for one in found]


def _is_somebody(text: str) -> bool:
    return _SOMEBODY.match(text) is not None and " with " not in text


def _wants(own: str, chain: Sequence[tuple[int, int, SearchKind]]) -> bool:
    """Without a topic only a plain wish counts: "find me some studies". What trials are is general knowledge."""
    end = chain[-1][1]
    return not _defines(own, chain[0][0]) and bool(_SEARCHING.search(own, 0, end) or _POLITELY.match(own, end))


def _is_headed(text: str, part: Part, chain: Sequence[tuple[int, int, SearchKind]]) -> bool:
    """ "Malaria: recruiting trials": under a heading the noun alone is a request, if nothing is said of it."""
    start, end, kind = chain[0][0], chain[-1][1], chain[0][2]
    rest = text[part.start + end : part.end].strip(" .?!,")
    alone = not rest or _ONLY.fullmatch(text, part.start + end, part.end) or _YEARS.fullmatch(rest)
    return bool(alone) and bool(announced(text, part.start + start, trials=kind == "trials"))


def _defines(own: str, head: int) -> bool:
    """ "What is a trial" asks what it is; in "what's recruiting" the question word belongs to the search."""
    opening = DEFINING.match(own)
    return opening is not None and opening.end() <= head


def _status(own: str, topics: Sequence[Mention | None], offset: int) -> Mention | None:
    """The status that is asked for; two different ones are none, and so is "recruiting or not"."""
    inside = [(topic.start, topic.end) for topic in topics if topic and not _INNER_STATUS.search(topic.text)]
    found = [
        Mention(match.group(), offset + match.start(), offset + match.end(), status_value(match.group()))
        for match in STATUS.finditer(own)
        if not any(start <= match.start() < end for start, end in inside) and not _OR_NOT.match(own, match.end())
    ]
    strong = [status for status in found if status.value != "active"] or found
    return strong[0] if len({status.value for status in strong}) == 1 else None


def _moved(mention: Mention, offset: int) -> Mention:
    return Mention(mention.text, mention.start + offset, mention.end + offset, mention.value)


def _unique(mentions: Sequence[Mention]) -> tuple[Mention, ...]:
    return tuple({mention.value.lower(): mention for mention in reversed(mentions)}.values())[::-1]
