"""Leaving a service alone that keeps failing: the clinician gets the second best answer at once, the service a rest."""

from __future__ import annotations

from typing import Literal

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
