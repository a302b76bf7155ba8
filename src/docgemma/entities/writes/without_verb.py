"""An order without a verb: "amoxicillin 500 mg tds for abc-123 please".

A drug in full, somebody, a courtesy, and nothing that is said of the drug. What is told after a comma ("…, the leg is
hot") explains the order and does not belong to it; a doubt or another wish after the comma takes the order away.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from docgemma.entities.grammar.speech import NEGATORS
from docgemma.entities.words import Word, word_set
from docgemma.entities.writes.any_verb import LONGEST_ORDER, is_another_verb, is_full
from docgemma.entities.writes.any_verb_words import ADDRESS, FORMS, INFORMATION, ON_THE_WAY, PLEASE, STATES
from docgemma.entities.writes.places import Places

_THANKS = word_set("thanks thank cheers ta thx ty")
_WITH_THANKS = _THANKS | word_set("you so much very many doc doctor sister mate hey guys all team folks for")
_IF_YOU = word_set("would could can don't wouldn't please")
"""Behind "if you" these are a courtesy: "… if you would"."""

_MARKS = frozenset({",", "(", "-", "–", "—"})
_ASKING = word_set("is are was does did do should can could would will may")
"""At the head of an aside these ask."""

_DOUBTS = NEGATORS | word_set(
    "think thinks guess wonder wondering reckon suppose right correct ok okay safe enough whether if unless until till "
    "or but versus vs already stopped stop who which what what's why how when instead advise agree thoughts"
)


def end_of_order(words: Sequence[Word], places: Places) -> int | None:
    """Where the order ends that these words give without a verb; None when they give none."""
    if len(words) > LONGEST_ORDER or not places.someone:
        return None
    words, courteous = _without_condition(words)
    pieces = _pieces(words)
    told = next((index for index, piece in enumerate(pieces) if index and _states(piece)), len(pieces))
    head = [word for piece in pieces[:told] for word in piece]
    low = {word.low for word in head}
    if not (courteous or PLEASE & low or _only_thanks(head, places)) or (STATES | NEGATORS) & low:
        return None
    if any(_doubts(piece) for piece in pieces[told:]) or not _names_order(head, places):
        return None
    return words[-1].end if told == len(pieces) else head[-1].end


def _without_condition(words: Sequence[Word]) -> tuple[list[Word], bool]:
    """The words without "if you would", and whether it was said."""
    for place in range(1, len(words) - 2):
        one, two, three = (word.low for word in words[place : place + 3])
        if (one, two) == ("if", "you") and three in _IF_YOU:
            size = 4 if [word.low for word in words[place + 3 : place + 4]] == ["mind"] else 3
            return [*words[:place], *words[place + size :]], True
    return list(words), False


def _pieces(words: Sequence[Word]) -> list[list[Word]]:
    """Cut before commas and dashes; the mark stays with what it opens."""
    pieces: list[list[Word]] = [[]]
    for word in words:
        if word.text in _MARKS:
            pieces.append([])
        pieces[-1].append(word)
    return [piece for piece in pieces if piece]


def _states(piece: Sequence[Word]) -> bool:
    return not STATES.isdisjoint(word.low for word in piece)


def _doubts(piece: Sequence[Word]) -> bool:
    """Whether an aside does anything but tell."""
    low = [word.low for word in piece if word.text not in _MARKS]
    if not low:
        return False
    wishes = (PLEASE | INFORMATION) & {*low} or any(map(is_another_verb, low))
    return low[0] in _ASKING or bool(_DOUBTS & {*low}) or bool(wishes)


def _only_thanks(words: Sequence[Word], places: Places) -> bool:
    """ "… 2 puffs prn for abc-123, thanks": thanks beside any other word may be for what was done ("all sorted")."""
    low = {word.low for word in words}
    drug = next((place for place, word in enumerate(words) if _is_drug(word, places)), len(words))
    known = all(
        word.low in _WITH_THANKS | ON_THE_WAY - {"given", "put", "placed", "started"}
        or not word.low.isalpha()
        or places.is_person(word)
        or places.within(word, "doses", "frequencies")
        or _is_drug(word, places)
        for word in words[drug + 1 :]
    )
    done = any(one.low in _THANKS | {"you"} and other.low == "for" for one, other in pairwise(words))
    return known and not done and bool(_THANKS & low) and "for" in low


def _names_order(words: Sequence[Word], places: Places) -> bool:
    """A drug in full before everything but for whom it is, and behind it its amounts alone."""
    low = [word.low for word in words]
    inside = range(words[0].start, words[-1].end)
    drug = next((place for place, word in enumerate(words) if _is_drug(word, places)), None)
    if drug is None or INFORMATION & {*low} or not is_full(inside, places):
        return False
    if any(is_another_verb(each) for each in low[drug:] if each not in _THANKS) or places.has(inside, "labs"):
        return False
    named = all(
        word.low in FORMS | ADDRESS or not word.low.isalpha() or places.is_person(word) for word in words[:drug]
    )
    return named and _only_its_amounts(words[drug + 1 :], places)


def _is_drug(word: Word, places: Places) -> bool:
    return places.has(range(word.start, word.end), "drugs", "unlisted_drugs")


def _only_its_amounts(words: Sequence[Word], places: Places) -> bool:
    """Behind the drug its amounts, for whom and what for; what comes after a comma is an aside."""
    for word in words:
        if word.text in _MARKS or word.low == "for":
            return True
        known = word.low in ON_THE_WAY or not word.low.isalpha() or places.is_person(word)
        if not (known or places.within(word, "doses", "frequencies") or word.low in PLEASE):
            return False
    return True
