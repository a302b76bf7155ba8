"""An entry and a question as weighted words, for the index. How rare a word is, the index knows."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from hashlib import blake2s

from docgemma.knowledge.entry import Entry, Language
from docgemma.knowledge.index.contract import Words
from docgemma.knowledge.search import english, vietnamese
from docgemma.knowledge.search.aspects import aspects
from docgemma.knowledge.search.rarity import is_common
from docgemma.knowledge.search.synonyms import others

LAYOUT = "words-1"
"""Names how entries are weighted: an index of another layout is built again."""

K, B, AVERAGE = 1.6, 0.7, 130.0
"""BM25: how soon repeating a word stops to count, how much a long entry is discounted, and words in a usual entry."""
QUESTION, TOPIC = 4.0, 1.0
"""One word of the question counts as this many of the answer."""
_ASPECT, _BONES = 1.5, 1.5
"""What an entry's aspect and the skeleton of a word in its question weigh, whatever the entry's length."""
_ASKED, _SYNONYM, _MISSPELT = 1.25, 0.4, 0.6
"""In a question, where a typed word weighs 1: its aspect, another name of what was typed, a skeleton."""
_SINGLE, _PAIR, _PLAIN = 0.5, 1.0, 0.3
"""Vietnamese: a syllable alone, a pair of them, and what the same without marks counts beside them."""


@lru_cache(maxsize=1 << 16)
def number(word: str) -> int:
    """The word's number in every index, on every machine."""
    return int.from_bytes(blake2s(word.encode(), digest_size=4).digest(), "big")


def entry_words(entry: Entry) -> Words:
    """The weight of every word of the entry; a word of its question weighs more than one of its answer."""
    weighed: defaultdict[str, float] = defaultdict(float)
    length = 0
    for text, weight in ((entry.question, QUESTION), (f"{entry.topic} {entry.subtopic}", TOPIC), (entry.answer, 1.0)):
        found = forms(text, entry.language)
        length += len(found)
        for form in found:
            weighed[form] += weight
    room = K * (1 - B + B * length / AVERAGE)
    weights = {form: count * (K + 1) / (count + room) for form, count in weighed.items()}
    weights |= dict.fromkeys(skeletons(forms(entry.question, entry.language), entry.language), _BONES)
    weights |= {f"@{name}": _ASPECT for name in aspects(entry.question, entry.language)}
    return _numbered(weights.items())


def question_words(question: str, language: Language) -> Words:
    """Each word once, and what else it may be called or was meant to be, with less weight."""
    wanted = [(f"@{name}", _ASKED) for name in aspects(question, language)]
    if language == "vi":
        return _numbered([*_vietnamese(question), *wanted])
    found = english.words(question)
    meant = ((bones, _MISSPELT) for bones in skeletons((word for word in found if not is_common(word)), language))
    return _numbered([*((word, 1.0) for word in found), *_called(found, language), *meant, *wanted])


def forms(text: str, language: Language) -> list[str]:
    """What is indexed of a text."""
    if language == "en":
        return english.words(text)
    found = vietnamese.syllables(text)
    return [form for kind in (*vietnamese.marked_forms(found), *vietnamese.plain_forms(found)) for form in kind]


def skeletons(found: Iterable[str], language: Language) -> set[str]:
    return {bones for word in found if (bones := english.skeleton(word))} if language == "en" else set()


def _vietnamese(question: str) -> Iterator[tuple[str, float]]:
    found = vietnamese.syllables(question)
    if not vietnamese.is_plain(question):
        single, pairs = vietnamese.marked_forms(found)
        yield from ((form, _SINGLE) for form in single)
        yield from ((form, _PAIR) for form in pairs)
        yield from ((form, _PLAIN) for form in vietnamese.plain_forms(found)[1])
    else:
        single, pairs = vietnamese.plain_forms(found)
        yield from ((form, _SINGLE) for form in single)
        yield from ((form, _PAIR) for form in pairs)
    yield from _called(found, "vi")


def _called(found: Sequence[str], language: Language) -> Iterator[tuple[str, float]]:
    for names in others(found, language):
        for name in names:
            for form in name if language == "en" else forms(" ".join(name), language):
                yield form, _SYNONYM / max(1, len(name) - 1)


def _numbered(weighed: Iterable[tuple[str, float]]) -> Words:
    """The heaviest weight where a word comes up twice."""
    numbers: dict[int, float] = {}
    for word, weight in weighed:
        at = number(word)
        numbers[at] = max(weight, numbers.get(at, 0.0))
    return numbers
