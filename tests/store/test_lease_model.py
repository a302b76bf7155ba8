"""Any order of begin, finish, renew, interrupt and waiting, against a model of a few lines."""

from __future__ import annotations

import asyncio
import shutil
import tempfile
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from docgemma.errors import Conflict, UnknownId
from docgemma.store.rows import pack, unpack
from docgemma.store.sessions import open_store

HOLDERS = st.sampled_from(["far-a", "far-b", "far-c"])
TURNS = st.sampled_from([f"t{number}" for number in range(5)])
LEASE = 10
START = datetime(2026, 1, 1, tzinfo=UTC)


@dataclass
class Known:
    """What the model remembers of one turn."""

    status: str
    holder: str
    record: dict[str, int] | None = None


class LeaseMachine(RuleBasedStateMachine):
    """Holders here are of another machine, so that only time frees a lease."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp(prefix="docgemma-lease-"))
        self.runner = asyncio.Runner()
        self.seconds = 0
        self.store = open_store(str(self.folder / "store.db"), clock=lambda: START + timedelta(seconds=self.seconds))
        self.runner.run(self.store.open())
        self.session = self.runner.run(self.store.create_session("a")).id
        self.turns: dict[str, Known] = {}  # in the order in which they were begun
        self.lease: tuple[str, str, int] | None = None  # holder, turn, until
        self.count = 0

    def teardown(self) -> None:
        self.runner.run(self.store.close())
        self.runner.close()
        shutil.rmtree(self.folder)

    def held(self) -> bool:
        return self.lease is not None and self.lease[2] > self.seconds

    def owns(self, holder: str, turn: str) -> bool:
        return self.lease is not None and self.lease[:2] == (holder, turn)

    @rule(holder=HOLDERS, turn=TURNS)
    def begin(self, holder: str, turn: str) -> None:
        answered = turn in self.turns and self.turns[turn].status in ("done", "failed")
        try:
            begun = self.runner.run(
                self.store.begin_turn(self.session, turn, f"ask {turn}", holder=holder, lease_seconds=LEASE)
            )
        except Conflict:
            assert self.held() or answered
            return
        assert not self.held()
        assert not answered
        finished = [name for name, known in self.turns.items() if known.status in ("done", "failed")]
        assert [each.id for each in begun.history] == finished[-4:]
        for known in self.turns.values():
            known.status = "interrupted" if known.status == "running" else known.status
        self.turns.pop(turn, None)
        self.turns[turn] = Known("running", holder)
        self.lease = (holder, turn, self.seconds + LEASE)

    @rule(holder=HOLDERS, turn=TURNS, failed=st.booleans())
    def finish(self, holder: str, turn: str, failed: bool) -> None:
        self.count += 1
        record, status = {"number": self.count}, "failed" if failed else "done"
        known = self.turns.get(turn)
        repeated = known is not None and known.status in ("done", "failed") and known.holder == holder
        try:
            self.runner.run(
                self.store.finish_turn(
                    self.session, turn, holder=holder, record=record, pending=None, patient=None,
                    status="failed" if failed else "done",
                )
            )  # fmt: skip
        except UnknownId:
            assert known is None
        except Conflict:
            assert not repeated
            assert not self.owns(holder, turn)
        else:
            assert known is not None
            assert repeated or self.owns(holder, turn)
            if not repeated:
                known.status, known.record, self.lease = status, record, None

    @rule(holder=HOLDERS)
    def renew(self, holder: str) -> None:
        mine = self.lease is not None and self.lease[0] == holder
        assert self.runner.run(self.store.renew_lease(self.session, holder, LEASE)) is mine
        if self.lease is not None and mine:
            self.lease = (*self.lease[:2], self.seconds + LEASE)

    @rule(holder=HOLDERS, turn=TURNS)
    def interrupt(self, holder: str, turn: str) -> None:
        mine = self.owns(holder, turn)
        assert self.runner.run(self.store.interrupt_turn(self.session, turn, holder=holder)) is mine
        if mine:
            self.turns[turn].status, self.lease = "interrupted", None

    @rule(seconds=st.integers(1, 12))
    def wait(self, seconds: int) -> None:
        self.seconds += seconds

    @invariant()
    def the_store_shows_what_the_model_knows(self) -> None:
        def shown(known: Known) -> str:
            return "interrupted" if known.status == "running" and not self.held() else known.status

        found = self.runner.run(self.store.turns(self.session))
        assert [(turn.id, turn.status, turn.record) for turn in found] == [
            (name, shown(known), known.record) for name, known in self.turns.items()
        ]
        lost = self.runner.run(self.store.interrupted_turn(self.session))
        newest = next(reversed(self.turns), None)
        expected = newest if newest is not None and shown(self.turns[newest]) == "interrupted" else None
        assert (lost.id if lost else None) == expected


LeaseMachine.TestCase.settings = settings(max_examples=40, stateful_step_count=30, deadline=None)
TestLeases = LeaseMachine.TestCase


@given(st.text(st.characters(exclude_categories=())))
def test_every_string_survives_being_written_down(text: str) -> None:
    packed = pack(text)
    assert packed.isascii()
    assert "\x00" not in packed
    assert unpack(packed) == text
