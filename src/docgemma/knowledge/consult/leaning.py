"""Questions that lean on the conversation: "what about children?" means nothing without the question before."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from docgemma.knowledge.consult.meaning import compared, content, drugs, telling_words, written
from docgemma.knowledge.entry import Language
from docgemma.knowledge.search.synonyms import spans
from docgemma.knowledge.search.tables import stop_words

_OPENS_WITH = {
    "en": re.compile(
        r"^\W*(?:(?:ok(?:ay)?|so|then|and|but|also)\b\W*)*(?:what|how) about\b|^\W*(?:and|but|also)\b", re.I
    ),
    "vi": re.compile(
        r"^\W*(?:thế|vậy|rồi|nếu vậy|nếu thế)\b|^\W*còn\b|\bthì sao\W*$|^\W*(?:the|vay) con\b|\bthi sao\W*$", re.I
    ),
}
"""Questions that go on from the one before."""
_POINTS_BACK = {
    "en": re.compile(
        r"\b(?:it|its|this|that|these|those|the same|instead)\b|(?P<who>\b(?:they|them|he|she|him)\b)", re.I
    ),
    "vi": re.compile(
        r"\b(?:nó|cái (?:đó|này|ấy|kia)|điều (?:đó|này)|như (?:vậy|thế)(?! nào))\b|(?P<who>\b(?:chúng|họ)\b)|"
        r"\b(?:thuốc|bệnh|loại|cách|tình trạng|triệu chứng|trường hợp|xét nghiệm|răng|việc)\s+(?:đó|này|ấy|kia)\b",
        re.I,
    ),
}
_POINTS_NOWHERE = re.compile(
    r"\b(?:is|was|isn't|would|will|can|could|may|be|does|if|when|why) it (?:ever |still |really |also |be )?"
    r"(?:mean|take|\w+ (?:to|for|that|if|when|before|until|after))\b|\bthis (?:week|year|month|morning)\b",
    re.IGNORECASE,
)
"""An "it" that stands for what follows."""
_BREAK = {
    "en": re.compile(r"[.,;:?!]|\b(?:and|or|but|if|when)\b", re.I),
    "vi": re.compile(r"[.,;:?!]|\b(?:và|hoặc|thì|nếu|khi)\b", re.I),
}
"""Between two parts of a question: what the second points back to may stand in the first."""
_DEFINES = {"en": re.compile(r"^\W*(?:what|who) (?:is|are)\b", re.I), "vi": re.compile(r"\blà (?:gì|ai)\b", re.I)}
_ENDS_THERE = re.compile(r"\W*$|\s+(?:at|in|on|with|without|for|during|before|after|again|too|now|myself)\b", re.I)
_ASPECTS = {
    "en": "side effects dose dosage risks alternative alternatives symptoms signs causes cause treatment treat cure "
    "prevention prevent danger dangerous safe serious normal children child babies baby kids pregnant pregnancy "
    "breastfeeding elderly older adults women men night home long work help stop start worse better hurt contagious "
    "heal recover",
    "vi": "tác dụng phụ liều lượng triệu chứng dấu hiệu nguyên nhân điều trị chữa phòng ngừa nguy hiểm nặng lây trẻ em "
    "nhỏ phụ nữ mang thai bầu cho bú già cao tuổi dùng kiêng khỏi an toàn ban đêm tại nhà lâu hết đỡ hại",
}
"""What one asks of a subject. A question of nothing else has its subject in the one before."""
_FRAGMENT = {"en": 3, "vi": 4}
"""So few words are no question of their own, unless they ask what something is or name something medical."""


def needs_context(question: str, earlier: Sequence[str], language: Language) -> bool:
    """Whether the question cannot be understood without what was asked before."""
    if not earlier:
        return False
    if _OPENS_WITH[language].search(question) or _fragment(question, language):
        return True
    text = _POINTS_NOWHERE.sub(" ", question)
    return any(_outside(text, found, language) for found in _POINTS_BACK[language].finditer(text))


def _fragment(question: str, language: Language) -> bool:
    if set(content(question, language)) <= _aspects(language):
        return True
    if len(written(question)) > _FRAGMENT[language] or _DEFINES[language].search(question):
        return False
    return not drugs(question) and not any(True for _ in spans(compared(question, language), language))


@cache
def _aspects(language: Language) -> frozenset[str]:
    return frozenset(content(_ASPECTS[language], language))


def _outside(text: str, found: re.Match[str], language: Language) -> bool:
    """Whether what a word points back to must have been said before: nothing in the question itself could be it."""
    before = text[: found.start()]
    if not content(before, language):
        return True
    if found["who"]:
        return False
    joins = found[0].lower() == "that" and written(before)[-1].lower() not in stop_words("en")
    if joins and not _ENDS_THERE.match(text, found.end()):
        return False  # "breath that keeps coming back"
    breaks = [each.start() for each in _BREAK[language].finditer(before)]
    return not breaks or not content(before[: breaks[-1]], language)


def with_context(question: str, earlier: Sequence[str], language: Language) -> str:
    """The question, and the telling words of what it leans on: the last question that stands alone."""
    words: list[str] = []
    for place in range(len(earlier) - 1, -1, -1):
        words = [*telling_words(earlier[place], language), *words]
        if not needs_context(earlier[place], earlier[:place], language):
            break
    known = {word.lower() for word in telling_words(question, language)}
    return " ".join((question, *(word for word in dict.fromkeys(words) if word.lower() not in known)))
