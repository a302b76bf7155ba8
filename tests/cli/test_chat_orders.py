"""What may be typed behind /approve and /reject."""

from __future__ import annotations

import pytest

from docgemma.cli.chat_orders import parse_approval, parse_reason
from docgemma.errors import BadInput

ID = "k3v9tq2m8x"


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("", ("", "", False)),
        (ID, (ID, "", False)),
        (ID.upper(), (ID, "", False)),
        ("--acknowledge", ("", "", True)),
        (f"--acknowledge {ID}", (ID, "", True)),
        ("override: tolerated before", ("", "tolerated before", False)),
        (f"{ID} override: tolerated: twice", (ID, "tolerated: twice", False)),
        (f"{ID} --override tolerated before", (ID, "tolerated before", False)),
        (f'{ID} --override "tolerated before" --acknowledge', (ID, "tolerated before", True)),
        (f"{ID} --acknowledge Override : tolerated", (ID, "tolerated", True)),
        (f"{ID} --override=tolerated", (ID, "tolerated", False)),
    ],
)
def test_what_an_approval_gives(typed: str, meant: tuple[str, str, bool]) -> None:
    assert parse_approval(typed) == meant


@pytest.mark.parametrize(
    "typed", ["yes", "it please", f"{ID} please", f"{ID} {ID}", "k3v9", "override:", f"{ID} --override", "--force"]
)
def test_words_that_would_be_lost_are_refused(typed: str) -> None:
    with pytest.raises(BadInput, match="/approve"):
        parse_approval(typed)


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("", ("", "")),
        (ID, (ID, "")),
        (f"{ID} wrong dose", (ID, "wrong dose")),
        (f'{ID.upper()} "wrong dose"', (ID, "wrong dose")),
        ("wrong dose", ("", "wrong dose")),
    ],
)
def test_a_rejection_may_name_the_order_and_a_reason(typed: str, meant: tuple[str, str]) -> None:
    assert parse_reason(typed) == meant
