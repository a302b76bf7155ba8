"""Entries on the real desk, in random dialogues about patients who are alike: the chart holds what was meant, once.

The clinician knows whom and what is meant by each message, and decides about cards without reading them: late, twice,
after a switch, from another tab. `DOCGEMMA_DIALOGUES=10000` runs more of them, `DOCGEMMA_FIRST` says with which seed to
begin. A failure names its seed and tells the whole dialogue.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import random
import sqlite3
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from docgemma.agent.record import TurnRecord
from docgemma.audit.log import AuditLog
from docgemma.config import Settings
from docgemma.ehr.folding import fold_words
from docgemma.errors import BadInput, Conflict, HardStop
from docgemma.orders.ledger.ledger import Ledger
from docgemma.orders.model import Decision, Receipt, Row
from docgemma.orders.resources import ORDER_SYSTEM
from tests.support.charts import clinic
from tests.support.clinician import Clinician, Message
from tests.support.namesakes import BY_ID, EVERYBODY, numbered, put_namesakes
from tests.support.speech import company
from tests.support.turns import Stage
from tests.support.wishes import Wish, in_chart, on_card, read_from

RUNS = int(os.environ.get("DOCGEMMA_DIALOGUES", "30"))
FIRST = int(os.environ.get("DOCGEMMA_FIRST", "0"))
IN_ONE_STORE = 100
"""Dialogues over the same charts: later ones find what earlier ones wrote, and no chart grows without end."""

PINNABLE = [person.id for person in EVERYBODY if len(numbered(person.id)) == 1]
WHO = "dr.test"
FULL = Decision(who=WHO, may_prescribe=True, override="Benefit outweighs the risk.", acknowledged=True)
BARE = Decision(who=WHO, may_prescribe=True)

COUNTED = (
    "dialogues", "turns", "questions", "cards", "changed", "approvals", "written", "repeated", "stopped", "rejected",
    "misread", "conflicts", "moved", "chart changed", "entries", "wrong patient", "entries without a card",
)  # fmt: skip


@dataclass
class Seen:
    """A card that was shown: what was meant by it, and what has been decided about it."""

    id: str
    wish: Wish
    tab: Clinician
    writes_before: int
    state: str = "proposed"
    receipt: Receipt | None = None


@dataclass
class Ward:
    """One store of charts with its desk, and everything that has been asked of it."""

    on: Stage
    ledger: Ledger
    charts: sqlite3.Connection
    cards: dict[str, Seen] = field(default_factory=dict)
    writes: Counter[str] = field(default_factory=Counter)
    count: Counter[str] = field(default_factory=Counter)
    failures: list[str] = field(default_factory=list)
    read_up_to: int = 0

    def written(self) -> list[tuple[str, str]]:
        """Every new version with our identifier, straight from the file: the card's id, and the JSON."""
        rows = self.charts.execute("SELECT seq, kind, body FROM versions WHERE seq > ?", (self.read_up_to,)).fetchall()
        self.read_up_to = max([self.read_up_to, *(seq for seq, _, _ in rows)])
        return [(kind, body) for _, kind, body in rows if ORDER_SYSTEM in body]


async def turn(ward: Ward, tab: Clinician) -> None:
    """Say one thing. A card may only be for what was meant, and for somebody picked, pinned or typed."""
    said = tab.next()
    where = {"session_id": tab.session_id} if tab.session_id else {"patient_id": tab.first_patient}
    record = await ward.on.ask(said.text, **where)
    tab.session_id = record.session_id
    tab.told.append(f"{said.text!r} -> {record.outcome}: {record.response[:160]!r}")
    tab.chosen |= {said.names} if said.names else set()
    card = await check_card(ward, tab, said, record) if record.approval else None
    pin = (await ward.on.store.get_session(record.session_id)).patient
    tab.heard(said, record, pin, card)
    await end_switched(ward, tab)
    ward.count.update(turns=1, questions=record.clarification is not None, cards=card is not None)


async def end_switched(ward: Ward, tab: Clinician) -> None:
    """A card for anybody but the patient on screen may be withdrawn by now. If it is, it stays so."""
    for card in ward.cards.values():
        if card.tab is tab and card.state == "proposed" and tab.on_screen not in (None, card.wish.patient):
            state = (await ward.ledger.get(card.id)).state
            assert state in ("proposed", "withdrawn"), state
            card.state = state


