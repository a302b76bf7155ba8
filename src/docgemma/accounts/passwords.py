"""Passwords: what is accepted as one, and argon2id hashes of them, made away from the event loop.

A hash takes 64 MiB and a tenth of a second on purpose, so only two are made at once, however many people sign in.
"""

from __future__ import annotations

import asyncio
import secrets
import unicodedata
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property

from argon2 import PasswordHasher
from argon2.exceptions import Argon2Error, InvalidHashError

from docgemma.errors import BadInput

LEAST_CHARACTERS = 12
MOST_BYTES = 1024
_LEAST_DIFFERENT = 5
_AT_ONCE = 2


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether it was the password, and its hash anew when the stored one was made with other parameters."""

    right: bool
    renewed: str | None = None


class Passwords:
    """`hasher` carries the parameters; tests give cheap ones."""

    def __init__(self, hasher: PasswordHasher | None = None) -> None:
        self._hasher = hasher or PasswordHasher()
        self._threads = ThreadPoolExecutor(max_workers=_AT_ONCE, thread_name_prefix="docgemma-passwords")

    async def hashed(self, password: str, *, name: str = "") -> str:
        """The hash to keep. BadInput says what a password that is refused lacks."""
        data = acceptable(password, name=name)
        return await asyncio.get_running_loop().run_in_executor(self._threads, self._hasher.hash, data)

    async def check(self, password: str, stored: str | None) -> Verdict:
        """Compare. Without a stored hash the work is the same: how long it takes tells nobody which names exist."""
        return await asyncio.get_running_loop().run_in_executor(self._threads, self._check, password, stored)

    def _check(self, password: str, stored: str | None) -> Verdict:
        unmatched = self._unmatched
        data = _encoded(password)
        try:
            self._hasher.verify(stored or unmatched, data[:MOST_BYTES])
        except (Argon2Error, InvalidHashError):
            return Verdict(right=False)
        if stored is None or len(data) > MOST_BYTES:
            return Verdict(right=False)
        return Verdict(right=True, renewed=self._hasher.hash(data) if self._hasher.check_needs_rehash(stored) else None)

    @cached_property
    def _unmatched(self) -> str:
        """A hash that no password fits."""
        return self._hasher.hash(secrets.token_bytes(32))


def acceptable(password: str, *, name: str = "") -> bytes:
    """The bytes to hash. The same characters give the same bytes, whichever keyboard composed them."""
    data = _encoded(password)
    plain = unicodedata.normalize("NFC", password)
    if len(plain) < LEAST_CHARACTERS:
        raise BadInput(f"A password has at least {LEAST_CHARACTERS} characters. A few words in a row are a good one.")
    if len(data) > MOST_BYTES:
        raise BadInput(f"A password has at most {MOST_BYTES} bytes.")
    if len(set(plain)) < _LEAST_DIFFERENT:
        raise BadInput(f"A password has at least {_LEAST_DIFFERENT} different characters.")
    if name and not plain.casefold().replace(name, "").strip():
        raise BadInput("The name alone is no password. A few words in a row are a good one.")
    return data


def _encoded(password: str) -> bytes:
    """Half a character, which a broken program may send, must not be an error that tells anything."""
    return unicodedata.normalize("NFC", password).encode("utf-8", "surrogatepass")
