"""Who a message speaks of: person names, with their capitals or as typed on a phone.

A name is a guess that leads to a patient search, so a word is taken for one only on evidence: a title, a listed
given or family name, or words around it that speak of a person. Colleagues, relatives, eponyms, drugs and places
are none.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from docgemma.entities.drugs.names import is_drug
from docgemma.entities.model import Mention
from docgemma.entities.people.cues import (
    Cue,
    announces_surname,
    birth_after,
    chart_after,
    child_of,
    cue_before,
    doubtful_title,
    is_announced,
    is_credentialed,
    is_term,
    is_thing,
    names_follow,
)
from docgemma.entities.people.kinds import is_eponym, is_surely_family, is_surely_given, kind, opens_phrase
from docgemma.entities.people.runs import Run, read_run, stem, unlisted_beside_given
from docgemma.entities.people.spelling import baby_before, particles_before, spoken
from docgemma.entities.words import Word, word_set

_TOPIC = word_set(
    "trial trials study studies evidence literature research articles papers pubmed guideline guidelines explain "
    "define differential pathophysiology mechanism"
)
_MONTHS = word_set("april may june august jan jun sunday monday friday")
_STATING = word_set(
    "is has was needs had takes on wants came presented says reports complains denies isn't hasn't looks feels"
)
_ASKING = word_set("does did has is was can could should")
_HAVING = word_set("have still allergic taking take need had been on get diabetic pregnant due any")
_DETERMINERS = word_set("the this that a an my our your his her their each every")
_LITTLE = word_set(
    "and what how about the other no sorry i meant mean please pls thanks ? . ! , ok yes also it's its for"
)
_POINTING = word_set("and what how about other meant mean")
_LITTLE_MORE = 6
_LISTED = word_set("and & , or vs versus + /")


class _Seen(NamedTuple):
    """A name before this place: where it ended and how it was announced, for "charts of garcia and okafor"."""

    end: int
    cue: Cue


def find_person_names(text: str, tokens: Sequence[Word]) -> tuple[Mention, ...]:
    """Names of people in order. `value` is the name as it is spoken, in capitals: "Smith, John" is "John Smith"."""
    found: list[Mention] = []
    seen = _Seen(-9, Cue.NONE)
    index = 0
    while index < len(tokens):
        cue = cue_before(tokens, index) if tokens[index].low[0].isalpha() else Cue.NONE
        run = read_run(text, tokens, index, _reading(tokens, index, cue))
        if run is None:
            index += 1
            continue
        if cue <= Cue.WEAK and cue is not Cue.AGAINST and _joins(tokens, index, seen):
            cue = max(cue, seen.cue)
        if cue is not Cue.AGAINST and _is_person(text, tokens, run, cue):
            found.append(_mention(text, tokens, run))
            seen = _Seen(run.end, cue)
            index = run.end
        else:
            index = run.end if _skipped_whole(tokens, run, cue) else index + 1
    return tuple(found)


def _reading(tokens: Sequence[Word], index: int, cue: Cue) -> Cue:
    """How freely the words are read: a colleague's name is read to its end so that all of it is passed over."""
    if cue is Cue.AGAINST or (names_follow(tokens, index) and kind(stem(tokens[index])) == "sure"):
        return max(cue, Cue.LOOKUP)
    if unlisted_beside_given(tokens, index):
        return max(cue, Cue.LOOKUP)
    return cue


def _joins(tokens: Sequence[Word], index: int, seen: _Seen) -> bool:
    gap = tokens[max(0, seen.end) : index]
    return 0 < len(gap) <= 2 and seen.end >= 0 and all(word.low in _LISTED for word in gap)


def _skipped_whole(tokens: Sequence[Word], run: Run, cue: Cue) -> bool:
    """A colleague, a disease or a place is passed over with all its words: no part of it is taken for a person."""
    names = run.lows(tokens)
    return cue is Cue.AGAINST or is_term(tokens, run.end) or is_credentialed(tokens, run.end) or _opens_term(names)


def _opens_term(names: Sequence[str]) -> bool:
    pairs = [*zip(names, [*names[1:], ""], strict=True)]
    return any(opens_phrase(first, second) for first, second in pairs)


