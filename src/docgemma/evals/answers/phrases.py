"""Whether a text says something: by its words, in any order within a sentence, and with its negations."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from docgemma.entities.words import word_set
from docgemma.evals.answers.reading import measured, plain, singular

_TOKEN = re.compile(r"<[^<>]{1,40}>|[^\W_]+(?:'[^\W_]+)?|[,;:]")
_ENDS = re.compile(r"(?<=[.!?])[\"”)\]]?\s+(?=[\"“(\[*-]?\w)|\n+|;")
NOT = "not"
_NEGATORS = word_set("no not never without none neither nor cannot absent absence denies denied lack lacks")
_BREAKS = word_set(
    ", ; : but however although though when if because while until unless in who which that for since "
    "with due during as after before so should must"
)
_AFTERWARDS = re.compile(
    r"^(?:,\s)?(?:\w+\s){0,2}?(?:(?:is|was|are|were|be|been|being|has|have|had|can|could|it|also)\s)*"
    r"(?:not\s(?:be\s|been\s)?(?:seen|found|present|reported|listed|identified|recorded|known|detected|observed|"
    r"documented|noted|mentioned|established|confirmed|expected|likely|available)|excluded|ruled\sout|unlikely)\b"
)
_OPEN = word_set("only doubt rule exclude mean imply confirm guarantee")
_REACH = 4
"""How many words before a phrase a negation still speaks of it."""


def sentences(text: str) -> list[str]:
    """Sentences and lines: what one negation can speak of."""
    return [part for part in _ENDS.split(text) if part and part.strip()]


def says(text: str, phrase: str) -> bool:
    """Whether a sentence says this, and does not deny it. A phrase with "no" or "not" is said by a denial alone."""
    wanted = [token for token in _tokens(phrase) if token not in _FILLERS]
    denies = NOT in wanted
    needed = [token for token in wanted if token != NOT]
    return any(_in(sentence, needed, denies=denies) for sentence in sentences(plain(text)))


def said_of(text: str, phrases: Iterable[str]) -> str | None:
    """The first of the wordings that is there."""
    return next((phrase for phrase in phrases if says(text, phrase)), None)


_FILLERS = word_set("a an the of to be is are was were by and or")


def _in(sentence: str, needed: Sequence[str], *, denies: bool) -> bool:
    tokens = _tokens(sentence)
    places = [[at for at, token in enumerate(tokens) if _same(token, one)] for one in needed]
    if not all(places):
        return False
    # Where a word stands several times, each of them may be the one: one reading that fits is enough.
    for start in places[0] if places else [0]:
        span = [min(at, key=lambda place: abs(place - start)) for at in places] or [0]
        if _denied(tokens, min(span), max(span)) == denies:
            return True
    return False


def _denied(tokens: Sequence[str], first: int, last: int) -> bool:
    before: list[str] = []
    for token in reversed(tokens[:first]):
        if token in _BREAKS or len(before) == _REACH:
            break
        before.append(token)
    return (
        NOT in tokens[first : last + 1]
        or _negates(before[::-1])
        or bool(_AFTERWARDS.match(" ".join(tokens[last + 1 : last + 9])))
    )


def _negates(before: Sequence[str]) -> bool:
    """ "Does not rule an interaction out" denies nothing."""
    return NOT in before and _OPEN.isdisjoint(before[before.index(NOT) + 1 :])


def _same(token: str, wanted: str) -> bool:
    if wanted.endswith("*"):
        return token.startswith(wanted[:-1])
    return token == wanted or singular(token) == singular(wanted)


def _tokens(text: str) -> list[str]:
    """Words and marks, an amount as one of them, every negation as "not"."""
    clean = plain(text).replace("*", "")
    whole = [(start, end, f"<{found}>") for found, start, end in measured(clean)]
    for start, end, found in sorted(whole, reverse=True):
        clean = f"{clean[:start]} {found} {clean[end:]}"
    starred = {word.rstrip("*") for word in text.casefold().split() if word.endswith("*")}
    tokens = [NOT if token in _NEGATORS else token for token in _TOKEN.findall(clean)]
    return [f"{token}*" if token in starred else token for token in tokens]
