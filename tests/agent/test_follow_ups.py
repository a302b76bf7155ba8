"""Short messages that continue the question before them."""

from __future__ import annotations

import pytest

from docgemma.agent.requests.patterns import follow_up, repeats_no_order
from docgemma.entities import extract

_PAIR = "Does warfarin interact with ibuprofen?"


def _full(message: str, *earlier: str) -> str | None:
    return follow_up(message, extract(message), earlier)


@pytest.mark.parametrize(
    ("earlier", "message", "full"),
    [
        ([_PAIR], "and with amlodipine?", "Does warfarin interact with amlodipine?"),
        ([_PAIR, "thanks"], "what about hydralazine?", "Does warfarin interact with hydralazine?"),
        ([_PAIR, "and with amlodipine?"], "what about hydralazine?", "Does warfarin interact with hydralazine?"),
        ([_PAIR], "what about warfarin and amlodipine?", "Does warfarin interact with amlodipine?"),
        ([_PAIR], "and ASA?", "Does warfarin interact with ASA?"),
        (["Can she take ibuprofen with warfarin?"], "or apixaban?", "Can she take ibuprofen with apixaban?"),
        (
            ["Check interactions between warfarin, aspirin and ibuprofen"],
            "and with amlodipine?",
            "Check interactions between warfarin, aspirin and ibuprofen and amlodipine",
        ),
        (["Is ibuprofen safe in CKD?"], "what about naproxen?", "Is naproxen safe in CKD?"),
        (["Boxed warnings for warfarin and digoxin?"], "and lithium?", "Boxed warnings for lithium?"),
        (["Check FDA warnings for dofetilide"], "is it safe in pregnancy?", "is dofetilide safe in pregnancy?"),
        ([_PAIR], "are they safe in pregnancy?", "are warfarin and ibuprofen safe in pregnancy?"),
        (["haloperidol warnings?", "and ondansetron"], "are those two ok?", "are haloperidol and ondansetron ok?"),
        (["digoxin warnings", "verapamil warnings"], "do the two interact", "do digoxin and verapamil interact"),
        (["find trials for gout", "ondansetron warnings"], "is it ok in CKD?", "is ondansetron ok in CKD?"),
        (["Tell me about warfarin"], "does it have a boxed warning?", "does warfarin have a boxed warning?"),
    ],
)
def test_a_short_message_is_said_in_full(earlier: list[str], message: str, full: str) -> None:
    assert _full(message, *earlier) == full


@pytest.mark.parametrize(
    ("earlier", "message"),
    [
        ([], "and with amlodipine?"),
        ([_PAIR], "what is amlodipine?"),
        ([_PAIR], "Is amlodipine safe in pregnancy?"),
        ([_PAIR], "what about her potassium?"),
        ([_PAIR], "what about warfarin?"),
        ([_PAIR], "is it safe to drive?"),
        ([_PAIR], "is it safe to give aspirin with digoxin?"),
        ([_PAIR], "and prescribe amlodipine 5 mg daily for abc-123"),
        ([_PAIR], "and stop amlodipine"),
        ([_PAIR], "and for abc-123 amlodipine?"),
        ([_PAIR, "What is gout?"], "and with amlodipine?"),
        (["Prescribe warfarin 5 mg daily for abc-123"], "what about aspirin?"),
        (["Tell me about warfarin"], "what about aspirin?"),
    ],
)
def test_a_message_that_stands_for_itself_is_left_alone(earlier: list[str], message: str) -> None:
    assert _full(message, *earlier) is None


@pytest.mark.parametrize(
    ("earlier", "message", "nothing"),
    [
        (["find trials for ALS"], "same again for abc-123", True),
        ([], "same again for abc-123", True),
        (["find trials for ALS"], "same order for abc-123", False),
        (["Prescribe losartan 50 mg daily for abc-124"], "same again for abc-123", False),
        (["Is ibuprofen safe in CKD?", "thanks"], "same again for abc-123", False),
        (["find trials for ALS"], "prescribe losartan 50 mg daily for abc-123", False),
    ],
)
def test_same_again_repeats_an_order_only_where_one_or_a_drug_was_spoken_of(
    earlier: list[str], message: str, nothing: bool
) -> None:
    assert repeats_no_order(message, extract(message), earlier) is nothing
