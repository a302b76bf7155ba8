"""Any order of proposing, deciding, claiming, settling, undoing and waiting, against a model of a few lines."""

from __future__ import annotations

import asyncio
import shutil
import tempfile
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import get_args

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from docgemma.audit.log import AuditLog
from docgemma.clinical import Purpose, acting
from docgemma.orders.ledger.ledger import HoldLost, Ledger
from docgemma.orders.model import UNFINISHED, Decision, State
from docgemma.store.sessions import open_store
from tests.orders.ledger.cards import card, receipt

START = datetime(2026, 1, 1, tzinfo=UTC)
HOLD = 10
CARDS = st.integers(0, 2)
HOLDERS = st.sampled_from(["far-a", "far-b"])
STATES: tuple[State, ...] = get_args(State)

MAY_FOLLOW: dict[State, set[State]] = {
    "proposed": {"approved", "rejected", "expired", "withdrawn"},
    "approved": {"writing"},
    "writing": {"approved", "unknown", "written", "differs", "refused"},
    "unknown": {"writing"},
    "written": {"undoing"},
    "differs": {"undoing"},
    "undoing": {"undone", "written", "differs"},
    "refused": set(),
    "rejected": set(),
    "expired": set(),
    "withdrawn": set(),
    "undone": set(),
}


@dataclass
class Known:
    """What the model remembers of one order."""

    state: State = "proposed"
    holder: str = ""
    until: int = 0
    who: str = ""
    noted: bool = True


class LedgerMachine(RuleBasedStateMachine):
    """Holders here are of another machine, so that only time frees a hold."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp(prefix="docgemma-ledger-"))
        self.runner = asyncio.Runner()
        self.seconds = 0
        self.store = open_store(str(self.folder / "store.db"))
        self.runner.run(self.store.open())
        self.log = AuditLog(self.store.database)
        self.ledger = Ledger(self.store.database, self.log, clock=lambda: START + timedelta(seconds=self.seconds))
        self.acting = acting(Purpose(who="dr.lee", why="turn"))
        self.acting.__enter__()
        self.ids: list[str] = []
        self.known: list[Known] = []
        self.before: list[State] = []
        self.steps = 0

    def teardown(self) -> None:
        assert self.runner.run(self.log.verify()).rows == self.steps
        self.acting.__exit__(None, None, None)
        self.runner.run(self.store.close())
        self.runner.close()
        shutil.rmtree(self.folder)

    @initialize()
    def propose(self) -> None:
        for number in range(3):
            self.ids.append(self.runner.run(self.ledger.propose(card(number))).id)
            self.known.append(Known())
            self.before.append("proposed")
            self.steps += 1

    @rule(number=CARDS)
    def propose_again(self, number: int) -> None:
        assert self.runner.run(self.ledger.propose(card(number))).state == self.known[number].state

    @rule(number=CARDS, to=st.sampled_from(["approved", "approved", "rejected", "expired", "withdrawn"]))
    def decide(self, number: int, to: State) -> None:
        known, who = self.known[number], f"u{self.steps}"
        row, made = self.runner.run(self.ledger.decide(self.ids[number], to, Decision(who=who)))  # type: ignore[arg-type]
        assert made is (known.state == "proposed")
        if made:
            known.state, known.who, self.steps = to, who, self.steps + 1
        assert row.state == known.state

    @rule(number=CARDS, holder=HOLDERS)
    def claim(self, number: int, holder: str) -> None:
        known = self.known[number]
        free = known.state in UNFINISHED and (not known.holder or known.until <= self.seconds)
        row = self.runner.run(self.ledger.claim(self.ids[number], holder, HOLD))
        assert (row is not None) is free
        if free:
            known.state = "undoing" if known.state == "undoing" else "writing"
            known.holder, known.until, self.steps = holder, self.seconds + HOLD, self.steps + 1

    @rule(number=CARDS, holder=HOLDERS, to=st.sampled_from(STATES), told=st.booleans())
    def settle(self, number: int, holder: str, to: State, told: bool) -> None:
        known = self.known[number]
        allowed = to in MAY_FOLLOW[known.state] or known.state == to == "undoing"
        row = self.runner.run(self.ledger.get(self.ids[number]))
        given = receipt(row, to, f"{self.steps}") if told else None
        try:
            self.runner.run(self.ledger.settle(self.ids[number], holder, to, receipt=given))
        except HoldLost:
            assert known.holder != holder
        except ValueError:
            assert known.holder == holder
            assert not allowed
        else:
            assert known.holder == holder
            assert allowed
            known.state, known.holder, self.steps = to, "", self.steps + 1
            known.noted = known.noted and not told

    @rule(number=CARDS)
    def undo(self, number: int) -> None:
        known = self.known[number]
        _, made = self.runner.run(self.ledger.begin_undo(self.ids[number], Decision(who="undoer")))
        assert made is (known.state in ("written", "differs"))
        if made:
            known.state, known.noted, self.steps = "undoing", True, self.steps + 1

    @rule(number=CARDS)
    def noted(self, number: int) -> None:
        self.runner.run(self.ledger.noted(self.ids[number]))
        self.known[number].noted = True

    @rule(seconds=st.integers(1, 12))
    def wait(self, seconds: int) -> None:
        self.seconds += seconds

    @invariant()
    def the_ledger_shows_what_the_model_knows(self) -> None:
        rows = {row.id: row for row in self.runner.run(self.ledger.listed())}
        for number, (id_, known) in enumerate(zip(self.ids, self.known, strict=True)):
            row = rows[id_]
            assert (row.state, row.holder) == (known.state, known.holder)
            approval = row.decision if row.state not in ("undoing", "undone") else row.approval
            assert (approval.who if approval else "") == known.who
            before, self.before[number] = self.before[number], row.state
            assert row.state == before or row.state in MAY_FOLLOW[before]
        free = [
            id_
            for id_, known in zip(self.ids, self.known, strict=True)
            if known.state in UNFINISHED and (not known.holder or known.until <= self.seconds)
        ]
        assert [row.id for row in self.runner.run(self.ledger.unfinished())] == free
        waiting = [id_ for id_, known in zip(self.ids, self.known, strict=True) if not known.noted]
        assert [row.id for row in self.runner.run(self.ledger.unnoted())] == waiting


LedgerMachine.TestCase.settings = settings(max_examples=25, stateful_step_count=30, deadline=None)
TestLedger = LedgerMachine.TestCase
