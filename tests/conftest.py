"""What holds for every test."""

from __future__ import annotations

import signal

import pytest


@pytest.fixture(autouse=True, scope="session")
def hears_ctrl_c() -> None:
    """Let the programs that tests start be interrupted.

    A shell starts its background jobs deaf to Ctrl-C, and deafness is inherited: without this, tests that press
    Ctrl-C would fail under `make test &` or a CI that starts jobs that way.
    """
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
