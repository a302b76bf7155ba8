"""What a clinician may say next, drawn at random, with whom it can mean and whom it cannot."""

from __future__ import annotations

import random
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from docgemma.clinical import Option
from tests.support.namesakes import BY_ID, EVERYBODY, named_exactly, named_in_part, numbered
from tests.support.people import Person

NOBODY: frozenset[str] = frozenset()

FOLLOW_UPS = (
    "any allergies?", "what meds is she on?", "check the chart", "and his labs?", "show me the notes",
    "what are her problems?", "summarize the chart", "is he allergic to anything?", "what about the vitals?",
)  # fmt: skip
ABOUT_SOMEBODY = (
    "Find patient {}", "Find patient {} and check the chart", "what meds is {} on?", "Show the chart of {}",
    "any allergies for {}?", "Show me {}'s labs", "Switch to {}", "what about {}?", "{}", "no, I meant {}",
    "last notes of {}", "is {} allergic to anything?", "look up {}", "pull up {}'s chart",
)  # fmt: skip
ABOUT_AN_ID = (
    "Show the chart of {}", "what meds is {} on?", "any allergies for {}?", "Check the chart of {}", "{}",
    "Switch to {}", "labs for {}",
)  # fmt: skip
ORDERS = (
    "Prescribe metformin 500 mg twice daily{}", "Prescribe metformin 500 mg{}", "Start lisinopril 10 mg once daily{}",
    "Add an allergy to latex{}, reaction hives", "Add a penicillin allergy{}",
    "Save a progress note{}: seen today, stable.",
)  # fmt: skip
SMALL_ANSWERS = ("no", "cancel", "none of them", "thanks", "twice daily", "hives", "hello", "never mind")
PLACES = ("first", "second", "third", "fourth", "fifth")


@dataclass(frozen=True)
class Said:
    """`exact`: everybody it names by a whole name, an id or a number; None when it speaks of nobody.

    `fits`: everybody it may speak of at all. `picks`: which of the patients offered before it may choose. `clear`: said
    by an id, a number or the name as it is recorded, so that nothing excuses taking it for a word about somebody else.
    """

    text: str
    exact: frozenset[str] | None = None
    fits: frozenset[str] = NOBODY
    picks: frozenset[str] = NOBODY
    typed: bool = False
    clear: bool = False

    @property
    def meant(self) -> str | None:
        """The one person that this names beyond doubt."""
        return next(iter(self.exact)) if self.exact and len(self.exact) == 1 else None

    @property
    def picked(self) -> str | None:
        return next(iter(self.picks)) if len(self.picks) == 1 else None