async def check_card(ward: Ward, tab: Clinician, said: Message, record: TurnRecord) -> Wish:
    assert record.approval is not None
    row = await ward.ledger.get(record.approval.id)
    shown = on_card(row.card.draft)
    meant = said.means if isinstance(said.means, Wish) else None
    assert meant is not None, f"a card that nobody asked for: {shown}"
    ward.count["wrong patient"] += shown.patient != meant.patient
    assert shown.patient == meant.patient, f"a card for {shown.patient}, meant was {meant.patient}"
    known = shown.patient in tab.chosen or await named_in_full(ward, record.session_id, shown.patient)
    assert known, f"a card for {shown.patient}, who was not picked, pinned, typed or named in full"
    if shown != meant:  # seen on the card by whoever approves it; how often is a measure of the reader
        ward.count["misread"] += 1
        meant = shown
    assert (row.state, row.card.session_id) == ("proposed", record.session_id)
    old = ward.cards.get(record.approval.replaces)
    if old is not None:
        old.state = "withdrawn" if old.state == "proposed" else old.state
        ward.count["changed"] += 1
    ward.cards[row.id] = Seen(row.id, meant, tab, ward.writes[meant.patient])
    return meant


async def named_in_full(ward: Ward, session_id: str, patient: str) -> bool:
    """A full name that exactly one patient has is as good as a number."""
    name = BY_ID[patient].name
    alone = sum(person.name == name for person in EVERYBODY) == 1
    said = [fold_words(turn.query) for turn in await ward.on.store.turns(session_id)]
    return alone and any(set(fold_words(name)) <= set(words) for words in said)


async def decide(ward: Ward, draw: random.Random, card: Seen) -> None:
    """Approve or reject without looking. What comes of it must be what the card's story allows, and nothing else."""
    how = draw.choices(("approve", "twice", "bare", "reject"), (55, 20, 10, 15))[0]
    pin = (await ward.on.store.get_session(card.tab.session_id)).patient
    moved = pin is not None and pin.confirmed and pin.id != card.wish.patient
    card.tab.told.append(f"[{how} {card.id}, {card.state}, {card.wish.kind} for {card.wish.patient}]")
    if how == "reject":
        await reject(ward, card)
        return
    decision, times = (BARE if how == "bare" else FULL), (2 if how == "twice" else 1)
    calls = [ward.on.sessions.approve(card.id, decision) for _ in range(times)]
    results = await asyncio.gather(*calls, return_exceptions=True)
    kinds = {type(result) for result in results}
    ward.count["approvals"] += 1
    if card.state == "written":
        assert results == [card.receipt] * times, "another receipt for the same card"
        ward.count["repeated"] += 1
    elif card.state != "proposed" or moved:
        assert kinds == {Conflict}, f"approved a card that no longer stands: {results}"
        card.state = "withdrawn" if card.state == "proposed" else card.state
        ward.count.update(conflicts=1, moved=moved)
    elif how == "bare" and kinds <= {HardStop, BadInput}:
        ward.count["stopped"] += 1
    elif kinds == {Conflict}:
        assert ward.writes[card.wish.patient] > card.writes_before, f"the chart had not changed: {results}"
        card.state = "withdrawn"
        ward.count.update(conflicts=1, **{"chart changed": 1})
    else:
        wrote(ward, card, results)


def wrote(ward: Ward, card: Seen, results: Sequence[Receipt | BaseException]) -> None:
    receipt = results[0]
    assert isinstance(receipt, Receipt), f"{receipt!r}"
    assert receipt.status == "written", receipt
    assert all(result == receipt for result in results), f"two receipts: {results}"
    card.state, card.receipt = "written", receipt
    ward.writes[card.wish.patient] += card.wish.kind != "note"
    ward.count["written"] += 1


