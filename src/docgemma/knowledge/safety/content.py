"""What a sentence is about and which way it points: content words, denial and caution.

Both languages are read the same way; an English word is cut to its stem, a Vietnamese one is its syllables.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from docgemma.entities.words import word_set
from docgemma.knowledge.safety.phrases import normalised

_ONE = r"\[\d{1,2}(?:\s?[,;]\s?\d{1,2})*\]"
CITATION = re.compile(
    rf"(?P<lead>\s?)\[(?P<numbers>\d{{1,2}}(?:\s?[,;]\s?\d{{1,2}})*)\](?=(?:\s?{_ONE})*\s*(?:[.,;:!?)]|$|\n))"
    rf"|^(?P<before>\s*)\[(?P<first>\d{{1,2}})\](?=\s+[A-ZÀ-Ỹ])"
)
"""Numbers in brackets where a clause ends or before a whole sentence. Elsewhere they are text: "take [2] tablets"."""

_CLAUSE = re.compile(
    r"([,;:()–—\n]+|\s-\s|"
    r"\b(?:but|and|so|because|although|while|then|or|if|when|unless|until|nhưng|và|mà|vì|nên|rồi|còn|hoặc|nếu|khi)\b)",
    re.IGNORECASE,
)
_ALTERNATIVE = frozenset(("or", "hoặc"))

_DENIALS = """not no never cannot cant dont doesnt didnt wont isnt arent wasnt shouldnt mustnt without avoid avoids
    avoided avoiding neither nor none nothing không đừng chưa chẳng tránh kiêng"""
_EMPTY = word_set(
    """patient patients a an the of to in on at by for from with as is are was were be been being it its this that
    these those and or but if so then than your you yours i me my we our they them their he she his her there here
    do does did have has had can could may might will would should must shall also very more most some any all each
    every other such only just even still too about into over up out when while because what which who how why where
    one both again often usually sometimes much many own get make made take keep let like need help helps well good
    people person something thing things way sure please during before after between through under until là và của
    có cho các những một với thì mà để khi nếu bạn tôi được bị ở trong ngoài này đó đây kia cũng rất nên hãy cần
    phải sẽ đã đang còn ra vào lên xuống đi lại như từ đến về do vì bởi hay hoặc rằng gì nào sao thế vậy nhé ạ mọi
    mỗi cả nhiều hơn nhất thường lúc việc điều người con cái sự khác trên dưới theo qua bằng nữa ngay luôn vẫn chỉ
    tự mình giúp làm anh chị em cô chú ông bà"""
)
_STEM = 6
_ENDINGS = (
    "ations",
    "ation",
    "ancy",
    "ant",
    "ingly",
    "ings",
    "ing",
    "edly",
    "ies",
    "ied",
    "ers",
    "est",
    "ed",
    "es",
    "er",
    "ly",
    "s",
    "y",
)


def without_citations(text: str) -> str:
    return CITATION.sub("", text)


@dataclass(frozen=True, slots=True)
class Content:
    """One sentence or clause as it is compared."""

    words: frozenset[str]
    denies: bool
    cautious: bool

    def also(self, words: frozenset[str]) -> Content:
        """With words that the sentence only points to."""
        return replace(self, words=self.words | words)


def content(text: str) -> Content:
    tokens = [token for token in normalised(without_citations(text)).split() if token[0].isalpha()]
    words = frozenset(stem(token) for token in tokens if token not in _EMPTY_NORMAL and token not in DENYING)
    return Content(
        words,
        denies=any(token in DENYING for token in tokens),
        cautious=any(token in _CAREFUL for token in tokens),
    )


def clauses(text: str) -> list[str]:
    """The parts of a sentence that may point different ways. "Never stop or change" is one: what forbids goes on."""
    found: list[str] = []
    pieces = _CLAUSE.split(text)
    for at in range(0, len(pieces), 2):
        joint = (pieces[at - 1] or "").lower() if at else ""
        if joint in _ALTERNATIVE and found and _forbids(found[-1]):
            found[-1] = f"{found[-1]} {joint} {pieces[at].strip()}"
        elif pieces[at].strip():
            found.append(pieces[at].strip())
    return found


def _forbids(clause: str) -> bool:
    return bool(DENYING.intersection(normalised(clause).split()[:2]))


def stem(word: str, longest: int = _STEM) -> str:
    """Near enough for comparing two wordings of one thing."""
    if not word.isascii() or len(word) < 4:
        return word
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            word = word[: -len(ending)]
            break
    word = word[:-1] if len(word) > 3 and (word[-1] == word[-2] or word[-1] in "ei") else word
    return word[:longest]


def _normal(listed: str) -> frozenset[str]:
    return frozenset(normalised(listed).split())


DENYING = _normal(_DENIALS)
_CAREFUL = _normal("ask unless only first hỏi trừ bàn chỉ trước")
_EMPTY_NORMAL = frozenset().union(*(_normal(word) for word in _EMPTY))
