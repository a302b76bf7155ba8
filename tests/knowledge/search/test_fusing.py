"""Putting two opinions together."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from docgemma.knowledge.index.contract import Hit, Ranked
from docgemma.knowledge.search.fusing import fused

_HITS = st.lists(
    st.tuples(st.sampled_from("abcdefgh"), st.floats(min_value=0, max_value=50, allow_subnormal=False)),
    max_size=8,
    unique_by=lambda hit: hit[0],
)


def _ranked(words: list[tuple[str, float]], meaning: list[tuple[str, float]]) -> Ranked:
    def hits(given: list[tuple[str, float]], scale: float) -> tuple[Hit, ...]:
        return tuple(Hit(name, score * scale) for name, score in sorted(given, key=lambda hit: -hit[1]))

    return Ranked(hits(words, 1.0), hits(meaning, 1 / 50))


@given(_HITS, _HITS)
def test_every_entry_comes_once_and_no_other(words: list[tuple[str, float]], meaning: list[tuple[str, float]]) -> None:
    ids = [each.id for each in fused(_ranked(words, meaning))]
    assert sorted(ids) == sorted({name for name, _ in words} | {name for name, _ in meaning})


@given(_HITS, _HITS, st.randoms())
def test_the_order_in_which_hits_come_does_not_matter(words, meaning, dice) -> None:  # type: ignore[no-untyped-def]
    ranked = _ranked(words, meaning)
    shuffled = Ranked(tuple(dice.sample(ranked.words, len(words))), tuple(dice.sample(ranked.meaning, len(meaning))))
    assert fused(ranked, 5.0) == fused(shuffled, 5.0)


@given(_HITS, _HITS)
def test_being_in_both_lists_never_hurts(words: list[tuple[str, float]], meaning: list[tuple[str, float]]) -> None:
    """The same entry, once named by the words too and once not, the rest equal."""
    ranked = _ranked(words, meaning)
    for hit in ranked.words[:-1]:
        if hit.id in {each.id for each in ranked.meaning} and hit != ranked.words[0]:
            without = Ranked(tuple(each for each in ranked.words if each != hit), ranked.meaning)
            assert _place(fused(ranked), hit.id) <= _place(fused(without), hit.id)


@given(_HITS)
def test_one_opinion_alone_keeps_its_order(words: list[tuple[str, float]]) -> None:
    scores = dict(words)
    found = [scores[each.id] for each in fused(_ranked(words, []))]
    assert found == sorted(found, reverse=True)


def test_equal_entries_stand_in_the_order_of_their_ids() -> None:
    ranked = Ranked((Hit("b", 1.0), Hit("a", 1.0)), (Hit("b", 0.5), Hit("a", 0.5)))
    assert [each.id for each in fused(ranked)] == ["a", "b"]


def test_weak_words_leave_the_order_to_the_meaning() -> None:
    ranked = Ranked((Hit("said", 2.0), Hit("meant", 1.0)), (Hit("meant", 0.6), Hit("said", 0.4)))
    assert fused(ranked, full=0.0)[0].id == "said"
    assert fused(ranked, full=100.0)[0].id == "meant"


def test_nothing_gives_nothing() -> None:
    assert fused(Ranked()) == ()


def _place(found, name: str) -> int:  # type: ignore[no-untyped-def]
    return [each.id for each in found].index(name)
