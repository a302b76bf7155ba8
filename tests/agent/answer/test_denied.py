"""What the findings deny, a sentence may not state."""

from __future__ import annotations

import pytest

from docgemma.agent.answer.check import check
from docgemma.agent.answer.denied import denied, says_seen
from docgemma.agent.answer.evidence import Evidence
from tests.support.tables import each_of

SEEN = ("No pneumothorax seen. Small left pleural effusion. No rib fracture or consolidation.",)

DENIED = [
    ("No pneumothorax seen.", {"pneumothorax"}),
    ("Without fractures, masses or calcification", {"fracture", "masse", "calcification"}),
    ("Negative for consolidation; heart size normal", {"consolidation"}),
    ("No left effusion. Right effusion is present.", set()),
    ("No acute findings.", set()),
    ("Cardiomegaly.", set()),
    ("No effusion, no pneumothorax", {"effusion", "pneumothorax"}),
    ("No evidence of rib fracture, effusion, or consolidation.", {"fracture", "effusion", "consolidation"}),
    ("No fracture or dislocation, normal alignment", {"fracture", "dislocation"}),
    ("No pneumothorax on the left", {"pneumothorax"}),
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


TRUE = [
    ("CT without contrast, there is a nodule.", "There is a nodule in the left lung."),
    ("No effusion, normal heart size.", "The heart size is normal."),
    ("No fracture and normal alignment.", "Alignment is preserved."),
    ("No fracture in the wrist.", "The wrist shows swelling."),
    ("No change in the known effusion.", "The effusion is stable."),
    ("There is no doubt about the fracture.", "A fracture of the radius is visible."),
    ("No other fracture.", "A fracture of the radius is visible."),
    ("No displaced fracture.", "A hairline fracture is visible."),
    ("No large pneumothorax.", "A small pneumothorax is visible."),
    ("No prior images for comparison.", "For comparison, bring the prior images."),
    ("No pneumothorax or effusion.", "Neither pneumothorax nor effusion was seen."),
    ("No consolidation.", "The lungs are free of consolidation."),
]


@each_of(("findings", "sentence"), TRUE)
def test_what_is_not_denied_may_be_said(findings: str, sentence: str) -> None:
    assert not says_seen(sentence, denied([findings]))


def test_one_kind_that_is_denied_may_not_be_stated() -> None:
    assert says_seen("There is a large pneumothorax.", denied(["No large pneumothorax."]))


def test_only_images_deny() -> None:
    """A label that says "no interaction" denies no finding."""
    assert check("Rib fractures heal.", Evidence.of(user=("No rib fracture",))).dropped is None
