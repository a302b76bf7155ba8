"""A clinician at one session: means somebody and something with every message, and says it in one of many ways.

Never careless about whom: the patient is left out only where the screen, or the conversation, is about the one meant.
"""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from docgemma.agent.record import Clarification, TurnRecord
from docgemma.agent.understanding.answers import AGAIN
from docgemma.clinical import Option, Patient
from tests.support.namesakes import BY_ID, EVERYBODY, numbered, words
from tests.support.people import Person
from tests.support.speech import ABOUT_AN_ID, ABOUT_SOMEBODY, FOLLOW_UPS, PLACES, called
from tests.support.wishes import REQUIRED, Wish, details, draw_change, draw_wish, request

IDLE = ("thanks", "hello", "ok", "hm", "what can you do?", "one moment", "Check FDA warnings for dofetilide")
AGREES = ("yes", "yes please", "ok, do it", "approve", "go ahead", "looks good", "confirm", "yes, save it")
DROPS = ("cancel", "never mind", "no", "forget it", "cancel that")
TURNS_TO = ("no, I meant {}", "sorry, for {}", "no, for {}", "wrong patient, I meant {}", "not that one, {}")
_TURNING = tuple(form.removesuffix("{}") for form in TURNS_TO)
ONLY_NAMES = frozenset(("{}", "Switch to {}", "what about {}?", "no, I meant {}", "Find patient {}", "look up {}"))
"""Of the requests to read: while an entry is spoken of, these say whom it is for as well."""


@dataclass(frozen=True)
class Message:
    """`means`: an entry, a person to read about, or nothing that was asked for. `names`: whom it picks or types.

    `idle`: it is about nothing, and what was asked before is still open.
    """

    text: str
    means: Wish | str | None = None
    names: str | None = None
    idle: bool = False


