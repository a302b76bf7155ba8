"""The next page of a trial search: "more", "any others?", "show me more trials", "page 3".

A register has hundreds of trials for one condition and an answer shows a few. Which page comes next is counted by code
from the search before; nobody has to say again what was searched for.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from docgemma.clinical import Status
from docgemma.entities.trial_status import is_status_word, status_value, told_status
from docgemma.entities.words import word_set, words

SearchKind = Literal["literature", "trials"]
FARTHEST = 100
"""The last page that a search can be asked for."""

LONGEST = 14
"""Words. A longer message speaks for itself."""

_ONWARD = word_set("more others other next further additional remaining rest continue")
_BACK = word_set("previous back")
_ELSE = word_set("what whats what's anything anyone")
_WORDS = word_set(
    "ok okay and yes yeah yep please pls plz thanks great right so now then can could would will you u i we me us "
    "let's lets just want like to do have are is there show give list see get find load fetch pull up also got hmm "
    "any some all the a few of them these those trial trials clinical ones one results result hits matches page "
    "batch set lot that this it go going keep carry on which"
)
_AROUND = _ONWARD | _BACK | _WORDS
_PAPERS = word_set("papers paper articles article studies study")
_LINKS = word_set("for on with in")
_TURNABLE: frozenset[Status] = frozenset({"found", "unavailable", "invalid"})
_PAGE = re.compile(r"(?<!\w)page\s(?:number\s)?(?P<page>\d{1,3})(?!\w)", re.IGNORECASE)
_KEEPS_ON = re.compile(r"(?<!\w)(?:go|carry|keep)\s(?:on|going)(?!\w)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Searched:
    """The search that the session made last: what it was told, and how far it came."""

    question: str
    condition: str
    status: str | None = None
    page: int = 1
    ended: Status = "found"
    kind: SearchKind = "trials"


def next_page(message: str, before: Searched | None) -> int | None:
    """Which page of that search the message asks for; None when it asks for something else.

    A page that could not be had is asked for once more. Where nothing was found there is no other. "More recruiting
    ones" goes on with a search for those; after another it narrows, which is a new search.
    """
    if before is None or before.kind != "trials" or before.ended not in _TURNABLE or not message.strip():
        return None
    said = [word for word in words(message) if word.low[0].isalnum()]
    numbered, status = _PAGE.search(message), told_status(message)
    if len(said) > LONGEST or (status and status != status_value(before.status or "")):
        return None
    spoken = {word.low for word in said if not (numbered and numbered.start() <= word.start < numbered.end())}
    left = {word for word in spoken if not (status and is_status_word(word))}
    if own := left & {word.low for word in words(before.condition)}:
        left -= own | _LINKS
    if not ((numbered and left <= _AROUND) or _goes_on(left, message)):
        return None
    on = -1 if left & _BACK else before.ended == "found"
    page = int(numbered["page"]) if numbered else before.page + on
    return page if 1 <= page <= FARTHEST else None


def goes_on(message: str) -> bool:
    """Whether a message only asks for more of what came before."""
    said = {word.low for word in words(message) if word.low[0].isalnum()}
    return 0 < len(said) <= LONGEST and (bool(_PAGE.search(message)) or _goes_on(said - _PAPERS, message))


def _goes_on(said: set[str], message: str) -> bool:
    """Whether the words ask for more of the same and for nothing besides. "What next?" asks what is to be done."""
    if "else" in said:
        return bool(said & _ELSE) and said - {"else"} <= _AROUND | _ELSE
    if _ELSE & said and "next" in said:
        return False
    return said <= _AROUND | _ELSE and bool(said & (_ONWARD | _BACK) or _KEEPS_ON.search(message))