class Speech:
    """Draws what is said. A few people are spoken of again and again, as in a conversation."""

    def __init__(self, draw: random.Random) -> None:
        self._draw = draw
        self._people = company(draw)

    def next(self, options: Sequence[Option]) -> Said:
        """One message. With patients offered, mostly an answer."""
        if options and self._draw.random() < 0.65:
            said = self._answer(options)
        else:
            kinds: tuple[Callable[[], Said], ...] = (self._about, self._by_number, self._follow_up, self._order)
            said = self._draw.choices(kinds, (40, 15, 25, 20))[0]()
        offered = frozenset(option.value for option in options)
        return replace(said, picks=said.picks | (said.fits & offered))

    def _about(self) -> Said:
        name = self._name()
        return self._of_name(self._draw.choice(ABOUT_SOMEBODY).format(name), name)

    def _by_number(self) -> Said:
        written, meant = self._number()
        return Said(self._draw.choice(ABOUT_AN_ID).format(written), meant, meant, typed=True, clear=True)

    def _follow_up(self) -> Said:
        return Said(self._draw.choice((*FOLLOW_UPS, *SMALL_ANSWERS)))

    def _order(self) -> Said:
        order, how = self._draw.choice(ORDERS), self._draw.random()
        if how < 0.4:
            return Said(order.format(""))
        if how < 0.7:
            name = self._name()
            return self._of_name(order.format(f" for {name}"), name)
        written, meant = self._number()
        return Said(order.format(f" for {written}"), meant, meant, typed=True, clear=True)

    def _of_name(self, text: str, name: str) -> Said:
        """A bare name is a word like any other; with a request around it, it names somebody."""
        as_recorded = name != text and any(name == person.name for person in EVERYBODY)
        return Said(text, named_exactly(name), named_in_part(name), clear=as_recorded)

    def _answer(self, options: Sequence[Option]) -> Said:
        draw = self._draw
        one, place = draw.choice(options), draw.randrange(len(PLACES))
        person, just_one = BY_ID[one.value], frozenset({one.value})
        at_place = frozenset(option.value for option in options[place : place + 1])
        alone = just_one if len(options) == 1 else NOBODY
        answers = [
            Said(f"the {PLACES[place]} one", picks=at_place),
            Said(str(place + 1), picks=at_place),
            Said(one.value, just_one, just_one, typed=True, clear=True),
            Said("yes", picks=alone),
            Said("yes please", picks=alone),
            Said(draw.choice(SMALL_ANSWERS)),
            self._of_name(person.name, person.name),
        ]
        if all("birth_date" in option.facts for option in options):
            answers += [
                Said(person.born, picks=_born(options, person.born)),
                Said(f"the one born on {person.born}", picks=_born(options, person.born)),
                Said(f"born in {person.born[:4]}", picks=_born(options, person.born[:4])),
            ]
        return draw.choice(answers)

    def _name(self) -> str:
        person = self._draw.choice(self._people) if self._draw.random() < 0.8 else self._draw.choice(EVERYBODY)
        return called(self._draw, person)

    def _number(self) -> tuple[str, frozenset[str]]:
        """Of numbers that mean two people there are tests of their own."""
        person = self._draw.choice([one for one in self._people if len(numbered(one.id)) == 1] or [BY_ID["abc-123"]])
        written = self._draw.choice((person.id, person.id.upper(), person.mrn))
        if written == person.mrn and len(numbered(written)) == 1:
            return f"MRN {written}", numbered(written)
        written = person.id if written == person.mrn else written
        return self._draw.choice((written, f"patient {written}")), numbered(written)


def company(draw: random.Random) -> list[Person]:
    """One person, up to two that are alike, and anybody."""
    first = draw.choice(EVERYBODY)
    alike = [one for one in EVERYBODY if one is not first and _alike(one, first)]
    return [first, *draw.sample(alike, min(2, len(alike))), draw.choice(EVERYBODY)]


def called(draw: random.Random, person: Person) -> str:
    """One of the ways in which a person is named."""
    return draw.choice(_WAYS)(person, draw)


def _alike(one: Person, other: Person) -> bool:
    shared = named_in_part(one.family) | named_in_part(one.given[0]) | numbered(one.mrn) | numbered(one.id)
    return other.id in shared


def _born(options: Sequence[Option], date: str) -> frozenset[str]:
    return frozenset(option.value for option in options if BY_ID[option.value].born.startswith(date))


def _misspelt(person: Person, draw: random.Random) -> str:
    at = draw.randrange(1, len(person.family))
    family = draw.choice((person.family[:at] + person.family[at + 1 :], person.family[:at] + "e" + person.family[at:]))
    return f"{person.given[0]} {family}"


def _plain(person: Person, _: random.Random) -> str:
    return "".join(one for one in unicodedata.normalize("NFKD", person.name) if not unicodedata.combining(one))


_WAYS: tuple[Callable[[Person, random.Random], str], ...] = (
    lambda person, _: person.name,
    lambda person, _: person.name,
    _plain,
    lambda person, _: f"{person.given[0]} {person.family}",
    lambda person, _: f"{person.family}, {person.given[0]}",
    lambda person, _: person.name.lower(),
    lambda person, _: f"{person.given[0][0]}. {person.family}",
    lambda person, _: person.family,
    lambda person, _: person.given[0],
    _misspelt,
)
