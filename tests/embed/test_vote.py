"""A message that no pattern understood may be voted on; the vote only ever adds a look-up that can be made."""

from __future__ import annotations

from collections import Counter

import pytest

from docgemma.agent.requests.vote import Asked, Voter
from docgemma.agent.requests.ways import DIRECT, masked, tells, topic, ways
from docgemma.embed import Embedder, MiniLm
from docgemma.entities import extract
from docgemma.errors import BadInput
from docgemma.tools.registry import READS
from tests.embed.tables import ON_SCREEN, SCORED_ONCE, TUNED, elected, table, tally

LEAST_DIRECT_KEPT = 0.98


@pytest.fixture(scope="module")
def by_words() -> Voter:
    return Voter()


@pytest.fixture(scope="module")
def by_meaning(minilm: MiniLm) -> Voter:
    return Voter(lambda: minilm)


def test_the_exemplars_are_enough_and_only_read() -> None:
    count = Counter(way.kind for way in ways())
    assert set(count) - {DIRECT} <= READS
    assert count.pop(DIRECT) >= 60
    assert min(count.values()) >= 12


def test_no_sentence_of_a_table_is_an_exemplar() -> None:
    known = {way.text.lower() for way in ways()}
    said = [sentence for name in (*TUNED, SCORED_ONCE) for _, sentence in table(name)]
    assert [sentence for sentence in said if masked(sentence, extract(sentence)).lower() in known] == []


@pytest.mark.parametrize("name", [*TUNED, SCORED_ONCE])
def test_by_words_general_questions_are_left_alone(by_words: Voter, name: str) -> None:
    result = tally(by_words, name)
    assert result.direct_kept / result.direct >= LEAST_DIRECT_KEPT
    assert result.wrong == 0


def test_by_words_some_paraphrases_are_understood(by_words: Voter) -> None:
    assert tally(by_words, SCORED_ONCE).right >= 5


@pytest.mark.weights
@pytest.mark.parametrize("name", [*TUNED, SCORED_ONCE])
def test_by_meaning_general_questions_are_left_alone(by_meaning: Voter, name: str) -> None:
    result = tally(by_meaning, name)
    assert result.direct_kept / result.direct >= LEAST_DIRECT_KEPT


@pytest.mark.weights
def test_by_meaning_half_of_the_paraphrases_are_understood(by_meaning: Voter) -> None:
    result = tally(by_meaning, SCORED_ONCE)
    assert result.right / result.paraphrases >= 0.5


CAUTION = "anything to be afraid of with amiodarone"


def test_the_vote_says_what_it_rests_on(by_words: Voter) -> None:
    vote = by_words.vote(Asked(CAUTION, extract(CAUTION)))
    assert vote is not None
    assert str(vote).startswith("reads like: drug safety report (similarity ")
    assert str(vote).endswith(", by words)")
    assert [need.subject for need in vote.needs] == ["amiodarone"]


def test_without_its_arguments_no_tool_is_added(by_words: Voter) -> None:
    assert elected(by_words, "how is she doing") == "get_patient_chart"
    assert elected(by_words, "how is she doing", patient=None) is None
    assert elected(by_words, "anything to be afraid of with it") is None
    assert elected(by_words, "anything to be afraid of with it", ["amiodarone 200 mg"]) == "check_drug_safety"


@pytest.mark.parametrize(
    "message",
    ["thanks", "don't check what harm amiodarone can do", "please prescribe amiodarone 200 mg daily for abc-123"],
)
def test_nobody_votes_on_small_talk_refusals_and_orders(by_words: Voter, message: str) -> None:
    assert by_words.vote(Asked(message, extract(message), (), ON_SCREEN)) is None


def test_a_long_story_is_not_voted_on(by_words: Voter) -> None:
    assert elected(by_words, f"{CAUTION} {'and so on ' * 20}") is None


def test_a_damaged_embedder_leaves_the_vote_by_words() -> None:
    def load() -> Embedder | None:
        raise BadInput("The embedder is not used: model.onnx is damaged.")

    vote = Voter(load).vote(Asked(CAUTION, extract(CAUTION)))
    assert vote is not None
    assert vote.by == "words"


@pytest.mark.parametrize(
    ("message", "about"),
    [
        ("whats the newest data on semaglutide in heart failure", "semaglutide in heart failure"),
        ("where is the proof that bed rest helps sciatica", "bed rest helps sciatica"),
        ("is it true that balanced fluids beat saline, show me the data", "balanced fluids beat saline"),
        ("can we get him into something experimental for his pancreatic cancer", "pancreatic cancer"),
        ("has that been studied in children", ""),
        ("any proof that it works", ""),
    ],
)
def test_a_search_is_about_the_words_between_those_that_ask(message: str, about: str) -> None:
    assert topic(message) == about


@pytest.mark.parametrize(
    ("sentence", "told"),
    [
        ("they put PATIENT on DRUG in March", True),
        ("PATIENT looks better", True),
        ("PATIENT is on DRUG, any danger", False),
    ],
)
def test_a_statement_asks_for_nothing(sentence: str, told: bool) -> None:
    assert tells(sentence) is told
