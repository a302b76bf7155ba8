"""Which sentences of a model's explanation may be shown: those that the entries carry, and nothing of the model's own.

A sentence goes when it has a figure or a medicine that no place in the entries has, turns round what they say, or is
mostly about something else. For patients it also goes when it diagnoses, reassures or tells to change a treatment in
words that are not the entries'. What an entry says word for word stays, unless it is a link, an order to a program or
in another language: an entry may be poisoned too.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from docgemma.entities.sentences import split
from docgemma.knowledge.entry import Entry, Language
from docgemma.knowledge.roles import Audience
from docgemma.knowledge.safety.advice import generic, named
from docgemma.knowledge.safety.content import content, without_citations
from docgemma.knowledge.safety.figures import DOSED, Figure, figures, measured
from docgemma.knowledge.safety.forbidden import calms, diagnoses, pretends, treats, unfit
from docgemma.knowledge.safety.grounds import Grounds

SUPPORTED = {"patient": 0.5, "professional": 0.4}
"""The share of a sentence's content words that the entries must have. Advice to see a person counts as carried."""

_CLOSE = 0.6
"""How much of a sentence on treatment, or on what to do in which case, one place of an entry must have."""

_DEPENDS = re.compile(r"\b(?:if|when|unless|until|nếu|khi|lúc)\b", re.IGNORECASE)

_HEADING = 10
"""A line of so few words that only announces what follows needs no support of its own."""

_CITED = re.compile(r"\s?\[(\d{1,3}(?:\s*[,;]\s*\d{1,3})*)\]")
_POINTS_BACK = re.compile(
    r"\W*(?:this|that|it|these|those|they|so|therefore|thus|instead|otherwise|điều này|việc này|nó|vì vậy|do đó|vì thế|"
    r"như vậy|chúng|thay vào đó)\b",
    re.IGNORECASE,
)
_SAID = re.compile(
    r"(?<!if )(?<!when )(?<!do )(?<!nếu )(?<!khi )\b(?:i have|i['’]ve got|i am|i['’]m|"
    r"(?:tôi|em|mình|con) (?:đang |đã )?(?:bị|mắc)) (?P<what>[^,.;?!]{1,80})",
    re.IGNORECASE,
)
_LISTED = re.compile(r"\s*(?:[-*•–]|\d{1,2}[.)])\s")


@dataclass(frozen=True, slots=True)
class Kept:
    """What may be shown, and how many sentences were left out."""

    text: str
    dropped: int


@dataclass(frozen=True, slots=True)
class _Reader:
    audience: Audience
    language: Language
    told: frozenset[str]
    known: frozenset[Figure]


def kept(explanation: str, entries: Sequence[Entry], *, audience: Audience, language: Language, question: str) -> Kept:
    """The sentences that the entries carry, in their order, with citations of these entries only."""
    grounds = Grounds(entries)
    reader = _Reader(audience, language, _told(question), measured(figures(question)))
    pieces = split(explanation)
    shown: list[bool] = []
    last: frozenset[str] = frozenset()
    for piece in pieces:
        alone = not shown or shown[-1] or not _POINTS_BACK.match(piece)
        last = named(piece) or last
        shown.append(not piece.strip() or (alone and _may_stand(piece, grounds, reader, last)))
    shown = _without_bare_headings(pieces, shown)
    text = "".join(_cited(piece, len(entries)) for piece, good in zip(pieces, shown, strict=True) if good)
    return Kept(re.sub(r"\n{3,}", "\n\n", text).strip(), shown.count(False))


def _may_stand(piece: str, grounds: Grounds, reader: _Reader, last: frozenset[str]) -> bool:
    if unfit(piece, reader.language):
        return False
    if grounds.says(piece):
        return True
    if pretends(piece) or not grounds.names(named(piece)) or not _figures_carried(piece, grounds, reader, last):
        return False
    announces = piece.rstrip().endswith(":") and len(piece.split()) <= _HEADING
    if not announces and grounds.support(content(piece).words) < SUPPORTED[reader.audience]:
        return False
    if not grounds.agrees(piece, last):
        return False
    return reader.audience == "professional" or _may_be_told(piece, grounds, reader)


def _figures_carried(piece: str, grounds: Grounds, reader: _Reader, last: frozenset[str]) -> bool:
    """A reader's own measurement may be repeated, but not in a sentence on a medicine or an amount of one."""
    here = figures(without_citations(piece))
    dosing = named(piece) or treats(generic(piece)) or any(unit in DOSED for _, unit in here)
    return grounds.carries(piece, before=last, known=frozenset() if dosing else reader.known)


def _may_be_told(piece: str, grounds: Grounds, reader: _Reader) -> bool:
    """What only a clinician who knows the patient may say in words of their own."""
    bare = without_citations(piece)
    if (claim := diagnoses(bare)) and not _told_by_reader(claim, reader):
        return False
    if (calm := calms(bare)) and not grounds.phrase(calm, bare):
        return False
    bound = treats(generic(bare)) or _DEPENDS.search(bare)
    return not bound or grounds.closest(content(bare).words) >= _CLOSE


def _told(question: str) -> frozenset[str]:
    """What the reader says that they have: not what they only ask about."""
    return frozenset(word for match in _SAID.finditer(question) for word in content(match["what"]).words)


def _told_by_reader(claim: str, reader: _Reader) -> bool:
    """Whether the reader has said so: "you have diabetes" to somebody who wrote that they have it."""
    first = re.split(r"[,;.:]|\b(?:and|so|which|và|nên|thì)\b", claim, maxsplit=1)[0]
    words = content(first).words
    return bool(words) and words <= reader.told


def _cited(piece: str, entries: int) -> str:
    """Without citations of entries that there are not."""

    def checked(match: re.Match[str]) -> str:
        numbers = [number for number in re.findall(r"\d+", match[1]) if 1 <= int(number) <= entries]
        lead = match[0][: match[0].index("[")]
        return f"{lead}[{', '.join(numbers)}]" if numbers else ""

    return _CITED.sub(checked, piece)


def _without_bare_headings(pieces: Sequence[str], shown: Sequence[bool]) -> list[bool]:
    """A line that announces something goes when nothing of what it announced is left."""
    left = list(shown)
    for index, piece in enumerate(pieces):
        if not left[index] or not piece.rstrip().endswith(":"):
            continue
        following = [at for at in range(index + 1, len(pieces)) if pieces[at].strip()]
        first = next((at for at in following if shown[at]), None)
        announced = first is not None and (first == following[0] or _LISTED.match(pieces[first]) is not None)
        left[index] = announced
    return left
