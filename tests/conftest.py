"""What holds for every test."""

from __future__ import annotations

import logging
import signal
from collections.abc import Iterator

import pytest

from tests.support.fhir_peer import fhir_peer, fhir_peers
from tests.support.order import longest_first
from tests.support.postgres import postgres_database, postgres_schema, postgres_server, postgres_url

__all__ = ["fhir_peer", "fhir_peers", "postgres_database", "postgres_schema", "postgres_server", "postgres_url"]
"""Here and nowhere else: every folder that brought them in for itself would get servers of its own."""


@pytest.fixture(autouse=True, scope="session")
def hears_ctrl_c() -> None:
    """Let the programs that tests start be interrupted.

    A shell starts its background jobs deaf to Ctrl-C, and deafness is inherited: without this, tests that press
    Ctrl-C would fail under `make test &` or a CI that starts jobs that way.
    """
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(autouse=True)
def _own_log_as_it_was() -> Iterator[None]:
    """A command that runs in this process sets its log up for good. What a later test reads of it would be empty."""
    own = logging.getLogger("docgemma")
    handlers, level, propagate = own.handlers[:], own.level, own.propagate
    yield
    own.handlers[:], own.propagate = handlers, propagate
    own.setLevel(level)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Among several workers alone: one process takes as long in any order, and pytest's own spares it servers."""
    if hasattr(config, "workerinput"):
        items[:] = longest_first(items)
