"""Whatever the text: spans lie in it, in order, apart from each other, and the work grows with its length alone."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from docgemma.terminology.linking.lexicon import Known
from docgemma.terminology.linking.linking import find
from docgemma.terminology.linking.mentions import LONGEST
from docgemma.terminology.linking.words import words
from tests.terminology.linking.vocabulary import Slips, lexicon

PIECES = """breast lung ovarian cancer or and / , ( ) type 1 2 diabetes MDD (MDD) hepatitis B - stage III metastatic
    alcohol drug abuse HER2 positive ü ß İ ½ µ ' ’s ≥ 50 % \u200b \u0301 A the of x"""
SEPARATORS = st.sampled_from((" ", "", "-", "\n", "\t"))
JOINED = st.builds(str.join, SEPARATORS, st.lists(st.sampled_from(PIECES.split()), max_size=40))
TEXTS = st.one_of(st.text(max_size=120), JOINED)
VOCABULARY = lexicon()


@given(TEXTS, TEXTS)
@settings(max_examples=200, deadline=None)
def test_spans_lie_in_the_text_in_order_and_apart(text: str, context: str) -> None:
    spans = find(text, VOCABULARY, context)
    assert all(0 <= span.start < span.end <= len(text) for span in spans)
    assert all(one.end <= two.start for one, two in pairwise(spans))
    assert all(span.term for span in spans)


@given(TEXTS)
@settings(max_examples=100, deadline=None)
def test_words_rebuild_the_text_they_were_taken_from(text: str) -> None:
    found = words(text)
    assert all(text[word.start : word.end] == word.text for word in found)
    assert all(one.end <= two.start for one, two in pairwise(found))


class Counting(Slips):
    """Counts the questions."""

    def __init__(self) -> None:
        super().__init__({})
        self.asked = 0

    def known(self, key: str) -> Known | None:
        self.asked += 1
        return None


def test_a_long_text_costs_a_few_questions_a_word() -> None:
    counts = []
    for size in (100, 2_000):
        vocabulary = Counting()
        find("metastatic breast or ovarian cancer with unknownword " * size, vocabulary)
        counts.append(vocabulary.asked / (size * 7))
    assert counts[1] <= counts[0] * 1.1
    assert counts[1] <= LONGEST + 2
