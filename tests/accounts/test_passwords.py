"""What is accepted as a password, and how it is compared."""

from __future__ import annotations

import unicodedata

import pytest
from argon2 import PasswordHasher
from hypothesis import given, settings
from hypothesis import strategies as st

from docgemma.accounts.passwords import MOST_BYTES, Passwords, acceptable
from docgemma.errors import BadInput
from tests.accounts.support import PASSWORD, cheap_passwords

REFUSED = {
    "short": ("eleven char", "at least 12 characters"),
    "empty": ("", "at least 12 characters"),
    "monotonous": ("aaaaabbbbbccccc", "different characters"),
    "long": ("Ab1é" * 300, "at most 1024 bytes"),
    "its name": ("Maria.Garcia", "name alone"),
    "its name twice": ("maria.garciaMaria.Garcia", "name alone"),
    "composed after decomposing": (unicodedata.normalize("NFD", "éèêëàâ"), "at least 12"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_a_poor_password_is_refused_in_words(case: str) -> None:
    password, why = REFUSED[case]
    with pytest.raises(BadInput, match=why):
        acceptable(password, name="maria.garcia")


@pytest.mark.parametrize("password", ["mật khẩu đủ dài", "correct horse", "x1y2z3x1y2z3", "ab12 " * 204])
def test_others_are_taken(password: str) -> None:
    assert acceptable(password, name="maria")


async def test_only_the_right_one_fits_however_its_letters_were_composed() -> None:
    passwords = cheap_passwords()
    stored = await passwords.hashed("mật khẩu đủ dài")
    assert stored.startswith("$argon2id$")
    assert (await passwords.check(unicodedata.normalize("NFD", "mật khẩu đủ dài"), stored)).right
    for wrong in ("mat khau du dai", "mật khẩu đủ dài ", "", "\ud800", "x" * 5000):
        assert not (await passwords.check(wrong, stored)).right


async def test_a_password_that_is_cut_to_the_limit_does_not_fit() -> None:
    passwords = cheap_passwords()
    longest = ("0123456789abcdef" * 64)[:MOST_BYTES]
    stored = await passwords.hashed(longest)
    assert (await passwords.check(longest, stored)).right
    assert not (await passwords.check(longest + "x", stored)).right


async def test_nobody_signs_in_without_a_stored_hash_and_a_damaged_one_is_no_error() -> None:
    passwords = cheap_passwords()
    for stored in (None, "", "not a hash", "$argon2id$v=19$m=8,t=1,p=1$AAAA"):
        assert not (await passwords.check(PASSWORD, stored)).right


async def test_a_hash_of_other_parameters_is_made_anew() -> None:
    before, now = cheap_passwords(), cheap_passwords(time_cost=2)
    stored = await before.hashed(PASSWORD)
    assert (await before.check(PASSWORD, stored)).renewed is None
    renewed = (await now.check(PASSWORD, stored)).renewed
    assert renewed is not None and "t=2" in renewed
    assert (await now.check(PASSWORD, renewed)).renewed is None
    assert (await now.check("not the password", stored)).renewed is None


async def test_an_unknown_name_costs_one_hash_like_a_known_one() -> None:
    counted = _Counting()
    passwords = Passwords(counted)
    stored = counted.hash(PASSWORD)
    await passwords.check("warms up", None)
    work = []
    for known in (stored, None):
        counted.verified = counted.hashed = 0
        await passwords.check("a wrong password", known)
        work.append((counted.verified, counted.hashed))
    assert work[0] == work[1] == (1, 0)


class _Counting(PasswordHasher):
    def __init__(self) -> None:
        super().__init__(time_cost=1, memory_cost=8, parallelism=1)
        self.verified = self.hashed = 0

    def hash(self, *args: object, **more: object) -> str:
        self.hashed += 1
        return super().hash(*args, **more)  # type: ignore[arg-type]

    def verify(self, *args: object) -> bool:  # type: ignore[override]
        self.verified += 1
        return super().verify(*args)  # type: ignore[arg-type]


def test_real_parameters_are_those_of_the_standard() -> None:
    """RFC 9106, second recommended option: cheap ones are for tests alone."""
    hasher = Passwords()._hasher
    assert (hasher.memory_cost, hasher.time_cost, hasher.type.name) == (65536, 3, "ID")


@settings(max_examples=60, deadline=None, derandomize=True)
@given(st.text(max_size=40))
def test_every_text_is_taken_or_refused_in_words(text: str) -> None:
    try:
        assert len(acceptable(text)) <= MOST_BYTES
    except BadInput as error:
        assert str(error).startswith("A password has at ")
