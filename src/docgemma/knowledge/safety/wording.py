"""Which sentences of a model's explanation may be shown: those that the entries carry, and nothing of the model's own.

A sentence stays when an entry says it word for word and sign for sign, or when one sentence of an entry has all its
words and figures and points the same way. For patients it also goes when it diagnoses or reassures in words that are
not the entries'. A link, an order to a program or another language goes even where an entry has it: an entry may be
poisoned too.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from docgemma.entities.sentences import split
from docgemma.knowledge.entry import Entry, Language
from docgemma.knowledge.roles import Audience
from docgemma.knowledge.safety.advice import named
from docgemma.knowledge.safety.content import CITATION, content, without_citations
from docgemma.knowledge.safety.forbidden import calms, diagnoses, pretends, unfit
from docgemma.knowledge.safety.framing import LISTED, around
from docgemma.knowledge.safety.grounds import Grounds

_HEADING = 10
"""A line of so few words that only announces what follows needs no support of its own."""

_ANNOUNCES = re.compile(
    r"\W*(?:here (?:is|are) (?:what (?:to|you (?:can|should)) do|the (?:main )?(?:steps|points))|"
    r"(?:you should )?do this|(?:the )?(?:main )?(?:steps|points)(?: to (?:follow|take))?|"
    r"what (?:to|you (?:can|should)) do|(?:các|những) (?:bước|việc)(?: (?:chính|cần|nên))*(?: làm)?|"
    r"(?:bạn )?(?:cần|nên|hãy) làm(?: như sau)?|cụ thể)\W*:\W*",
    re.IGNORECASE,
)
_REFERS = re.compile(
    r"\W*(?:please )?(?:ask|talk to|talk with|speak to|speak with|contact|tell|see) (?:your|a|the) "
    r"(?:doctor|dentist|nurse|pharmacist|care team|team)(?: or (?:your |a |the )?(?:doctor|dentist|nurse|pharmacist|"
    r"care team|team))?(?: (?:if you (?:have (?:any |more )?questions|are (?:not sure|unsure))|before you (?:make any "
    r"changes?|change anything)))?\W*"
    r"|\W*(?:bạn )?(?:hãy |nên )*(?:hỏi|gặp|nói với|trao đổi với|liên hệ) (?:bác sĩ|nha sĩ|dược sĩ|điều dưỡng)"
    r"(?: (?:hoặc|hay) (?:bác sĩ|nha sĩ|dược sĩ|điều dưỡng))?(?: nếu (?:bạn )?(?:còn |có )*(?:thắc mắc|câu hỏi|chưa rõ|"
    r"điều chưa rõ)| trước khi thay đổi)?\W*",
    re.IGNORECASE,
)
"""Sending a reader to a person, in these words alone, needs no support."""

_POINTS_BACK = re.compile(
    r"\W*(?:this|that|it|these|those|they|so|therefore|thus|instead|otherwise|điều này|việc này|nó|vì vậy|do đó|vì thế|"
    r"như vậy|chúng|thay vào đó)\b",
    re.IGNORECASE,
)
_SAYS = re.compile(r"[^\W_]|[<>≤≥=±]")
_SAID = re.compile(
    r"(?<!if )(?<!when )(?<!do )(?<!nếu )(?<!khi )\b(?:i have|i['’]ve got|i am|i['’]m|"
    r"(?:tôi|em|mình|con) (?:đang |đã )?(?:bị|mắc)) (?P<what>[^,.;?!]{1,80})",
    re.IGNORECASE,
)


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


def kept(explanation: str, entries: Sequence[Entry], *, audience: Audience, language: Language, question: str) -> Kept:
    """The sentences that the entries carry, in their order, with citations of these entries only."""
    grounds = Grounds(entries)
    reader = _Reader(audience, language, _told(question))
    pieces = split(explanation)
    shown: list[bool] = []
    last: frozenset[str] = frozenset()
    for at, piece in enumerate(pieces):
        before = not shown or shown[-1]
        last = named(piece) or last
        if not _SAYS.search(without_citations(piece)):
            shown.append(before or not piece.strip())
        elif not before and _POINTS_BACK.match(piece):
            shown.append(False)
        else:
            shown.append(_may_stand(piece, around(pieces, at), grounds, reader, last))
    shown = _without_bare_headings(pieces, shown)
    text = "".join(_cited(piece, len(entries)) for piece, good in zip(pieces, shown, strict=True) if good)
    return Kept(re.sub(r"\n{3,}", "\n\n", text).strip(), shown.count(False))


def _may_stand(piece: str, beside: frozenset[str], grounds: Grounds, reader: _Reader, last: frozenset[str]) -> bool:
    if unfit(piece, reader.language):
        return False
    if grounds.says(piece, beside):
        return True
    bare = without_citations(piece)
    if pretends(piece) or not grounds.names(named(piece)):
        return False
    if _REFERS.fullmatch(bare) or _only_announces(bare, grounds):
        return True
    if not (grounds.holds(piece) and grounds.carries(piece, before=last) and grounds.agrees(piece, last)):
        return False
    return reader.audience == "professional" or _may_be_told(bare, grounds, reader)


def _only_announces(bare: str, grounds: Grounds) -> bool:
    short = bare.rstrip().endswith(":") and len(bare.split()) <= _HEADING
    return short and (_ANNOUNCES.fullmatch(bare) is not None or grounds.announces(bare))


def _may_be_told(bare: str, grounds: Grounds, reader: _Reader) -> bool:
    """What only a clinician who knows the patient may say in words of their own."""
    if (claim := diagnoses(bare)) and not _told_by_reader(claim, reader):
        return False
    calm = calms(bare)
    return not calm or grounds.phrase(calm, bare)


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
        written = match["numbers"] or match["first"]
        numbers = [number for number in re.findall(r"\d+", written) if 1 <= int(number) <= entries]
        return f"{match['lead'] or match['before'] or ''}[{', '.join(numbers)}]" if numbers else ""

    return CITATION.sub(checked, piece)


def _without_bare_headings(pieces: Sequence[str], shown: Sequence[bool]) -> list[bool]:
    """A line that announces something goes when nothing of what it announced is left."""
    left = list(shown)
    for index, piece in enumerate(pieces):
        if not left[index] or not piece.rstrip().endswith(":"):
            continue
        following = [at for at in range(index + 1, len(pieces)) if pieces[at].strip()]
        first = next((at for at in following if shown[at]), None)
        announced = first is not None and (first == following[0] or LISTED.match(pieces[first]) is not None)
        left[index] = announced
    return left