def _is_person(text: str, tokens: Sequence[Word], run: Run, cue: Cue) -> bool:
    names = run.lows(tokens)
    sure = [name for name in names if kind(name) == "sure"]
    if is_term(tokens, run.end) or is_credentialed(tokens, run.end) or _opens_term(names):
        return False
    charted = chart_after(tokens, run.end)
    trusted = cue >= Cue.STRONG or len(sure) > 1
    if is_thing(tokens, run.end) and not (charted or trusted):
        return False
    if cue is Cue.TITLE or (sure and (doubtful_title(tokens, run.start) or baby_before(tokens, run.start))):
        return True
    born = birth_after(text, tokens[run.end - 1].end)
    announced = cue >= Cue.LOOKUP or charted or born or (bool(sure) and _says_no_more(tokens, run))
    if cue is Cue.STRONG:
        described = run.size == 1 and names[0].endswith(("ing", "ed", "ly", "ics"))
        surname = announces_surname(tokens, run.start)
        written = run.capital and (not described or surname or tokens[run.start - 1].low in {"called", "named"})
        several = run.size > 1 and is_announced(tokens, run.start)
        return bool(sure) or written or (surname and not described) or several
    if run.size > 1:
        return _several(tokens, run, cue, sure=len(sure), announced=announced)
    return _single(tokens, run, cue, announced=announced, charted=charted)


def _several(tokens: Sequence[Word], run: Run, cue: Cue, *, sure: int, announced: bool) -> bool:
    """Two listed names are a person anywhere; one listed name needs capitals or a cue, none needs both."""
    if sure > 1 or (sure and (run.capital or announced or names_follow(tokens, run.start))):
        return True
    if not run.capital:
        return False
    weakly = cue is Cue.WEAK and tokens[run.start - 1].low not in {"of", "with"}
    return announced or (weakly and not _about_topic(tokens, run.start))


def _single(tokens: Sequence[Word], run: Run, cue: Cue, *, announced: bool, charted: bool) -> bool:
    """One word alone: listed and announced, or at least the owner of a chart."""
    (name,) = run.lows(tokens)
    owner = charted and run.possessive
    if is_eponym(name) or (is_drug(name) and not owner) or (run.possessive and not charted):
        return False
    if kind(name) == "sure":
        return _sure_single(tokens, run, cue, announced=announced)
    if kind(name) == "unsure":
        return _unsure_single(tokens, run, cue, owner=owner)
    return run.capital and owner


def _sure_single(tokens: Sequence[Word], run: Run, cue: Cue, *, announced: bool) -> bool:
    before = [word.low for word in tokens[max(0, run.start - 2) : run.start]]
    if before in (["history", "of"], ["hx", "of"]) or (cue <= Cue.LOOKUP and _about_topic(tokens, run.start)):
        return False
    states = run.start == 0 and run.end < len(tokens) and tokens[run.end].low in _STATING
    return announced or states or cue is Cue.WEAK or child_of(tokens, run.start, run.end)


def _unsure_single(tokens: Sequence[Word], run: Run, cue: Cue, *, owner: bool) -> bool:
    """ "Grace" or "lee": an everyday word too, so it has to own a chart, or be looked up or asked about in capitals."""
    before, after = tokens[run.start - 1].low if run.start else "", tokens[run.end].low if run.end < len(tokens) else ""
    if run.lows(tokens)[0] in _MONTHS or _about_topic(tokens, run.start):
        return False
    if owner and before not in _DETERMINERS:
        return True
    return run.capital and (owner or cue is Cue.LOOKUP or (before in _ASKING and after in _HAVING))


def _says_no_more(tokens: Sequence[Word], run: Run) -> bool:
    """ "and Garcia?", "Alvarez please": a message that is a name and little else. "James" alone may answer anything."""
    if len(tokens) > run.end - run.start + _LITTLE_MORE:
        return False
    rest = {word.low for word in (*tokens[: run.start], *tokens[run.end :])}
    name = run.lows(tokens)[-1]
    points = bool(rest & _POINTING) or run.size > 1 or (is_surely_family(name) and not is_surely_given(name))
    return points and rest <= _LITTLE


def _about_topic(tokens: Sequence[Word], index: int) -> bool:
    return any(word.low in _TOPIC for word in tokens[max(0, index - 6) : index])


def _mention(text: str, tokens: Sequence[Word], run: Run) -> Mention:
    first, last = tokens[run.start], tokens[run.end - 1]
    baby = baby_before(tokens, run.start)
    start = tokens[run.start - (baby or particles_before(tokens, run.start))].start
    written = re.sub(r"['’]s$", "", text[start : last.end])
    value = spoken(re.sub(r"['’]s$", "", text[first.start if baby else start : last.end]), glued=run.glued)
    return Mention(written, start, start + len(written), f"Baby of {value}" if baby else value)
