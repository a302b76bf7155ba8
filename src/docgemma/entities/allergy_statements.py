"""A plain statement of an allergy ("She's allergic to sulfa, abc-123") asks for it to be recorded.

It does so only when nothing else is asked and nothing in the sentence takes it back: a negation, a relative, the past,
a condition, a question.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from docgemma.entities.allergies import CUES, known_substances
from docgemma.entities.model import Entities
from docgemma.entities.speech import clauses
from docgemma.entities.words import Sentence, Word, sentences, word_set

_LONGEST = 40
"""Words. A longer text that mentions an allergy is a case description, not a request."""

_TAKEN_BACK = re.compile(
    r"(?<![\w-])(?:not(?!\sonly)|no(?!\sknown\s(?:drug\s)?allerg\w{1,3}\s(?:except|other\sthan|apart\sfrom|but))|never|none|denies"
    r"|denied|deny|negative|without|\w{1,8}n['’]t|ruled\sout|rule\sout|de-?label\w{0,4}|outgrew|outgrown|resolved|removed"
    r"|previously|formerly|used\sto|unlikely|doubt\w{0,4}|if|were|would|could|might\sbe|hypothetical\w{0,2}|suppose|unless"
    r"|mother|father|mom|dad|brother|sister|son|daughter|wife|husband|aunt|uncle|cousin|grand\w{3,8}|family|parents?|sibling"
    r"|siblings|relative|neighbou?r|friend|nkda|nka|cross-reactiv\w{1,4})(?![\w-])",
    re.IGNORECASE,
)
_QUESTIONS = word_set("is are was does did do has have can could should would what which who how why when where")
_RECORDING = word_set("add record document note log enter chart register update save put")


def states_allergy(text: str, tokens: Sequence[Word], found: Entities) -> tuple[int, int] | None:
    """Where the statement stands, or None."""
    if not found.substances or len(tokens) > _LONGEST or "?" in text:
        return None
    listed = {mention.start for _, mention in known_substances(tokens, (*found.drugs, *found.unlisted_drugs)).values()}
    known = [mention for mention in found.substances if mention.start in listed]
    for sentence in sentences(text, tokens):
        inside = [mention for mention in known if sentence.start <= mention.start < sentence.end]
        if _asks_for_something_else(sentence):
            return None
        cued = any(word.low in CUES and word.low != "intolerance" for word in sentence.words)
        if inside and cued and not _TAKEN_BACK.search(text, sentence.start, sentence.end):
            return sentence.start, sentence.end
    return None


def _asks_for_something_else(sentence: Sentence) -> bool:
    """Another request or a question: then the allergy is its background."""
    if sentence.words[0].low in _QUESTIONS:
        return True
    return any(part.action is not None and part.action.low not in _RECORDING for part in clauses(sentence))