@dataclass
class Clinician:
    """One session. `chosen`: everybody that was on screen at first, typed by id or number, or picked here.

    `about`: who was spoken of last; empty where that was not understood. `turned`: somebody else was named just now.
    """

    draw: random.Random
    people: Sequence[Person]
    first_patient: str | None = None
    session_id: str = ""
    on_screen: str | None = None
    about: str | None = None
    chosen: set[str] = field(default_factory=set)
    asking: Wish | str | None = None
    question: Clarification | None = None
    card: Wish | None = None
    turned: bool = False
    told: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.on_screen = self.about = self.first_patient
        self.chosen |= {self.first_patient} if self.first_patient else set()

    def next(self) -> Message:
        """What is said next, in words that are not known to be misread: of those there are tests of their own."""
        said = self._next()
        while is_misread(self, said):
            said = self._next()
        return said

    def _next(self) -> Message:
        """Mostly an answer where something was asked, else something new."""
        if self.question is not None and self.asking is not None and self.draw.random() < 0.75:
            return self._answer(self.question, self.asking)
        if self.card is not None and self.question is None and self.draw.random() < 0.45:
            return self._on_card(self.card)
        kinds = (self._order, self._read, self._idle)
        return self.draw.choices(kinds, (60, 28, 12))[0]()

    def heard(self, said: Message, record: TurnRecord, pin: Patient | None, card: Wish | None) -> None:
        """What the session shows after the turn."""
        self.question = record.clarification
        if not said.idle:
            self.asking = said.means
        if record.clarification is None:
            self.asking = None
        if card is not None:
            self.card = card
        patient = said.means.patient if isinstance(said.means, Wish) else said.means
        self.on_screen = pin.id if pin and pin.confirmed else None
        understood = record.clarification is not None or (record.patient is not None and record.patient.id == patient)
        self.about = (patient if understood else "") if patient else self.about
        self.turned = isinstance(said.means, Wish) and said.text.startswith(_TURNING)

    def _order(self) -> Message:
        person = self._somebody()
        wish = draw_wish(self.draw, person.id)
        who, typed = self._reference(person)
        required = REQUIRED[wish.kind]
        left_out = self.draw.sample(required[1:], 1) if self.draw.random() < 0.3 else ()
        if wish.kind == "prescription" and left_out and self.draw.random() < 0.3:
            left_out = required[1:]
        return Message(request(self.draw, wish, who, left_out), wish, typed)

    def _read(self) -> Message:
        here = self.on_screen or self.about
        if here and self.draw.random() < 0.4:
            return Message(self.draw.choice(FOLLOW_UPS), here)
        person = self._somebody()
        name, typed = self._named(person, 0.3)
        form = self.draw.choice(ABOUT_AN_ID if typed else ABOUT_SOMEBODY)
        before = self.asking if self.question is not None else self.card
        if form in ONLY_NAMES and isinstance(before, Wish):
            return Message(form.format(name), replace(before, patient=person.id), typed or self._offered(person))
        return Message(form.format(name), person.id, typed)

    def _idle(self) -> Message:
        return Message(self.draw.choice(IDLE), idle=True)

    def _on_card(self, card: Wish) -> Message:
        how = self.draw.random()
        if how < 0.55:
            text, wish = draw_change(self.draw, card)
            return Message(text, wish)
        if how < 0.8:
            return Message(self.draw.choice((*AGREES, *DROPS)), idle=True)
        return self._turned_to(card)

    def _turned_to(self, wish: Wish) -> Message:
        """The same entry, for somebody else."""
        person = self._somebody()
        name, typed = self._named(person, 0.5)
        return Message(self.draw.choice(TURNS_TO).format(name), replace(wish, patient=person.id), typed)

    def _answer(self, question: Clarification, asking: Wish | str) -> Message:
        how = self.draw.random()
        if how < 0.08:
            return Message(self.draw.choice(DROPS))
        if how < 0.16 and isinstance(asking, Wish):
            return self._turned_to(asking)
        meant = asking.patient if isinstance(asking, Wish) else asking
        if self.turned and question.question.startswith(AGAIN):
            return Message(f"no, I meant {self._number(BY_ID[meant])}", asking, meant)
        offered = [option for option in question.options if "patient_id" in option.facts]
        missing = question.pending.missing if question.pending else ()
        if any(option.value == meant for option in offered):
            return self._pick(offered, meant, asking, missing)
        if offered:
            return Message(f"no, I meant {self._number(BY_ID[meant])}", asking, meant)
        if isinstance(asking, Wish) and (given := details(asking, missing)):
            return self._details(asking, given, missing)
        if "patient_id" in missing:
            name, typed = self._named(BY_ID[meant], 0.5)
            return Message(name, asking, typed)
        return self._order()

    def _details(self, wish: Wish, given: str, missing: Sequence[str]) -> Message:
        """What was asked for; the patient too, at times, where that was asked for as well."""
        if "patient_id" in missing and wish.kind == "prescription" and self.draw.random() < 0.4:
            return Message(f"{self._number(BY_ID[wish.patient])}, {given}", wish, wish.patient)
        return Message(given, wish)

    def _pick(self, offered: Sequence[Option], meant: str, asking: Wish | str, missing: Sequence[str]) -> Message:
        person = BY_ID[meant]
        place = next(at for at, option in enumerate(offered) if option.value == meant)
        ways = [str(place + 1), f"the {PLACES[place]} one" if place < len(PLACES) else str(place + 1), person.name]
        ways += [meant] if len(numbered(meant)) == 1 else []
        ways += ["yes", "yes please"] if len(offered) == 1 else []
        if all("birth_date" in option.facts for option in offered):
            ways += [person.born, f"the one born on {person.born}"]
        picked = self.draw.choice(ways)
        more = details(asking, missing) if isinstance(asking, Wish) and asking.kind == "prescription" else ""
        text = f"{picked}, {more}" if more and self.draw.random() < 0.3 else picked
        return Message(text, asking, meant)

    def _somebody(self) -> Person:
        here = self.on_screen or self.about
        if here and self.draw.random() < 0.4:
            return BY_ID[here]
        return self.draw.choice(self.people) if self.draw.random() < 0.85 else self.draw.choice(EVERYBODY)

    def _reference(self, person: Person) -> tuple[str, str | None]:
        """How the patient of an order is named, and who is typed by that."""
        if self.draw.random() < 0.45 and (self.on_screen or self.about) in (None, person.id):
            return "", None
        return self._named(person, 0.4)

    def _named(self, person: Person, by_number: float) -> tuple[str, str | None]:
        """By number, or by a name, unless that name is as much that of somebody on screen or on offer."""
        name = called(self.draw, person)
        offered = {option.value for option in self.question.options} if self.question else set()
        others = {self.on_screen, *offered} & BY_ID.keys() - {person.id}
        if self.draw.random() < by_number or any(fits(name, BY_ID[other]) for other in others):
            return self._number(person), person.id
        return name, None

    def _offered(self, person: Person) -> str | None:
        """The name of somebody on offer picks that one."""
        offered = {option.value for option in self.question.options} if self.question else set()
        return person.id if person.id in offered else None

    def _number(self, person: Person) -> str:
        """An id or record number that means this person alone: everybody has one."""
        ids = (person.id, person.id.upper(), f"patient {person.id}") if len(numbered(person.id)) == 1 else ()
        mrn = (f"MRN {person.mrn}",) if len(numbered(person.mrn)) == 1 else ()
        return self.draw.choice((*ids, *mrn))


def fits(name: str, person: Person) -> bool:
    """Whether every word of the name, or its first letter, is this person's: then only a number tells them apart."""
    own = words(*person.given, person.family, person.suffix)
    return all(said in own or (len(said) == 1 and any(one.startswith(said) for one in own)) for said in words(name))


_FAMILY_FIRST = re.compile(r" allergy for [^:]*, [^:]*: | allerg\w+ .*for [\w'-]+, [\w'-]+(?:$|, severity)")
_INITIAL = re.compile(r" for \w\. ")


def is_misread(tab: Clinician, said: Message) -> bool:
    """Whether this is known to be misread, as `tests.agent.test_misread_orders.STILL` has it."""
    missing = tab.question.pending.missing if tab.question and tab.question.pending else ()
    small = any(person.name.lower() in said.text for person in EVERYBODY)
    return bool(
        (small and (tab.on_screen or tab.chosen))
        or _FAMILY_FIRST.search(said.text)
        or ("note_text" in missing and said.text.startswith("last notes of "))
        or ("“Bob”" in said.text and _INITIAL.search(said.text))
        or ("rki-201" in said.text and {"patient_id", "note_text"} <= set(missing))
        or (tab.question is not None and ": start " in said.text)
    )
