"""Whose chart is shown, and for whom an entry is prepared, in random dialogues about patients who are alike.

`DOCGEMMA_DIALOGUES=10000` runs more of them. A failure names its seed and tells the whole dialogue.
"""

from __future__ import annotations

import asyncio
import itertools
import os
import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from docgemma.agent.record import TurnRecord
from docgemma.clinical import Option, Patient, ToolResult
from docgemma.ehr.folding import fold_words
from docgemma.tools.registry import TOOLS
from docgemma.tools.scripted import ScriptedTools
from tests.support import results as r
from tests.support.charts import clinic
from tests.support.hospital import converse
from tests.support.namesakes import BY_ID, EVERYBODY, numbered, put_namesakes, shown_in
from tests.support.speech import ABOUT_SOMEBODY, NOBODY, ORDERS, Said, Speech
from tests.support.turns import Stage

RUNS = int(os.environ.get("DOCGEMMA_DIALOGUES", "40"))
WRITES = frozenset(tool.name for tool in TOOLS if tool.writes)
PINNABLE = [person.id for person in EVERYBODY if len(numbered(person.id)) == 1]
JOHN, GRETA = "abc-123", "gho-402"


def proposing() -> ScriptedTools:
    """Entries are proposed, whatever is asked for: what counts is for whom."""

    def propose(args: dict[str, Any]) -> ToolResult:
        return r.proposal("an entry")

    return ScriptedTools(dict.fromkeys(WRITES, propose))


@dataclass
class Tab:
    """One session and what its user has said so far: who may be seen, and who may be written for.

    `pinned` was given or picked; `opened` is whose chart was read last, which is enough to read on.
    """

    first_patient: str | None = None
    session_id: str = ""
    pinned: str | None = None
    opened: str | None = None
    known: frozenset[str] = NOBODY
    by_number: frozenset[str] = NOBODY
    ordered_for: frozenset[str] = NOBODY
    options: tuple[Option, ...] = ()
    told: list[str] = field(default_factory=list)
    seen: Counter[str] = field(default_factory=Counter)
    answers: list[tuple[Any, ...]] = field(default_factory=list)

    def may_show(self, said: Said) -> frozenset[str]:
        """Whose chart this message may be answered from."""
        here = self.pinned or self.opened
        if here is None:
            return self.chosen(said) | self.named(said)
        still = not said.clear or here in said.fits
        typed = said.exact or NOBODY if said.typed and self.pinned is None else NOBODY
        return self.chosen(said) | typed | (frozenset({here}) if still else NOBODY)

    def may_write(self, said: Said) -> frozenset[str]:
        """For whom an entry may be prepared: typed, picked, pinned, or named in full where nobody else has the name."""
        return self._known(said) | in_full(said.text)

    def _known(self, said: Said) -> frozenset[str]:
        if said.typed:
            return self.chosen(said) | (said.exact or NOBODY)
        if said.clear:
            on_screen = self.pinned is not None and self.pinned in said.fits
            return self.chosen(said) | (frozenset({self.pinned or ""}) if on_screen else NOBODY)
        pinned = frozenset({self.pinned}) if self.pinned else NOBODY
        return self.chosen(said) | pinned | self.by_number | self.ordered_for

    def chosen(self, said: Said) -> frozenset[str]:
        return frozenset({said.picked}) if said.picked and self.options else NOBODY

    def named(self, said: Said) -> frozenset[str]:
        """Who is spoken of after this message, as far as it names anybody."""
        meant = frozenset({said.meant}) if said.meant else NOBODY
        return meant if said.clear else self.known | meant

    def heard(self, said: Said, record: TurnRecord, pin: Patient | None) -> None:
        """What is known after the turn."""
        question = record.clarification
        ordering = question is not None and question.pending is not None and question.pending.tool in WRITES
        self.ordered_for = self.may_write(said) if ordering else NOBODY
        self.known = self.named(said) | self.chosen(said)
        if said.clear:
            self.by_number = said.exact if said.typed and said.exact else NOBODY
        self.pinned = pin.id if pin and pin.confirmed else None
        self.opened = pin.id if pin and not pin.confirmed else None
        self.options = tuple(option for option in question.options if "patient_id" in option.facts) if question else ()


