"""How often a public service may be asked, and when one that keeps failing is left alone.

Who asks too often is shut out, and with them everybody at the clinic.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Literal

from docgemma.fetch.door import FetchError

Pass = Literal["normal", "probe"]
"""With which right a request was sent. A probe is the one request that finds out whether a service is back."""

Ending = Literal["answered", "failed", "unknown"]
"""What a request tells of the service. One that was given up for reasons of our own tells nothing."""

_FAILURES = 3
_REST_S = 30.0


class Breaker:
    """One service. Every time is the caller's `now`: what happens depends on no clock but that."""

    def __init__(self, *, failures: int = _FAILURES, rest_s: float = _REST_S) -> None:
        self._most = failures
        self._rest_s = rest_s
        self._in_a_row = 0
        self._rests_until: float | None = None
        self._probing = False

    def resting(self, now: float) -> bool:
        """Whether nothing may be sent at this moment."""
        return self._rests_until is not None and (self._probing or now < self._rests_until)

    def admit(self, now: float) -> Pass | None:
        """The right to send one request, to be given back with `ended`; None while the service rests."""
        if self.resting(now):
            return None
        if self._rests_until is None:
            return "normal"
        self._probing = True
        return "probe"

    def ended(self, held: Pass, ending: Ending, now: float) -> bool:
        """Tell how the request went. True when the service is left alone from now on."""
        if held == "probe":
            self._probing = False
        if ending == "answered":
            self._in_a_row = 0
            self._rests_until = None
        elif ending == "failed":
            self._in_a_row += 1
            # What was sent before the rest began and fails during it does not make the rest longer.
            if held == "probe" or (self._rests_until is None and self._in_a_row >= self._most):
                self._rests_until = now + self._rest_s
                return True
        return False


_LONGEST_HOLD_S = 24 * 3600.0
"""The longest that services count requests for is a day; whoever says more made a mistake."""


class NoSlot(FetchError):
    """We have asked this host enough for now: nothing was sent, and asking for a slot again in this time is no use."""

    def __init__(self) -> None:
        super().__init__("busy")


@dataclass(frozen=True, slots=True)
class Manners:
    """What one host is asked for at most: so many requests a minute, a few of them in one go."""

    per_minute: float
    burst: int = 20
    at_once: int = 4

    def __post_init__(self) -> None:
        if self.per_minute <= 0 or self.burst < 1 or self.at_once < 1:
            raise ValueError("Manners must let at least one request through.")


DEFAULT = Manners(per_minute=240)
PUBLIC_SERVICES: Mapping[str, Manners] = {
    "api.fda.gov": Manners(per_minute=220),
    "dailymed.nlm.nih.gov": Manners(per_minute=120, burst=10),
    "rxnav.nlm.nih.gov": Manners(per_minute=600, burst=10),
    "www.ebi.ac.uk": Manners(per_minute=120, burst=10),
    "eutils.ncbi.nlm.nih.gov": Manners(per_minute=110, burst=1, at_once=2),
    "clinicaltrials.gov": Manners(per_minute=60, burst=5, at_once=2),
}
"""Somewhat below what the services allow: other programs at the same address ask them too."""


class Pace:
    """The queue in front of one host. First come, first served; who leaves it takes nothing along."""

    def __init__(self, manners: Manners) -> None:
        self._per_second = manners.per_minute / 60
        self._burst = manners.burst
        self._slots = float(manners.burst)
        self._counted_at: float | None = None
        self._held_until = 0.0
        self._waiting = 0
        self._turn = asyncio.Lock()

    @property
    def held_until(self) -> float:
        """Before this time the host wants to hear nothing."""
        return self._held_until

    def hold(self, until: float) -> None:
        """The host asked to be left alone. An earlier, longer wish stands."""
        self._held_until = max(self._held_until, until)

    async def slot(self, ends_at: float) -> None:
        """Returns when one request may be sent. Raises NoSlot as soon as it is clear that this is after `ends_at`."""
        if self._comes_at(self._waiting) >= ends_at:
            raise NoSlot
        self._waiting += 1
        try:
            async with asyncio.timeout_at(ends_at), self._turn:
                await self._sleep_until_free(ends_at)
                self._slots -= 1
        except TimeoutError:
            raise NoSlot from None
        finally:
            self._waiting -= 1

    async def _sleep_until_free(self, ends_at: float) -> None:
        """Looks again after every sleep: in the meantime the host may have asked to be left alone."""
        while True:
            wait_s = self._wait_s(_now(), 0)
            if wait_s <= 0:
                return
            if _now() + wait_s >= ends_at:
                raise NoSlot
            await asyncio.sleep(wait_s)

    def _comes_at(self, ahead: int) -> float:
        """When there is a slot; at no time that could be too late when there is one now."""
        now = _now()
        wait_s = self._wait_s(now, ahead)
        return now + wait_s if wait_s > 0 else -math.inf

    def _wait_s(self, now: float, ahead: int) -> float:
        """How long until there is a slot for one that has so many before it."""
        self._count(now)
        held_s = max(0.0, self._held_until - now)
        slots_then = min(self._burst, self._slots + held_s * self._per_second)
        missing = ahead + 1 - slots_then
        # A slot that is there but for rounding is there: else the sleep could be too short to move the clock.
        return held_s + (missing / self._per_second if missing > 1e-6 else 0.0)

    def _count(self, now: float) -> None:
        if self._counted_at is not None:
            self._slots = min(self._burst, self._slots + (now - self._counted_at) * self._per_second)
        self._counted_at = now


def retry_after_s(headers: Mapping[str, str]) -> float | None:
    """How long a server asks to be left alone, in seconds or as a date; None when it does not say."""
    said = headers.get("retry-after", "").strip()
    if said.isascii() and said.isdecimal():
        return min(float(said[:12]), _LONGEST_HOLD_S)
    until = _date(said)
    if until is None:
        return None
    # The server's own clock where it is known: this machine's may be wrong.
    now = _date(headers.get("date", "")) or datetime.now(UTC)
    return min(max((until - now).total_seconds(), 0.0), _LONGEST_HOLD_S)


def _date(said: str) -> datetime | None:
    try:
        date = parsedate_to_datetime(said)
    except (ValueError, IndexError, TypeError, OverflowError):
        return None
    return date if date.tzinfo is not None else date.replace(tzinfo=UTC)


def _now() -> float:
    return asyncio.get_running_loop().time()
