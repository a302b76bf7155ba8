"""Other ways to find a name, over the same names, for the bare mention. Slow ones see a sample, and that is said.

Each gets an advantage: only names of concepts of the right type that have an identifier of the annotators.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from bench.linking.gold import Mention

Names = list[tuple[str, frozenset[str]]]
"""A name and the identifiers of its concept; preferred names come first."""
Answer = Callable[[str], list[frozenset[str]]]
SAMPLE = 150


@dataclass(frozen=True, slots=True)
class Row:
    """How one way did: shares between 0 and 1, and milliseconds of CPU a mention."""

    way: str
    mentions: int
    first: float
    five: float
    milliseconds: float
    said: str = ""


def measured(way: str, answer: Answer, mentions: list[Mention], said: str = "") -> Row:
    """The first answer and the first five, against any of the identifiers given."""
    first = five = 0
    begun = time.process_time()
    for mention in mentions:
        answers = answer(mention.text)[:5]
        first += bool(answers and answers[0] & mention.ids)
        five += any(ids & mention.ids for ids in answers)
    spent = time.process_time() - begun
    count = len(mentions)
    return Row(way, count, first / count, five / count, 1000 * spent / count, said)


def rows(mentions: list[Mention], names: Names, *, slow: bool = True) -> Iterator[Row]:
    yield measured("dictionary", dictionary(names), mentions)
    for way, make, sampled in (
        ("gilda (custom terms)", gilda, False),
        ("simstring-rust", simstring, True),
        ("TF-IDF char-3-gram", tf_idf, True),
        ("rapidfuzz ratio", rapidfuzz_ratio, True),
    ):
        if sampled and not slow:
            continue
        try:
            answer = make(names)
        except ImportError as error:
            yield Row(way, 0, 0.0, 0.0, 0.0, f"not installed: {error.name}")
            continue
        seen = _sample(mentions) if sampled else mentions
        yield measured(way, answer, seen, f"a sample of {len(seen)}" if sampled else "")


def _sample(mentions: list[Mention]) -> list[Mention]:
    return random.Random(1).sample(mentions, min(SAMPLE, len(mentions)))


def dictionary(names: Names) -> Answer:
    """Lower case, nothing else."""
    table: dict[str, list[frozenset[str]]] = {}
    for name, ids in names:
        table.setdefault(name.lower(), []).append(ids)
    return lambda text: table.get(text.lower(), [])


def gilda(names: Names) -> Answer:
    from gilda.grounder import Grounder
    from gilda.process import normalize
    from gilda.term import Term

    terms = [
        Term(normalize(name), name, "X", str(number), name, "name", "bench") for number, (name, _) in enumerate(names)
    ]
    grounder = Grounder(terms)
    return lambda text: [names[int(match.term.id)][1] for match in grounder.ground(text)]


def simstring(names: Names) -> Answer:
    from simstring_rust.database import HashDb
    from simstring_rust.extractors import CharacterNgrams
    from simstring_rust.measures import Cosine
    from simstring_rust.searcher import Searcher

    table: dict[str, frozenset[str]] = {}
    for name, ids in names:
        table.setdefault(name.lower(), ids)
    database = HashDb(CharacterNgrams(3, " "))
    for name in table:
        database.insert(name)
    searcher = Searcher(database, Cosine())
    return lambda text: [table[name] for name, _ in searcher.ranked_search(text.lower(), 0.6)[:5]]


def tf_idf(names: Names) -> Answer:
    from sklearn.feature_extraction.text import TfidfVectorizer

    vectors = TfidfVectorizer(analyzer="char_wb", ngram_range=(3, 3), dtype="float32")
    matrix = vectors.fit_transform(name.lower() for name, _ in names).T.tocsr()

    def answer(text: str) -> list[frozenset[str]]:
        scores = (vectors.transform([text.lower()]) @ matrix).tocoo()
        best = sorted(zip(scores.data, scores.col, strict=True), reverse=True)[:5]
        return [names[column][1] for _, column in best]

    return answer


def rapidfuzz_ratio(names: Names) -> Answer:
    from rapidfuzz import fuzz, process

    texts = [name.lower() for name, _ in names]
    return lambda text: [
        names[place][1] for _, _, place in process.extract(text.lower(), texts, scorer=fuzz.ratio, limit=5)
    ]