def in_full(text: str) -> frozenset[str]:
    """Whose full name stands in the text and is nobody else's."""
    said, names = {*fold_words(text)}, Counter(person.name for person in EVERYBODY)
    found = {person.id: {*fold_words(person.name)} for person in EVERYBODY if names[person.name] == 1}
    whole = {id_: words for id_, words in found.items() if words <= said}
    return frozenset(id_ for id_, words in whole.items() if not any(words < others for others in whole.values()))


async def turn(on: Stage, tab: Tab, said: Said) -> None:
    """Say it, and hold the record against what this session's user has said."""
    if not tab.session_id:
        tab.pinned = tab.first_patient
    made = len(on.tools.calls)
    show, write, pins = tab.may_show(said), tab.may_write(said), {tab.pinned, *tab.chosen(said)}
    record = await say(on, tab, said)
    pin = (await on.store.get_session(record.session_id)).patient
    shown = shown_in(record.model_dump_json())
    assert shown <= show, f"shown {shown}, allowed {set(show)}"
    for _, args in on.tools.calls[made:]:
        assert numbered(args["patient_id"]) & write, f"an entry for {args['patient_id']}, allowed {set(write)}"
    pins |= {*in_full(said.text)}
    pins |= {tab.opened, *shown} if pin and not pin.confirmed else set()
    assert (pin.id if pin else None) in pins, f"pinned {pin}, allowed {pins}"
    for person in (record.patient, pin):
        assert person is None or is_banner_of(person), f"{person.id} under the banner {person.banner!r}"
    tab.seen.update(
        turns=1,
        charts=bool(shown),
        entries=len(on.tools.calls) - made,
        picks=pin is not None and pin.confirmed and pin.id != tab.pinned,
        questions=record.clarification is not None,
    )
    tab.heard(said, record, pin)


async def say(on: Stage, tab: Tab, said: Said) -> TurnRecord:
    where = {"session_id": tab.session_id} if tab.session_id else {"patient_id": tab.first_patient}
    record = await on.ask(said.text, **where)
    tab.session_id = record.session_id
    tab.told.append(f"{said.text!r} -> {record.outcome}: {record.response[:160]!r}")
    tab.answers.append(essence(record))
    return record


def is_banner_of(shown: Patient) -> bool:
    """Nothing in the banner is of anybody else. An id that was typed and not looked up has none."""
    if not shown.banner:
        return True
    person = BY_ID[shown.id]
    facts = f"{person.name}, born {person.born}, {person.sex}, MRN …{person.mrn[-4:]}, deceased, FICTIONAL".split(", ")
    name, *others = shown.banner.split(", ")
    return set(name.split()) == set(person.name.split()) and set(others) <= set(facts)


def essence(record: TurnRecord) -> tuple[Any, ...]:
    """What a turn came to, without what differs from run to run."""
    calls = tuple((call.tool, tuple(sorted(call.args.items())), call.status) for call in record.tool_calls)
    return record.outcome, record.response, record.patient, record.clarification, calls


async def hold(on: Stage, seed: int, *tabs: Tab) -> list[list[Said]]:
    """A random dialogue over these sessions, each message in one of them. What was said in each."""
    draw = random.Random(seed)
    speech = Speech(draw)
    scripts: list[list[Said]] = [[] for _ in tabs]
    for _ in range(draw.randint(2, 6) * len(tabs)):
        at = draw.randrange(len(tabs))
        said = speech.next(tabs[at].options)
        scripts[at].append(said)
        try:
            await turn(on, tabs[at], said)
        except AssertionError as failure:
            tab = tabs[at]
            pytest.fail("\n".join([f"seed {seed}: {failure}", f"on screen at first: {tab.first_patient}", *tab.told]))
    return scripts