async def reject(ward: Ward, card: Seen) -> None:
    try:
        receipt = await ward.on.sessions.reject(card.id, Decision(who=WHO, reason="not now"))
    except Conflict:
        assert card.state not in ("proposed", "rejected")
        ward.count["conflicts"] += 1
        return
    assert card.state in ("proposed", "rejected")
    assert receipt.status == "rejected"
    card.state = "rejected"
    ward.count["rejected"] += 1


async def check_ward(ward: Ward, sessions: Sequence[str]) -> None:
    """Charts and ledger against the decisions: one entry for each approved card, as meant, and no other."""
    entries: Counter[str] = Counter()
    for kind, body in ward.written():
        if kind == "Provenance":
            continue
        entry = json.loads(body)
        (mark,) = [one["value"] for one in entry["identifier"] if one["system"] == ORDER_SYSTEM]
        card = ward.cards.get(mark)
        ward.count["entries without a card"] += card is None
        assert card is not None and card.state == "written", f"an entry without an approved card: {body}"
        assert read_from(entry) == in_chart(card.wish), f"in the chart {read_from(entry)}, meant {in_chart(card.wish)}"
        entries[mark] += 1
    ward.count["entries"] += len(entries)
    mine = [card for card in ward.cards.values() if card.tab.session_id in sessions]
    assert entries == Counter(card.id for card in mine if card.state == "written")
    rows: list[Row] = []
    for session in sessions:
        rows += await ward.ledger.listed(session=session, limit=1000)
    assert {row.id: row.state for row in rows} == {card.id: card.state for card in mine}


async def hold(ward: Ward, seed: int) -> None:
    """One dialogue over one or two tabs, with decisions in between and at the end."""
    draw = random.Random(f"orders {seed}")
    people = company(draw)
    tabs = [
        Clinician(draw, people, draw.choice(PINNABLE) if draw.random() < 1 / 3 else None)
        for _ in range(2 if draw.random() < 0.3 else 1)
    ]
    before = set(ward.cards)
    try:
        for _ in range(draw.randint(2, 5) + len(tabs)):
            await turn(ward, draw.choice(tabs))
            mine = [card for id_, card in ward.cards.items() if id_ not in before]
            if mine and draw.random() < 0.35:
                await decide(ward, draw, draw.choice(mine))
        for card in [card for id_, card in ward.cards.items() if id_ not in before]:
            if card.state == "proposed" and draw.random() < 0.5:
                await decide(ward, draw, card)
        await check_ward(ward, [tab.session_id for tab in tabs if tab.session_id])
    except AssertionError as failure:
        told = [line for tab in tabs for line in (f"on screen at first: {tab.first_patient}", *tab.told)]
        ward.written()  # the next dialogue is not asked about these
        ward.failures.append("\n".join([f"seed {seed}: {failure}", *told]))
    ward.count["dialogues"] += 1


@pytest.fixture(scope="module")
def charts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Made before any loop runs; every store begins with a copy."""
    return put_namesakes(tmp_path_factory.mktemp("first"))


async def ward_round(home: Path, seeds: Sequence[int]) -> Ward:
    put_namesakes(home)
    async with clinic(home) as on:
        with contextlib.closing(sqlite3.connect(Settings(home=home).charts_file)) as charts:
            ward = Ward(on, Ledger(on.store.database, AuditLog(on.store.database)), charts)
            ward.written()
            for seed in seeds:
                await hold(ward, seed)
    return ward


async def test_what_was_meant_stands_in_the_chart_once_and_nothing_else(
    charts: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    total: Counter[str] = Counter()
    failures: list[str] = []
    for begin in range(FIRST, FIRST + RUNS, IN_ONE_STORE):
        ward = await ward_round(tmp_path / str(begin), range(begin, min(begin + IN_ONE_STORE, FIRST + RUNS)))
        total += ward.count
        failures += ward.failures
    with capsys.disabled():
        print("\n" + ", ".join(f"{total[what]} {what}" for what in COUNTED))
    assert not failures, f"{len(failures)} dialogues:\n" + "\n\n".join(failures[:20])
    assert total["entries"] == total["written"]
    assert total["misread"] <= total["cards"] / 5, total
    assert min(total["cards"], total["approvals"]) >= total["dialogues"] / 2, total
    assert min(total["written"], total["conflicts"], total["changed"]) > 0, total
