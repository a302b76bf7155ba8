"""Sentences as they stand in an entry: what is only quoted there, called a myth, or listed as what not to do."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from docgemma.entities.sentences import split
from docgemma.knowledge.entry import Entry
from docgemma.knowledge.safety.content import DENYING, without_citations
from docgemma.knowledge.safety.phrases import normalised

LISTED = re.compile(r"\s*(?:[-*•–]|\d{1,2}[.)])\s")
_BULLET = re.compile(r"^[-*•–]\s+(?=[^\W\d])")
_REFUTED = re.compile(
    r"\b(?:myths?|false|wrong|untrue|not true|incorrect|mistakes?|misconceptions?|sai|sai lầm|lầm tưởng|hiểu lầm|"
    r"không đúng|quan niệm)\b",
    re.IGNORECASE,
)
_SHORT = 8
_QUOTES = '"“”«»„‘'


def exact(text: str) -> str:
    """For comparing word for word: only white space, case, citations, a list sign and the last full stop are gone."""
    plain = " ".join(unicodedata.normalize("NFC", without_citations(text)).lower().split())
    return _BULLET.sub("", plain).removesuffix(".").rstrip()


def quoted(text: str) -> bool:
    """Whether all of it is somebody's words."""
    bare = text.strip()
    return bare[:1] in _QUOTES and bare.rstrip(".,;")[-1:] in _QUOTES if bare else False


def frames(entry: Entry) -> Iterator[tuple[str, str]]:
    """Each sentence of an answer, with the line without which it would say something else, if there is one."""
    texts = [text for text in split(entry.answer) if text.strip()]
    heading = ""
    for at, text in enumerate(texts):
        following = texts[at + 1] if at + 1 < len(texts) else ""
        refuted = len(following.split()) <= _SHORT and _REFUTED.search(following) and not following.endswith(":\n")
        yield text, heading or (exact(following) if refuted else "")
        if text.rstrip().endswith(":"):
            turned = _REFUTED.search(text) or DENYING.intersection(normalised(text).split())
            heading = exact(text) if turned else ""
        elif not LISTED.match(following):
            heading = ""
    if entry.question.rstrip().endswith("?"):
        yield from ((text, "") for text in split(entry.question))


def around(texts: list[str], at: int) -> frozenset[str]:
    """What stands beside a sentence of an explanation: its neighbours, and the line above the list that it is in."""
    filled = [index for index, text in enumerate(texts) if text.strip()]
    if at not in filled:
        return frozenset()
    place = filled.index(at)
    near = {exact(texts[index]) for index in filled[max(0, place - 1) : place + 2] if index != at}
    while place and LISTED.match(texts[filled[place]]):
        place -= 1
    return frozenset(near | {exact(texts[filled[place]])})
