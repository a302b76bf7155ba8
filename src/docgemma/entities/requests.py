"""Does the user ask, in their own words, for something to be written into a chart?

Only an imperative counts: not a question, a negation, a report of what others want, a hypothesis, a quotation or the
past. A wrong "no" costs a second sentence; a wrong "yes" costs a clinician's trust, so every doubt is a no.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from docgemma.entities import undoable
from docgemma.entities.allergy_statements import states_allergy
from docgemma.entities.model import Entities, Mention, WriteKind, WriteRequest
from docgemma.entities.speech import Clause, clauses, is_action
from docgemma.entities.words import Sentence, Word, replaced, sentences, without_quotes, word_set, words
from docgemma.entities.write_kinds import ANCHOR, MEDICINE, SAVING, WRITING, Places, write_kind

_HYPOTHETICAL = re.compile(
    r"(?<![\w-])(?:hypothetical(?:ly)?|suppos(?:e|ing)|imagine|assuming|pretend|unless|whether|for\sexample|e\.g\.?"
    r"|if(?!\s(?:needed|necessary|possible|available|you\s(?:can|could|would|please)|that['’]?s\s(?:ok|okay|fine)|tolerated)))"
    r"(?![\w-])",
    re.IGNORECASE,
)
_REPORTED = re.compile(
    r"(?<![\w-])(?:wants|wanted|asks|asked|asking|says|said|told|tells|suggests|suggested|recommends|recommended|advises"
    r"|advised|requests|requested|insists|insisted|prefers|preferred|thinks|according|usually|typically|generally"
    r"|guidelines?|protocols?)(?![\w-])",
    re.IGNORECASE,
)
_INTERROGATIVE = word_set(
    "what what's when when's who who's whom whose which why how how's where should shall would is are was "
    "were does did do has have had may might am can could will isn't aren't doesn't didn't"
)
_RETRACTION = re.compile(
    r"(?<!\w)(?:never\s?mind|scratch\sthat|forget\s(?:it|that|about\sit)|cancel\s(?:it|that)|on\ssecond\sthought|not\stoday"
    r"|actually,?\s(?:no|don['’]t|do\snot))(?!\w)",
    re.IGNORECASE,
)
_LOOSE = frozenset({"", ",", ":", "-", "–", "—"})
"""Joints after which a request may begin, whatever came before."""

_STATING = word_set(
    "she he they i we it is are was were has have had does did will would wants who which that there since because"
)
"""A part with one of these says something; one without ("500 mg daily", "(rash)") goes on with the request."""

_RELEASES = frozenset({"just", "instead", "but", "only", "rather", "please"})
_ADDRESS = word_set("for patient pt please then next order request now mr mrs ms")

_REPORTING = re.compile(r"\sthat\s{0,3}$")
"""What follows "record that" is the user's own statement, to be read like any other."""

_LONGEST_ADDRESS = 6
_LISTING = frozenset({";", "\n"})
_BULLETS = frozenset({"-", "–", "•", "*", "and"})

