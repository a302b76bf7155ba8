"""Does the user ask, in their own words, for something to be written into a chart?

Only an imperative counts: not a question, a negation, a report of what others want, a hypothesis, a quotation or the
past. A wrong "no" costs a second sentence; a wrong "yes" costs a clinician's trust, so every doubt is a no. So is a
drug with its dose and no verb ("abc-123: metformin 500 mg bd"), the user's own plan ("I'll start him on …") and a
suggestion ("we should start …").
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from docgemma.entities.entries.allergy_statements import states_allergy
from docgemma.entities.grammar.speech import Clause, clauses, is_action, opening_length
from docgemma.entities.grammar.spelling import heard
from docgemma.entities.grammar.verbs import base_form
from docgemma.entities.model import Entities, Mention, WriteKind, WriteRequest
from docgemma.entities.words import Sentence, Word, sentences, word_set, words
from docgemma.entities.writes import mood, undoable
from docgemma.entities.writes.any_verb import (
    LONGEST_ORDER,
    may_hand_over,
    only_asks_for,
    told_by_any_verb,
)
from docgemma.entities.writes.kinds import (
    ANCHOR,
    MEDICINE,
    ORDERING,
    SAVING,
    WRITING,
    Places,
    by_heading,
    divided,
    write_kind,
)
from docgemma.entities.writes.midway import told_may_have, told_midway, told_to_be
from docgemma.entities.writes.own_words import own_words
from docgemma.entities.writes.without_verb import end_of_order

_INTERROGATIVE = word_set(
    "what what's when when's who who's whom whose which why how how's where should shall would is are was were does "
    "did do has have had may might am can could will isn't aren't doesn't didn't"
)
_ADDRESS = word_set("for patient pt please then next order request now mr mrs ms no yes ok the this my")
_CALLING = word_set("please kindly you favour favor request doctor job jobs things")
"""Before a colon these call on the listener: "quick favour: …"."""

_WHICH = word_set("what what's which why how who when where whether should explain mean means")
_MAY = frozenset({"can", "could", "may"})
""" "Please can abc-123 have …": only with "please", else it asks whether it may be."""

_LONGEST_ADDRESS = 6
_LISTING = frozenset({";", "\n"})
_BULLETS = frozenset({"-", "–", "•", "*", "and"})
_SAME_AGAIN = (
    *(("same", "as", "last", "time"), ("same", "as", "before"), ("same", "again"), ("same", "prescription")),
    ("same", "order"),
)
_AGAIN = word_set("prescription order her him them patient")


@dataclass(frozen=True, slots=True)
class _Request:
    """What one imperative asks for: a chart entry, or something that no tool does."""

    kind: WriteKind | None
    verb: str
    start: int
    end: int


def find_requests(text: str, found: Entities) -> tuple[tuple[WriteRequest, ...], tuple[Mention, ...]]:
    """The write requests and what cannot be done, in order. Each ends where the next begins or the sentence ends."""
    own = own_words(text, found.note_texts)
    tokens = heard(words(own))
    places = Places(found)
    general = mood.REFERENCE.search(own) is not None
    asked: list[_Request] = []
    mark = ""
    before: Sentence | None = None
    last: Sentence | None = None
    for sentence in sentences(own, tokens):
        told = [] if general and not _has_anchor(sentence, places) else _in_sentence(own, sentence, places)
        if before is not None and all(request.kind == "prescribe" for request in told):
            told = _refers_back(own, before, sentence, places) or told
        told = [_with_named_before(request, sentence, last, places) for request in told]
        if mood.takes_back(own, sentence):  # takes back what was asked, and asks for no entry
            told = [] if asked else [request for request in told if request.kind is None]
            asked.clear()
        elif not told and asked and mood.only_asks_opinion(own, sentence):
            asked = [request for request in asked if request.kind is None]
        listed = not told and mark in _LISTING and bool(asked) and _continues(asked[-1], sentence, places)
        if listed:
            asked[-1] = replace(asked[-1], end=sentence.end)
        asked.extend(told)
        mark = sentence.mark if told or listed else ""
        before = None if told else sentence
        last = sentence
    writes = [WriteRequest(request.kind, request.start, request.end) for request in asked if request.kind]
    if (not writes or _files_what_was_said(own, writes, found)) and (statement := states_allergy(own, tokens, found)):
        writes = [WriteRequest("allergy", *statement)]
    if writes and writes[-1].kind == "note" and found.note_texts:
        writes[-1] = replace(writes[-1], end=max(writes[-1].end, found.note_texts[-1].end))
    refused = tuple(
        Mention(text[request.start : request.end], request.start, request.end, request.verb)
        for request in asked
        if request.kind is None
    )
    return tuple(writes), refused


def _files_what_was_said(text: str, writes: Sequence[WriteRequest], found: Entities) -> bool:
    """ "She's allergic to latex, put it on her notes": no note of its own, but the place for what was said."""
    if len(writes) != 1 or writes[0].kind != "note" or found.note_texts or found.note_types:
        return False
    return not {"it", "that", "this"}.isdisjoint(word.low for word in words(text[writes[0].start : writes[0].end])[1:3])


def _has_anchor(sentence: Sentence, places: Places) -> bool:
    """Whether the sentence speaks of somebody: an id, a name, "her"."""
    inside = range(sentence.start, sentence.end)
    someone = places.has(inside, "patient_ids", "person_names")
    return someone or not ANCHOR.isdisjoint(word.low for word in sentence.words)


def _continues(request: _Request, sentence: Sentence, places: Places) -> bool:
    """The next line of a list: it begins with a drug for an order, with a substance for an allergy."""
    kinds = {"prescribe": ("drugs", "unlisted_drugs", "doses"), "allergy": ("substances",)}
    first = next((word for word in sentence.words if word.low not in _BULLETS), None)
    return first is not None and places.has(range(first.start, first.end), *kinds.get(request.kind or "", ()))


def _in_sentence(text: str, sentence: Sentence, places: Places) -> list[_Request]:
    """What one sentence asks for, clause by clause."""
    asked = sentence.mark == "?"
    if mood.is_no_request(text, sentence):
        return []
    if _same_again(sentence, places):
        return [_Request("prescribe", "same", sentence.start, sentence.end)]
    parts = _told(clauses(sentence), places)
    if not parts or not (_may_ask(parts[0]) or parts[0].polite or (parts[0].own and parts[0].action is not None)):
        return []
    if _asks_in_the_same_breath(parts, sentence, places):
        return []
    if kind := by_heading(parts, places, asked=asked or _goes_on_to_ask(parts)):
        return [_Request(kind, parts[0].words[0].low, sentence.start, sentence.end)]
    report = mood.REPORTED.search(text, sentence.start, sentence.end)
    if not (asked or report) and (order := _please(parts, sentence, places)) is not None:
        return [order]
    found: list[_Request] = []
    spoken = mood.Mood(addressed=_is_address(parts[0], places))
    for index, part in enumerate(parts):
        if part.joiner == ":" and part.action is not None and not _may_head(parts[index - 1], places):
            break
        spoken.read(part)
        if part.negated and _takes_back(part):
            found = [request for request in found if request.kind is None]
        if part.action is None or not spoken.imperative or spoken.negated:
            continue
        report = None if mood.concludes(text, report, part) else report
        own = part.own and (part.joiner != " " or mood.contrasts(parts[index - 1]))
        reported = report is not None and report.start() < part.action.start and not own
        quoted = index > 0 and mood.is_quoted_speech(parts[index - 1], part)
        if reported or quoted or (asked and not spoken.polite):
            continue
        found.extend(_requests(parts, index, places, asked=asked or part.modal))
    return found


def _told(parts: Sequence[Clause], places: Places) -> list[Clause]:
    """The clauses with their verbs, wherever these stand."""
    read = [told_may_have(told_to_be(told_midway(_after_address(part, places), places), places)) for part in parts]
    following = (read[index + 1 : index + 3] for index in range(len(read)))
    return [told_by_any_verb(part, more, places) for part, more in zip(read, following, strict=True)]


def _please(parts: Sequence[Clause], sentence: Sentence, places: Places) -> _Request | None:
    """An order without a verb: at the start, or behind "go ahead"."""
    for index, part in enumerate(parts):
        told = [word.low for word in parts[index - 1].words[-2:]] if index else ["go", "ahead"]
        if told != ["go", "ahead"]:
            continue
        place = bisect_left(sentence.words, part.words[0].start, key=lambda word: word.start)
        if (end := end_of_order(sentence.words[place : place + LONGEST_ORDER + 1], places)) is not None:
            return _Request("prescribe", "please", part.words[0].start, end)
    return None


def _goes_on_to_ask(parts: Sequence[Clause]) -> bool:
    """ "New rx for finasteride, what should I warn him about": the prescription is what the question is about."""
    return any(part.words[0].low in _INTERROGATIVE and not part.polite for part in parts[1:])


def _asks_in_the_same_breath(parts: Sequence[Clause], sentence: Sentence, places: Places) -> bool:
    """ "If you'd start it, tell me why" asks; so does "give 5 mg, why not", which speaks of nobody."""
    if (wish := next((part for part in parts if part.words[0].low == "if"), None)) is not None:
        told = (word.low for word in sentence.words if word.start >= wish.words[0].start or word.low != "should")
        return not (_WHICH | {"tell"}).isdisjoint(told)
    return _goes_on_to_ask(parts) and not _has_anchor(sentence, places)


def _same_again(sentence: Sentence, places: Places) -> bool:
    """ "Same again for abc-123"; "same again but only completed ones" repeats a search."""
    low = [word.low for word in sentence.words]
    start = 1 if low[:1] == ["the"] else 0
    size = next((len(each) for each in _SAME_AGAIN if tuple(low[start : start + len(each)]) == each), 0)
    named = places.has(range(sentence.start, sentence.end), "patient_ids", "person_names", "drugs") or _AGAIN & {*low}
    return bool(size and named and sentence.mark != "?" and only_asks_for(sentence.words[start + size :], places))


def _requests(parts: Sequence[Clause], index: int, places: Places, *, asked: bool) -> Iterator[_Request]:
    """What the words from a verb on ask for, if anything."""
    span = _span(parts, index)
    start, end, inside = span[0].start, span[-1].end, range(span[0].start, span[-1].end)
    rest = [word.low for word in span[1:]]
    told = undoable.Told(
        verb=base_form(span[0].low),
        rest=rest,
        medicine=places.has(inside, "drugs", "unlisted_drugs", "doses", "frequencies") or bool(MEDICINE & {*rest}),
        amount=places.has(inside, "doses", "frequencies"),
        substance=places.has(inside, "substances"),
        someone=places.has(inside, "patient_ids", "person_names"),
    )
    general = asked and not (told.someone or ANCHOR & {*rest} or undoable.names_entry(rest))
    if not general and (verb := undoable.certainly(told)):
        yield _Request(None, verb, start, end)
    elif (
        may_hand_over(told.verb, rest)
        and _is_bare(parts[index].words[parts[index].verb or 0 :], places)
        and (named := _antecedent(parts, index, places)) is not None
    ):
        yield _Request("prescribe", told.verb, named, end)
    elif kind := write_kind(span, places, asked=asked):
        note = places.note_of(inside) if kind == "allergy" else None
        for part_kind, begin, stop in divided(kind, span, places):
            yield _Request(part_kind, told.verb, begin, max(stop, note.end) if note else stop)
    elif not general and (verb := undoable.otherwise(told)):
        yield _Request(None, verb, start, end)


def _is_bare(span: Sequence[Word], places: Places) -> bool:
    """ "…, please prescribe it": the drug was named before the verb."""
    if places.has(range(span[0].start, span[-1].end), "drugs", "unlisted_drugs", "doses", "frequencies"):
        return False
    return only_asks_for(span[1:], places)


def _refers_back(text: str, before: Sentence, sentence: Sentence, places: Places) -> list[_Request]:
    """ "Metformin 500 mg bd for abc-123. Please prescribe." names the drug a sentence earlier, and plainly."""
    parts = clauses(sentence)
    action = parts[0].action if len(parts) == 1 and not parts[0].negated and sentence.mark != "?" else None
    if action is None or action.low not in ORDERING or not _is_bare(parts[0].words[parts[0].verb :], places):
        return []
    inside = range(before.start, before.end)
    named = places.first_dosed(inside) if places.has(inside, "doses", "frequencies") else None
    doubts = (mood.HYPOTHETICAL, mood.REPORTED, mood.REFUSAL)
    if named is None or before.mark == "?" or any(doubt.search(text, before.start, before.end) for doubt in doubts):
        return []
    return [_Request("prescribe", action.low, named, sentence.end)]


def _with_named_before(request: _Request, sentence: Sentence, last: Sentence | None, places: Places) -> _Request:
    """ "Codeine gave her hives. Add it to her allergies": the entry begins where its substance was named."""
    inside = range(request.start, request.end)
    if request.kind == "prescribe" and not places.has(inside, "drugs", "unlisted_drugs"):
        return _with_only_drug(request, sentence, last, places)
    if request.kind == "note" and places.has(range(sentence.start, request.start), "note_types"):
        place = bisect_left(sentence.words, request.start, key=lambda word: word.start)
        pointed = [word.low for word in sentence.words[place + 1 : place + 2]] in (["it"], ["this"], ["that"])
        return replace(request, start=sentence.start) if pointed else request
    if request.kind != "allergy" or places.has(inside, "substances"):
        return request
    for start in (sentence.start, last.start if last else sentence.start):
        if places.has(range(start, request.start), "substances"):
            return replace(request, start=start)
    return request


def _with_only_drug(request: _Request, sentence: Sentence, last: Sentence | None, places: Places) -> _Request:
    """ "She did fine on Coversyl. Restart it at 4 mg daily": "it" is the one drug that was named, if there is one."""
    place = bisect_left(sentence.words, request.start, key=lambda word: word.start)
    if [word.low for word in sentence.words[place + 1 : place + 2]] != ["it"] or (last and last.mark == "?"):
        return request
    drug = places.only_drug(range(last.start if last else sentence.start, request.start))
    return request if drug is None else replace(request, start=drug)


def _antecedent(parts: Sequence[Clause], index: int, places: Places) -> int | None:
    """Where the words that name the drug and its amount begin: before the verb, back to the last request or refusal."""
    start, end = parts[index].words[0].start, parts[index].words[parts[index].verb or 0].start
    for part in reversed(parts[:index]):
        if part.action is not None or part.negated:
            break
        start = part.words[0].start
    before = range(start, end)
    named = places.has(before, "doses", "frequencies")
    return places.first_dosed(before) if named else None


def _may_ask(first: Clause) -> bool:
    """A sentence that opens like a question asks for an answer, with or without its mark."""
    opening = first.words[0].low
    stated = [word.low for word in first.words[1:2]] == ["be"]  # "should be 20 - prescribe …"
    return opening not in _INTERROGATIVE or first.negated or stated or (opening == "do" and first.verb in {0, 1})


def _after_address(part: Clause, places: Places) -> Clause:
    """ "Patient abc-123 prescribe amoxicillin", "abc-123 to start …": the verb may follow right after the person."""
    if part.verb is not None or part.negated:
        return part
    asked = part.polite or any(word.low in {"please", "kindly"} for word in part.words)
    skipped = _ADDRESS | _MAY if asked else _ADDRESS
    place = begun = opening_length(part.words)
    while place < len(part.words) and (part.words[place].low in skipped or places.is_person(part.words[place])):
        place += 1
    if not any(places.is_person(word) for word in part.words[begun:place]):
        return part
    low = [word.low for word in part.words[place : place + 3]]
    passive = low[1:2] == ["be"] and base_form(low[-1]) in WRITING
    if low[:1] == ["to"]:
        place += 2 if passive else 1
    elif low[:1] == ["be"] and base_form("".join(low[1:2])) in WRITING:  # "please may abc-123 be prescribed …"
        place, passive = place + 1, True
    if not (passive or is_action(part.words, place)):
        return part
    return replace(part, verb=place, polite=part.polite or bool(_MAY & {word.low for word in part.words[:place]}))


def _is_address(part: Clause, places: Places) -> bool:
    """ "For abc-123:" or "add allergy:" before a colon; after any other heading follows somebody's text."""
    if part.action is not None:
        return part.action.low in WRITING
    if len(part.words) > _LONGEST_ADDRESS:
        return False
    someone = places.has(range(part.words[0].start, part.words[-1].end), "patient_ids", "person_names")
    return someone or all(word.low in _ADDRESS for word in part.words)


def _may_head(part: Clause, places: Places) -> bool:
    """Whether a request of the user's own may follow the colon: an address, or "so over to you please:"."""
    low = {word.low for word in part.words}
    return _is_address(part, places) or bool(part.action is None and low & _CALLING and not low & _WHICH)


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
