"""Accounts that cost nothing to make: the same argon2, with the least it accepts."""

from __future__ import annotations

from argon2 import PasswordHasher

from docgemma.accounts.passwords import Passwords
from docgemma.accounts.users import Accounts
from docgemma.store.database import Database
from docgemma.store.sessions import Clock, utc_now

PASSWORD = "correct horse battery"
OTHER = "another long passphrase"


def cheap_passwords(time_cost: int = 1) -> Passwords:
    return Passwords(PasswordHasher(time_cost=time_cost, memory_cost=8, parallelism=1))


def cheap_accounts(database: Database, clock: Clock = utc_now) -> Accounts:
    return Accounts(database, clock, cheap_passwords())
