"""Any order of imports, half imports, withdrawals and waiting, against a dictionary."""

from __future__ import annotations

import asyncio
import shutil
import tempfile
from pathlib import Path

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from docgemma.errors import BadInput, Conflict, UnknownId
from docgemma.knowledge.entry import Entry
from docgemma.knowledge.library.library import Imported, Library, open_library
from tests.knowledge.library.entries import current, entry

IDS = ["a", "b", "c", "d", "e"]
TEXTS = st.fixed_dictionaries(
    {
        "answer": st.sampled_from(["One.", "Two."]),
        "role": st.sampled_from(["nurse", "patient_dental"]),
        "topic": st.sampled_from(["Fluids", "Fever"]),
        "demonstration": st.booleans(),
    }
)
FILES = st.dictionaries(st.sampled_from(IDS), TEXTS, max_size=5)


class LibraryMachine(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp(prefix="docgemma-library-"))
        self.runner = asyncio.Runner()
        self.library: Library = open_library(str(self.folder / "knowledge.sqlite"))
        self.runner.run(self.library.open())
        self.now: dict[str, Entry] = {}
        self.ever: set[str] = set()
        self.generation = 0
        self.open = ""
        self.staged: dict[str, Entry] = {}
        self.kept_out: set[str] = set()
        self.dead: list[str] = []

    def teardown(self) -> None:
        self.runner.run(self.library.close())
        self.runner.close()
        shutil.rmtree(self.folder)

    @rule()
    def begin(self) -> None:
        try:
            begun = self.runner.run(self.library.begin_import(by="lan"))
        except Conflict:
            assert self.open
            return
        assert not self.open
        self.open, self.staged, self.kept_out = begun, {}, set()

    @rule(file=FILES)
    def stage(self, file: dict[str, dict[str, str]]) -> None:
        if not self.open:
            return
        fresh = {id_: entry(id_, **fields) for id_, fields in file.items() if id_ not in self.staged}
        others = {id_ for id_, each in fresh.items() if id_ in self.now and self.now[id_].role != each.role}
        try:
            self.runner.run(self.library.stage(self.open, [*fresh.values(), *self.staged.values()]))
        except BadInput:
            assert others, "only an entry of another role is refused, and with it all that came along"
            return
        assert not others
        self.staged |= {id_: each for id_, each in fresh.items() if id_ not in self.kept_out}

    @rule(missing=st.booleans(), demonstration=st.booleans())
    def finish(self, missing: bool, demonstration: bool) -> None:
        if not self.open:
            return
        done = self.runner.run(
            self.library.finish_import(self.open, withdraw_missing=missing, replace_demonstration=demonstration)
        )
        self.dead.append(self.open)
        self.open = ""
        assert done == self.expected(missing, demonstration)

    def expected(self, missing: bool, demonstration: bool) -> Imported:
        """What the dictionary says of it, and the dictionary afterwards."""
        file, before = self.staged, self.now
        after = before | file
        others = {id_: each for id_, each in after.items() if id_ not in file}
        pairs = {(each.role, each.language) for each in file.values()}
        gone = {id_ for id_, each in others.items() if missing and (each.role, each.language) in pairs}
        shown = {id_ for id_, each in others.items() if demonstration and each.demonstration} - gone
        self.now = {id_: each for id_, each in after.items() if id_ not in gone | shown}
        self.generation += self.now != before
        done = Imported(
            generation=self.generation,
            new=len(file.keys() - self.ever),
            changed=sum(id_ in before and before[id_] != each for id_, each in file.items()),
            unchanged=sum(before.get(id_) == each for id_, each in file.items()),
            brought_back=len((file.keys() & self.ever) - before.keys()),
            kept_out=len(self.kept_out),
            withdrawn=len(gone),
            demonstration=len(shown),
        )
        self.ever |= file.keys()
        return done

    @rule()
    def die(self) -> None:
        """What is left of an import that ends in the middle; the claim of a dead process is free."""
        if self.open:
            self.runner.run(self.library.abandon_import(self.open))
            self.dead.append(self.open)
            self.open = ""

    @rule(number=st.integers(0, 50))
    def come_back_late(self, number: int) -> None:
        if self.dead:
            late = self.dead[number % len(self.dead)]
            try:
                self.runner.run(self.library.stage(late, [entry("a", "Late.")]))
            except Conflict:
                return
            raise AssertionError("an import that is over went on")

    @rule(id_=st.sampled_from(IDS))
    def withdraw(self, id_: str) -> None:
        try:
            self.runner.run(self.library.withdraw(id_, by="lan", reason="wrong"))
        except UnknownId:
            assert id_ not in self.now
            return
        del self.now[id_]
        self.generation += 1
        if self.open:
            self.kept_out.add(id_)
            self.staged.pop(id_, None)

    @invariant()
    def the_library_shows_what_the_dictionary_says(self) -> None:
        run = self.runner.run
        assert run(self.library.entries(IDS)) == self.now
        assert run(current(self.library)) == {id_: self.now[id_].answer for id_ in sorted(self.now)}
        assert run(self.library.generation()) == self.generation
        for role in ("nurse", "patient_dental"):
            tree = run(self.library.topics(role, "en"))
            own = [each.topic for each in self.now.values() if each.role == role]
            assert {topic.name: topic.entries for topic in tree} == {name: own.count(name) for name in own}
        for id_ in self.ever:
            rows = run(self.library.history(id_))
            assert [row.version for row in rows] == list(range(1, len(rows) + 1))
            assert [row.state for row in rows].count("current") == (id_ in self.now)


LibraryMachine.TestCase.settings = settings(max_examples=40, stateful_step_count=30, deadline=None)
TestLibrary = LibraryMachine.TestCase
