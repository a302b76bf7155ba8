"""What each role may do."""

from __future__ import annotations

import pytest

from docgemma.accounts.model import ALLOWED, CAPABILITIES, ROLES, Identity, TooManyTries

TABLE = {
    "prescriber": ("ask decide consult review", True),
    "clinician": ("ask decide consult review", False),
    "reviewer": ("review consult", False),
    "patient": ("consult", False),
    "admin": ("users consult", False),
}


def test_every_role_can_exactly_what_the_table_says() -> None:
    for role in ROLES:
        who = Identity(name="n", role=role, via="login", login_id="x")
        can, prescribes = TABLE[role]
        assert {each for each in CAPABILITIES if who.can(each)} == set(can.split()), role
        assert who.may_prescribe is prescribes, role
    assert set(ALLOWED) == set(ROLES) == set(TABLE)


@pytest.mark.parametrize("prescriber", [True, False])
def test_the_person_at_this_machine_can_all_but_accounts_and_prescribes_by_setting(prescriber: bool) -> None:
    who = Identity.at_this_machine("nina", prescriber=prescriber)
    assert [each for each in CAPABILITIES if not who.can(each)] == ["users"]
    assert who.may_prescribe is prescriber


def test_an_account_never_prescribes_by_the_setting_for_this_machine() -> None:
    assert not Identity(name="c", role="clinician", via="login", login_id="x", prescriber=True).may_prescribe


@pytest.mark.parametrize(("wait", "said"), [(1, "1 seconds"), (119, "119 seconds"), (121, "3 minutes")])
def test_the_wait_is_told_in_words(wait: int, said: str) -> None:
    assert said in str(TooManyTries(wait))
