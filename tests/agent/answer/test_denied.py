"""What the findings deny, a sentence may not state."""

from __future__ import annotations

import pytest

from docgemma.agent.answer.check import check
from docgemma.agent.answer.denied import denied
from docgemma.agent.answer.evidence import Evidence

SEEN = ("No pneumothorax seen. Small left pleural effusion. No rib fracture or consolidation.",)

DENIED = [
    ("No pneumothorax seen.", {"pneumothorax"}),
    ("Without fractures, masses or calcification", {"fracture", "masse", "calcification"}),
    ("Negative for consolidation; heart size normal", {"consolidation"}),
    ("No left effusion. Right effusion is present.", set()),
    ("No acute findings.", set()),
    ("Cardiomegaly.", set()),
]


@pytest.mark.parametrize(("text", "words"), DENIED)
def test_what_is_denied(text: str, words: set[str]) -> None:
    assert denied([text]) == words


SENTENCES = [
    ("Yes, this chest x-ray shows a pneumothorax.", True),
    ("There are rib fractures on the left.", True),
    ("There is no pneumothorax.", False),
    ("A pneumothorax was not seen.", False),
    ("If a pneumothorax is suspected, repeat the film.", False),
    ("A small left pleural effusion is visible.", False),
    ("Consolidation of the right lower lobe.", True),
]


@pytest.mark.parametrize(("sentence", "dropped"), SENTENCES)
def test_a_sentence_that_states_it_is_left_out(sentence: str, dropped: bool) -> None:
    result = check(sentence, Evidence.of(image=SEEN))
    assert (result.dropped == "not what was seen") is dropped


def test_only_images_deny() -> None:
    """A label that says "no interaction" denies no finding."""
    assert check("Rib fractures heal.", Evidence.of(user=("No rib fracture",))).dropped is None
