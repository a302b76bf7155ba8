"""An order told with any verb: "sort him out with …", "queue up …", "deworm abc-123 with …".

Nobody can list the verbs of orders, but the words around them are few. A clause that begins like an imperative, goes
straight to a drug with its dose and frequency and is for a patient orders it, unless its verb means something else:
reading, working out, telling, recording, stopping, changing, taking.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise, takewhile

from docgemma.entities.grammar.speech import Clause, opening_length
from docgemma.entities.grammar.spelling import WORDS_OF_THEIR_OWN
from docgemma.entities.grammar.verbs import ACTIONS, REACHING, base_form
from docgemma.entities.words import Word, word_set
from docgemma.entities.writes.any_verb_words import (
    ADDRESS,
    BARE_OBJECT,
    ELSE,
    FORMS,
    HINDI,
    INFORMATION,
    NEVER,
    NO_VERB,
    NOUN_ENDINGS,
    ON_THE_WAY,
    PAST,
    PLEASE,
    STATES,
    VERBS_THOUGH,
    WANTING,
    WAY_IN,
)
from docgemma.entities.writes.places import Places

_SOMEBODY = word_set("her him them his their patient pt please kindly")
_CHARTS = word_set("chart card record kardex")
_INTO = word_set("to on in onto into")
_SENT_IN = frozenset({"drop", "bring", "book"})
_SENT_OFF = frozenset({"kick", "fire", "send", "shoot"})
_SUBJECTS = word_set("she he they")
_VOWELS = frozenset("aeiouy")
_LONGEST_WAY = 14
LONGEST_ORDER = 40
"""In words: what is longer is told, not ordered in one breath."""
_LONGEST_REASON = 3


def may_hand_over(verb: str, rest: Sequence[str]) -> bool:
    """Whether a verb, known or not, may be one of ordering: "call in …" is, "call …" is not."""
    base = base_form(verb)
    if base in REACHING | _SENT_IN:
        return bool(WAY_IN & {*rest[:1]})
    if base == "let":
        return "have" in rest[:4]
    return base not in NEVER or ("up", "with") in pairwise(rest[:5])


def hands_over(span: Sequence[Word], places: Places, *, addressed: bool = False) -> bool:
    """Whether the words from a verb on go straight to a drug with dose and frequency, for somebody.

    `addressed`: somebody was named before the verb, as in "for this patient start …".
    """
    low = [word.low for word in span[: LONGEST_ORDER + 1]]
    if not may_hand_over(low[0], low[1:]) or INFORMATION & {*low[1:]} or _done_otherwise(low[1:]):
        return False
    if not (addressed or places.someone or _SOMEBODY & {*low}):
        return False
    reason = 0
    for index, word in enumerate(span[1:_LONGEST_WAY], 1):
        if places.has(range(word.start, word.end), "drugs", "unlisted_drugs"):
            return is_full(range(span[0].start, span[-1].end), places)
        reason = _LONGEST_REASON if word.low == "for" else reason - 1
        known = word.low in ON_THE_WAY or not word.low.isalpha() or places.is_person(word)
        known = known or (word.low == "off" and index == 1 and low[0] in _SENT_OFF)
        known = known or places.within(word, "doses", "frequencies") or _glued(word, span[index - 1])
        if word.low in _CHARTS and _INTO.isdisjoint(low[1:index]):  # "need the chart for abc-123" wants to read it
            return False
        if not known and (reason < 0 or is_another_verb(word.low) or word.low in NO_VERB):
            return False
    return False


def told_by_any_verb(part: Clause, following: Sequence[Clause], places: Places) -> Clause:
    """The clause with its verb, when it opens with a word that can only be one and hands a drug over.

    The `following` may go on with it: "fire off a script: abc-123, doxycycline 100 mg bd".
    """
    if part.verb is not None or part.negated or len(part.words) < 2:
        return part
    more = takewhile(lambda each: each.action is None and not each.negated, following)
    words = (*part.words, *(word for each in more for word in each.words))
    framed = part.polite or part.own
    begun = opening_length(part.words)
    place = _past_address(part.words, begun, places)
    asks = framed or not PLEASE.isdisjoint(word.low for word in part.words)
    if asks and part.words[place : place + 1] and part.words[place].low in _SUBJECTS:
        place += 1
    low = tuple(word.low for word in part.words[place : place + 4])
    if (wish := _wish(low)) and (place == 0 or wish > 1 or asks):
        at = place + wish - 1
        wished = (replace(words[at], low="need"), *words[at + 1 :])
        return replace(part, verb=at, own=True) if hands_over(wished, places) else part
    if part.words[-1].low in HINDI:
        return replace(part, verb=len(part.words) - 1)
    if low[:1] == ("you",) and asks:
        place, framed = place + 1, True
    if place >= len(part.words):
        return part
    if part.polite and begun and begun == place and _goes_straight(words[begun - 1 :], places):
        return replace(part, verb=begun - 1)
    if not _may_be_verb(part.words[place], places, framed=framed):
        return part
    if framed and only_asks_for(part.words[place + 1 :], places) and may_hand_over(part.words[place].low, ()):
        return replace(part, verb=place)
    return replace(part, verb=place) if hands_over(words[place:], places, addressed=place > begun) else part


def _wish(low: tuple[str, ...]) -> int:
    """How many words say that something is wanted."""
    size = next((len(each) for each in WANTING if low[: len(each)] == each), 0)
    return size or int(low[:1] in {("need",), ("needs",)})


def _goes_straight(words: Sequence[Word], places: Places) -> bool:
    """ "Any chance of paracetamol 1 g qds for abc-123": a polite opening and the drug, with nothing said of it."""
    first = next((word for word in words[1:] if word.low not in FORMS and word.low not in ON_THE_WAY), None)
    if first is None or not places.has(range(first.start, first.end), "drugs", "unlisted_drugs"):
        return False
    said = {word.low for word in words[1:]}
    told = any(low.endswith("ing") and low not in {"going", "morning", "evening"} for low in said)
    return not told and STATES.isdisjoint(said) and not any(map(is_another_verb, said)) and hands_over(words, places)


def only_asks_for(rest: Sequence[Word], places: Places) -> bool:
    """Nothing behind the verb but "it", "that through", "for abc-123": the drug was named before."""
    return all(
        word.low in BARE_OBJECT or word.low.endswith("ly") or not word.low.isalpha() or places.is_person(word)
        for word in rest
    )


def is_another_verb(low: str) -> bool:
    """Whether the word asks for something that is no order."""
    return (base_form(low) in ACTIONS and low not in {"drop", "repeat", "load", "bolus", "going"}) or low in ELSE


def _done_otherwise(rest: Sequence[str]) -> bool:
    """ "Get his metformin 500 mg bd checked"."""
    return any(low.endswith("ed") and base_form(low) in NEVER for low in rest)


def is_full(inside: range, places: Places) -> bool:
    """Whether a drug stands there with its dose and frequency."""
    return places.has(inside, "doses") and places.has(inside, "frequencies") and places.first_dosed(inside) is not None


def _past_address(words: Sequence[Word], place: int, places: Places) -> int:
    """ "For this patient", "402", "for him": not when nobody is named."""
    start = place
    while place < len(words) and (words[place].low in ADDRESS or places.is_person(words[place])):
        place += 1
    named = any(places.is_person(word) or word.low in {"patient", "pt", "him", "her"} for word in words[start:place])
    return place if named else start


def _may_be_verb(word: Word, places: Places, *, framed: bool) -> bool:
    """After "please" or "could you" any plain word; elsewhere one that is not known for something else."""
    here = range(word.start, word.end)
    if places.has(here, "drugs", "unlisted_drugs", "doses", "frequencies") or places.is_person(word):
        return False
    if not word.low.replace("-", "").isalpha() or base_form(word.low) in NEVER:
        return False
    if framed:
        return word.low not in NO_VERB - {"do"} and not word.low.endswith("ly")
    if word.low in NO_VERB | FORMS | PAST | WORDS_OF_THEIR_OWN:
        return False
    plural = word.low.endswith("s") and not word.low.endswith("ss")
    gerund = word.low.endswith("ing") and not _VOWELS.isdisjoint(word.low[:-3])  # "sling" is none
    return word.low in VERBS_THOUGH or not (plural or gerund or word.low.endswith(NOUN_ENDINGS))


def _glued(word: Word, before: Word) -> bool:
    """The "s" of "abc-123s"."""
    return word.low == "s" and before.end == word.start