async def replay(on: Stage, tab: Tab, script: Sequence[Said]) -> list[tuple[Any, ...]]:
    again = Tab(tab.first_patient)
    for said in script:
        await say(on, again, said)
    return again.answers


def opened(seed: int) -> Tab:
    """Every third session starts with a patient on screen."""
    draw = random.Random(f"first {seed}")
    return Tab(draw.choice(PINNABLE) if draw.random() < 1 / 3 else None)


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("home")
    put_namesakes(home)
    return home


async def test_only_who_was_named_exactly_picked_or_pinned_is_shown_or_written_for(home: Path) -> None:
    seen: Counter[str] = Counter()
    async with clinic(home, writes=proposing()) as on:
        for seed in range(RUNS):
            tab = opened(seed)
            await hold(on, seed, tab)
            seen += tab.seen
    assert min(seen["charts"], seen["questions"]) > seen["turns"] / 8, seen
    assert min(seen["entries"], seen["picks"]) > seen["turns"] / 40, seen


async def test_two_tabs_do_not_know_of_each_other(home: Path) -> None:
    """What one session is told is the same with another beside it, without it, and at the same moment."""
    for seed in range(RUNS, RUNS + max(1, RUNS // 25)):
        tabs = (opened(seed), opened(-seed))
        async with clinic(home, writes=proposing()) as on:
            scripts = await hold(on, seed, *tabs)
        for tab, script in zip(tabs, scripts, strict=True):
            async with clinic(home, writes=proposing()) as on:
                assert await replay(on, tab, script) == tab.answers, f"seed {seed}, alone: {tab.told}"
        async with clinic(home, writes=proposing()) as on:
            both = await asyncio.gather(*(replay(on, tab, script) for tab, script in zip(tabs, scripts, strict=True)))
        assert both == [tab.answers for tab in tabs], f"seed {seed}, at once"


UNDERSTOOD = {
    "Kwame Mensah": "efg-654",
    "KWAME MENSAH": "efg-654",
    "Mensah, Kwame": "efg-654",
    "Kwame Mensa": None,
    "Mr Mensah": None,
    "Robert King Jr.": "rki-202",
}
"""Names and whose they are in full: an entry for that patient may be prepared at once."""
SAYINGS = (*ABOUT_SOMEBODY, *(order.replace("{}", " for {}") for order in ORDERS))


@pytest.mark.parametrize("name", UNDERSTOOD)
async def test_another_name_is_never_taken_for_the_patient_of_before(name: str, home: Path) -> None:
    """Whether on screen, looked up by name or typed by id: the one before is neither shown nor written for."""
    before = itertools.cycle((None, "Find patient John Smith", "Show the chart of abc-123"))
    async with clinic(home, writes=proposing()) as on:
        for saying, first in zip(SAYINGS, before, strict=False):
            said = saying.format(name)
            *_, record = await (converse(on, first, said) if first else converse(on, said, patient_id=JOHN))
            assert JOHN not in shown_in(record.model_dump_json()), said
            assert {args["patient_id"] for _, args in on.tools.calls} <= {UNDERSTOOD[name]}, said


@dataclass(frozen=True)
class Gap:
    """A dialogue that is easily got wrong: `shown` and `written` are whom it may show and write for at its end."""

    said: tuple[str, ...]
    shown: frozenset[str] = NOBODY
    written: frozenset[str] = NOBODY
    patient: str | None = None


GAPS = {
    "a surname that is no known name, in an order": Gap(("Start lisinopril 10 mg once daily for Holm",), patient=JOHN),
    "an initial and a surname, in an order": Gap(("Start lisinopril 10 mg once daily for R. King",), patient=JOHN),
    "the same after an id": Gap(("Show the chart of abc-123", "Prescribe metformin 500 mg twice daily for T. Voss")),
    "family name first, in an order": Gap(("Add an allergy to latex for Holm, Nils, reaction hives",), patient=JOHN),
    "small letters, in an order": Gap(("Save a progress note for nils holm: seen today, stable.",), patient=JOHN),
    "a surname that is no known name": Gap(("any allergies for Voss?",), patient=JOHN),
    "small letters": Gap(("Show me nils holm's labs",), patient=JOHN),
    "small letters and a generation": Gap(("Find patient nils holm jr. and check the chart",), patient=JOHN),
    "family name first": Gap(("Show the chart of Holm, Nils",), patient=JOHN),
    "a birth date in answer to whether it is she": Gap(
        ("Greta Holm", "Prescribe metformin 500 mg twice daily", "1952-11-02"),
        shown=frozenset({GRETA}),
        written=frozenset({GRETA}),
    ),
    "a number that means two people": Gap(("Find patient Nils Holm", "Show the chart of MRN 5550001")),
    "a number that means two people, with a third on screen": Gap(
        ("Find patient Nils Holm", "no", "what meds is 5550001 on?"), patient=JOHN
    ),
}


@pytest.mark.parametrize("name", GAPS)
async def test_whom_a_message_is_about_although_it_says_so_in_an_unusual_way(name: str, home: Path) -> None:
    gap = GAPS[name]
    async with clinic(home, writes=proposing()) as on:
        *_, record = await converse(on, *gap.said, **({"patient_id": gap.patient} if gap.patient else {}))
        assert shown_in(record.model_dump_json()) <= gap.shown
        assert all(numbered(args["patient_id"]) & gap.written for _, args in on.tools.calls)


async def test_a_number_that_means_two_people_is_asked_about_whatever_another_session_found(home: Path) -> None:
    async with clinic(home, writes=proposing()) as on:
        before = await on.ask("Show the chart of MRN 5550001")
        await on.ask("Find patient Nils Holm")
        after = await on.ask("Show the chart of MRN 5550001")
    assert (before.outcome, after.outcome) == ("ask_user", "ask_user")


ORDERS_WITHOUT_A_DETAIL = (
    ("Prescribe metformin 500 mg for tvo-502", "for John Smith, twice daily"),
    ("Prescribe metformin 500 mg for tvo-502", "no, I meant John Smith"),
    ("Add a penicillin allergy for tvo-502", "no, I meant John Smith"),
    ("Save a progress note for tvo-502", "John Smith"),
)


@pytest.mark.parametrize(("order", "answer"), ORDERS_WITHOUT_A_DETAIL)
async def test_a_name_in_answer_takes_the_place_of_the_patient_of_the_order(
    order: str, answer: str, home: Path
) -> None:
    async with clinic(home, writes=proposing()) as on:
        *_, named = await converse(on, order, answer)
    assert named.tool_calls[-1].args["patient_id"] == JOHN
    assert {args["patient_id"] for _, args in on.tools.calls} <= {JOHN}


@pytest.mark.parametrize("order", ["Add a penicillin allergy for tvo-502", "Save a progress note for tvo-502"])
async def test_a_correction_of_the_patient_is_no_reaction_and_no_note(order: str, home: Path) -> None:
    """Also by a name that no list knows."""
    async with clinic(home, writes=proposing()) as on:
        await converse(on, order, "no, I meant John Smith", "yes")
        await converse(on, order, "no, I meant Nils Holm")
    assert "I meant" not in str(on.tools.calls)


async def test_whoever_is_offered_is_offered_with_two_identifiers(home: Path) -> None:
    said = ("Find patient Bob Miller", "Start lisinopril 10 mg once daily", "twice daily")
    async with clinic(home, writes=proposing()) as on:
        records = await converse(on, *said)
    for record in records[1:]:
        assert record.clarification is not None
        assert all("born 1972-02-20" in option.label for option in record.clarification.options)
