"""Whose chart is shown, and for whom an entry is prepared, in random dialogues about patients who are alike.

`DOCGEMMA_DIALOGUES=10000` runs more of them. A failure names its seed and tells the whole dialogue.
"""

from __future__ import annotations

import os
import random
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from docgemma.agent.record import TurnRecord
from docgemma.clinical import Option, Patient, ToolResult
from docgemma.tools.registry import TOOLS
from docgemma.tools.scripted import ScriptedTools
from tests.support import results as r
from tests.support.charts import clinic
from tests.support.namesakes import BY_ID, EVERYBODY, numbered, put_namesakes, shown_in
from tests.support.speech import NOBODY, Said, Speech
from tests.support.turns import Stage

RUNS = int(os.environ.get("DOCGEMMA_DIALOGUES", "150"))
WRITES = frozenset(tool.name for tool in TOOLS if tool.writes)
PINNABLE = [person.id for person in EVERYBODY if len(numbered(person.id)) == 1]
MARIA, OTHER_MARIA, JOHN, NILS, GRETA = "def-456", "ghi-789", "abc-123", "5550001", "gho-402"


def proposing() -> ScriptedTools:
    """Entries are proposed, whatever is asked for: what counts is for whom."""

    def propose(args: dict[str, Any]) -> ToolResult:
        return r.proposal("an entry")

    return ScriptedTools(dict.fromkeys(WRITES, propose))


@dataclass
class Tab:
    """One session and what its user has said so far: who may be seen, and who may be written for."""

    first_patient: str | None = None
    session_id: str = ""
    pinned: str | None = None
    spoken_of: str | None = None
    by_number: frozenset[str] = NOBODY
    ordered_for: frozenset[str] = NOBODY
    options: tuple[Option, ...] = ()
    told: list[str] = field(default_factory=list)
    seen: Counter[str] = field(default_factory=Counter)
    answers: list[tuple[Any, ...]] = field(default_factory=list)

    def may_show(self, said: Said) -> set[str]:
        """Whose chart this message may be answered from."""
        chosen = {said.picked} if said.picked and self.options else set()
        if self.pinned is not None:
            still = said.exact is None or self.pinned in said.fits
            return chosen | ({self.pinned} if still else set())
        if said.exact is None:
            return chosen or ({self.spoken_of} if self.spoken_of else set())
        return chosen | ({said.meant} if said.meant else set())

    def may_write(self, said: Said) -> set[str]:
        """For whom an entry may be prepared: typed, picked or pinned, and never only found by name."""
        chosen = {said.picked} if said.picked and self.options else set()
        if said.typed:
            return chosen | set(said.exact or ())
        if self.pinned is not None and (said.exact is None or self.pinned in said.fits):
            return chosen | {self.pinned} | set(self.ordered_for)
        if said.exact is not None:
            return chosen
        return chosen | set(self.by_number) | set(self.ordered_for)

    def heard(self, said: Said, record: TurnRecord, pin: Patient | None) -> None:
        """What is known after the turn."""
        question = record.clarification
        self.ordered_for = NOBODY
        if question is not None and question.pending is not None and question.pending.tool in WRITES:
            self.ordered_for = frozenset(self.may_write(said))
        self.pinned = pin.id if pin else None
        self.options = tuple(option for option in question.options if "patient_id" in option.facts) if question else ()
        if said.exact is not None:
            self.spoken_of = said.meant
            self.by_number = said.exact if said.typed else NOBODY
        if said.picked and self.pinned == said.picked:
            self.spoken_of = said.picked


async def turn(on: Stage, tab: Tab, said: Said) -> None:
    """Say it, and hold the record against what this session's user has said."""
    writes = on.tools.calls
    before = len(writes)
    show, write, was_pinned = tab.may_show(said), tab.may_write(said), tab.pinned
    given = {"session_id": tab.session_id} if tab.session_id else {"patient_id": tab.first_patient}
    if not tab.session_id and tab.first_patient:
        tab.pinned = was_pinned = tab.first_patient
        show, write = tab.may_show(said), tab.may_write(said)
    record = await on.ask(said.text, **given)
    tab.session_id = record.session_id
    pin = (await on.store.get_session(record.session_id)).patient
    tab.told.append(f"{said.text!r} -> {record.outcome}: {record.response[:160]!r}")
    shown = shown_in(record.model_dump_json())
    assert shown <= show, f"shown {shown}, allowed {show}"
    for _, args in writes[before:]:
        assert numbered(args["patient_id"]), f"an entry for {args['patient_id']}, who is nobody"
        assert numbered(args["patient_id"]) & write, f"an entry for {args['patient_id']}, allowed {write}"
    assert (pin.id if pin else None) in {was_pinned, said.picked if tab.options else was_pinned}
    for person in (record.patient, pin):
        if person is not None and person.banner:
            assert is_banner_of(person.id, person.banner), f"{person.id} under the banner {person.banner!r}"
    tab.seen.update(
        turns=1, charts=bool(shown), entries=len(writes) - before, picks=bool(pin and pin.id != was_pinned),
        questions=record.clarification is not None,
    )  # fmt: skip
    tab.answers.append(essence(record))
    tab.heard(said, record, pin)


def is_banner_of(id_: str, banner: str) -> bool:
    person = BY_ID[id_]
    return f"born {person.born}" in banner and f"MRN …{person.mrn[-4:]}" in banner


def essence(record: TurnRecord) -> tuple[Any, ...]:
    """What a turn came to, without what differs from run to run."""
    calls = tuple((call.tool, tuple(sorted(call.args.items())), call.status) for call in record.tool_calls)
    return record.outcome, record.response, record.patient, record.clarification, calls


async def hold(on: Stage, seed: int, tabs: tuple[Tab, ...]) -> list[tuple[int, Said]]:
    """A random dialogue over these sessions, in turns drawn at random. What was said where."""
    draw = random.Random(seed)
    speech = Speech(draw)
    script: list[tuple[int, Said]] = []
    for _ in range(draw.randint(2, 6) * len(tabs)):
        at = draw.randrange(len(tabs))
        said = speech.next(tabs[at].options)
        script.append((at, said))
        await turn(on, tabs[at], said)
    return script


def opened(seed: int) -> Tab:
    """Every third session starts with a patient on screen."""
    draw = random.Random(f"first {seed}")
    return Tab(first_patient=draw.choice(PINNABLE) if draw.random() < 1 / 3 else None)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    put_namesakes(tmp_path)
    return tmp_path


async def test_only_who_was_named_exactly_picked_or_pinned_is_shown_or_written_for(home: Path) -> None:
    seen: Counter[str] = Counter()
    async with clinic(home, writes=proposing()) as on:
        for seed in range(RUNS):
            tab = opened(seed)
            try:
                await hold(on, seed, (tab,))
            except AssertionError as failure:
                pytest.fail("\n".join([f"seed {seed}: {failure}", f"pinned at first: {tab.first_patient}", *tab.told]))
            seen += tab.seen
    assert min(seen["charts"], seen["questions"]) > seen["turns"] / 8, seen
    assert min(seen["entries"], seen["picks"]) > seen["turns"] / 30, seen
