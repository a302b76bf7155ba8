"""Talk that asks for nothing medical. Only for this is an answer given without the knowledge base, and only by code."""

from __future__ import annotations

import re

from docgemma.entities.small_talk import all_social, is_small_talk
from docgemma.entities.words import phrase_list, word_set
from docgemma.knowledge.consult.phrases import Phrase
from docgemma.knowledge.search import vietnamese

_VIETNAMESE = phrase_list(
    "xin chào, chào, chào bạn, chào buổi sáng, chào buổi tối, alo, a lô, cảm ơn, cám ơn, xin cảm "
    "ơn, chân thành cảm ơn, "
    "tạm biệt, hẹn gặp lại, chào tạm biệt, chúc ngủ ngon, chúc một ngày tốt lành, vâng, dạ, dạ vâng, ừ, được rồi, hiểu "
    "rồi, tôi hiểu rồi, rõ rồi, tốt quá, hay quá, tuyệt vời, hữu ích, rất hữu ích, ok, oke, bạn là "
    "ai, bạn là gì, bạn tên "
    "gì, bạn tên là gì, bạn là bác sĩ à, bạn có phải là bác sĩ không, bạn có phải bác sĩ không, bạn có phải là người "
    "không, bạn có phải người thật không, bạn có phải là người thật không, bạn có phải là robot "
    "không, bạn làm được gì, "
    "bạn có thể làm gì, bạn biết gì, bạn giúp được gì, bạn có thể giúp gì, bạn có thể giúp gì cho "
    "tôi, tôi có thể hỏi gì, "
    "bạn khỏe không, bạn có khỏe không, rất vui được gặp bạn, xin lỗi, không có gì, thôi"
)
_WITH_IT = word_set(
    "bạn ạ nhé nha nhiều rất em anh chị cô chú bác sĩ ơi vì đã giúp giúp đỡ tôi mình và nhiều lắm lần nữa"
)
_PHRASES = frozenset(tuple(each.split()) for each in _VIETNAMESE)
_PHRASES_PLAIN = frozenset(tuple(map(vietnamese.plain, each)) for each in _PHRASES)
_WITH_IT_PLAIN = frozenset(map(vietnamese.plain, _WITH_IT))
_LONGEST = max(map(len, _PHRASES))
_MOST_WORDS = 14

_ABOUT_CHAT = word_set(
    "joke jokes name names language languages speak english vietnamese smart clever funny nice cool "
    "great awesome lovely "
    "app application assistant bot robot ai chatbot computer program software machine human real "
    "created built developed "
    "website weather birthday holiday weekend welcome sorry morning afternoon evening favourite favorite hobby football"
)
_SAYS_NOTHING = word_set(
    "a an the you your are is was do does did can could will would what what's who how why when where which of for to "
    "and or in on at with from by me tell please so very really this that it be have has like much many any some am"
)
_SAYS_SOMETHING = re.compile(
    r"\d|\b(?:i|i'm|i've|i'd|my|mine|not|no|never|can't|cannot|don't|won't|he|she|his|her)\b", re.I
)
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")

_KINDS: tuple[tuple[Phrase, re.Pattern[str]], ...] = (
    (
        "about",
        re.compile(
            r"\b(?:who|what) (?:are|r|do|can|is|made|built|'s) (?:you|u|your|i)\b|\bwhat's your\b|"
            r"\bare you (?:an?|real|human)\b|\bhow (?:do|can) you\b|\bcan you help|\bhelp\b|"
            r"\bwho (?:made|built|created)\b|"
            r"\bbạn (?:là|tên|có phải|làm|có thể|biết|giúp)|tôi có thể hỏi|\bban (?:la|ten|co phai|lam|"
            r"co the|biet|giup)\b",
            re.I,
        ),
    ),
    (
        "thanks",
        re.compile(r"\bthank|\bthx\b|\bty\b|\bcheers\b|appreciate|c[ảá]m ơn|\bcam on\b|shukriya|dhanyavad", re.I),
    ),
    (
        "farewell",
        re.compile(r"\b(?:bye|goodbye|good ?night|see (?:you|ya))\b|tạm biệt|hẹn gặp|ngủ ngon|\btam biet\b", re.I),
    ),
)


def is_chat(text: str) -> bool:
    """A greeting, thanks, a farewell or a question about the program, and not one word more; or no word at all."""
    return not any(map(str.isalnum, text)) or is_small_talk(text) or _vietnamese_chat(text)


def may_be_chat(text: str) -> bool:
    """Whether a model that calls this chat may be believed. One word that code does not know as chat is enough for no:
    a needless search costs little, a medical question answered without one can harm."""
    if is_chat(text):
        return True
    words = [word.lower().replace("’", "'") for word in _WORD.findall(text)]
    telling = [word for word in words if word not in _SAYS_NOTHING]
    return bool(telling) and not _SAYS_SOMETHING.search(text) and all(word in _ABOUT_CHAT for word in telling)


def kind_of(text: str) -> Phrase:
    """Which of the prepared sentences answers it."""
    return next((kind for kind, pattern in _KINDS if pattern.search(text)), "greeting")


def _vietnamese_chat(text: str) -> bool:
    said = tuple(vietnamese.syllables(text))
    if not 0 < len(said) <= _MOST_WORDS or any(word.isdigit() for word in said):
        return False
    plain = vietnamese.is_plain(text)
    phrases, with_it = (_PHRASES_PLAIN, _WITH_IT_PLAIN) if plain else (_PHRASES, _WITH_IT)
    return all_social(said, phrases, with_it, _LONGEST)