_SAME_AGAIN = re.compile(r"(?:the\s)?same\s(?:as\s(?:last\stime|before)|again|prescription|order)(?!\w)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Request:
    """What one imperative asks for: a chart entry, or something that no tool does."""

    kind: WriteKind | None
    verb: str
    start: int
    end: int


def find_requests(text: str, found: Entities) -> tuple[tuple[WriteRequest, ...], tuple[Mention, ...]]:
    """The write requests and what cannot be done, in order. Each ends where the next begins or the sentence ends."""
    own = _own_words(text, found.note_texts)
    tokens = words(own)
    places = Places(found)
    asked: list[_Request] = []
    mark = ""
    for sentence in sentences(own, tokens):
        told = _in_sentence(own, sentence, places)
        if _RETRACTION.search(own, sentence.start, sentence.end):  # takes back what was asked, and asks for no entry
            told = [] if asked else [request for request in told if request.kind is None]
            asked.clear()
        listed = not told and mark in _LISTING and bool(asked) and _continues(asked[-1], sentence, places)
        if listed:
            asked[-1] = replace(asked[-1], end=sentence.end)
        asked.extend(told)
        mark = sentence.mark if told or listed else ""
    writes = [WriteRequest(request.kind, request.start, request.end) for request in asked if request.kind]
    if not writes and (statement := states_allergy(own, tokens, found)):
        writes.append(WriteRequest("allergy", *statement))
    if writes and writes[-1].kind == "note" and found.note_texts:
        writes[-1] = replace(writes[-1], end=max(writes[-1].end, found.note_texts[-1].end))
    refused = tuple(
        Mention(text[request.start : request.end], request.start, request.end, request.verb)
        for request in asked
        if request.kind is None
    )
    return tuple(writes), refused


def _continues(request: _Request, sentence: Sentence, places: Places) -> bool:
    """The next line of a list: it begins with a drug for an order, with a substance for an allergy."""
    kinds = {"prescribe": ("drugs", "unlisted_drugs", "doses"), "allergy": ("substances",)}
    first = next((word for word in sentence.words if word.low not in _BULLETS), None)
    return first is not None and places.has(range(first.start, first.end), *kinds.get(request.kind or "", ()))


def _own_words(text: str, note_texts: tuple[Mention, ...]) -> str:
    """Without quotations and without what a note shall say, place for place."""
    said = [note for note in note_texts if not _REPORTING.search(text[max(0, note.start - 8) : note.start])]
    return replaced(without_quotes(text), ((note.start, note.end, " " * (note.end - note.start)) for note in said))


def _in_sentence(text: str, sentence: Sentence, places: Places) -> list[_Request]:
    if _HYPOTHETICAL.search(text, sentence.start, sentence.end):
        return []
    if _SAME_AGAIN.match(text, sentence.start) and sentence.mark != "?":
        return [_Request("prescribe", "same", sentence.start, sentence.end)]
    parts = [_after_address(part, places) for part in clauses(sentence)]
    if not parts or not (_may_ask(parts[0]) or parts[0].polite):
        return []
    report = _REPORTED.search(text, sentence.start, sentence.end)
    found: list[_Request] = []
    mood = _Mood(addressed=_is_address(parts[0], places))
    for index, part in enumerate(parts):
        if part.joiner == ":" and not _is_address(parts[index - 1], places):
            break
        mood.read(part)
        if part.negated and _takes_back(part):
            found = [request for request in found if request.kind is None]
        if part.action is None or not mood.imperative or mood.negated or (sentence.mark == "?" and not mood.polite):
            continue
        if report and report.start() < part.action.start and not part.polite:
            continue
        found.extend(_requests(_span(parts, index), places, asked=sentence.mark == "?"))
    return found


def _requests(span: list[Word], places: Places, *, asked: bool) -> Iterator[_Request]:
    """What the words from a verb on ask for, if anything."""
    start, end, inside = span[0].start, span[-1].end, range(span[0].start, span[-1].end)
    rest = [word.low for word in span[1:]]
    told = undoable.Told(
        verb=span[0].low,
        rest=rest,
        medicine=places.has(inside, "drugs", "unlisted_drugs", "doses", "frequencies") or bool(MEDICINE & {*rest}),
        amount=places.has(inside, "doses", "frequencies"),
        substance=places.has(inside, "substances"),
        someone=places.has(inside, "patient_ids", "person_names"),
    )
    general = asked and not (told.someone or ANCHOR & {*rest})
    if not general and (verb := undoable.certainly(told)):
        yield _Request(None, verb, start, end)
    elif kind := write_kind(span, places, asked=asked):
        yield _Request(kind, span[0].low, start, end)
    elif not general and (verb := undoable.otherwise(told)):
        yield _Request(None, verb, start, end)


class _Mood:
    """How a sentence speaks, carried from clause to clause: "and start" asks only when what it joins to asked."""

    def __init__(self, *, addressed: bool) -> None:
        self.negated = False
        self.polite = False
        self.imperative = False
        self._loose = _LOOSE | {")"} if addressed else _LOOSE

    def read(self, part: Clause) -> None:
        released = part.words[0].low in _RELEASES or part.joiner == "but"
        self.negated = part.negated or (self.negated and not released)
        self.polite = part.polite or (self.polite and (self.imperative or part.joiner not in self._loose))
        if part.action is not None:
            self.imperative = part.joiner in self._loose or self.imperative
        elif _STATING & {word.low for word in part.words}:
            self.imperative = False


def _may_ask(first: Clause) -> bool:
    """A sentence that opens like a question asks for an answer, with or without its mark."""
    opening = first.words[0].low
    return opening not in _INTERROGATIVE or first.negated


def _after_address(part: Clause, places: Places) -> Clause:
    """ "Patient abc-123 prescribe amoxicillin": the verb may follow right after the person."""
    if part.verb is not None or part.negated:
        return part
    place = 0
    while place < len(part.words) and (part.words[place].low in _ADDRESS or places.is_person(part.words[place])):
        place += 1
    someone = any(places.is_person(word) for word in part.words[:place])
    return replace(part, verb=place) if someone and is_action(part.words, place) else part


def _is_address(part: Clause, places: Places) -> bool:
    """ "For abc-123:" or "add allergy:" before a colon; after any other heading follows somebody's text."""
    if part.action is not None:
        return part.action.low in WRITING
    if len(part.words) > _LONGEST_ADDRESS:
        return False
    someone = places.has(range(part.words[0].start, part.words[-1].end), "patient_ids", "person_names")
    return someone or all(word.low in _ADDRESS for word in part.words)


def _takes_back(negation: Clause) -> bool:
    """ "Draft, but do not save, a note": the refusal takes back what came before it in the sentence."""
    return any(word.low in SAVING for word in negation.words)


def _span(parts: Sequence[Clause], index: int) -> list[Word]:
    """The request's words: from its verb to the next request or refusal."""
    first = parts[index]
    span = list(first.words[first.verb or 0 :])
    for part in parts[index + 1 :]:
        if part.action is not None or part.negated or part.words[0].low in _INTERROGATIVE:
            break
        span += part.words
    return span
