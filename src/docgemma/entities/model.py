"""What the rules found in a text: each mention with its place, so that every argument has a source."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

WriteKind = Literal["prescribe", "allergy", "note"]


@dataclass(frozen=True, slots=True)
class Mention:
    """A span of the text and what it stands for. `value` is canonical, `text` is as written."""

    text: str
    start: int
    end: int
    value: str = ""

    def __post_init__(self) -> None:
        if not self.value:
            object.__setattr__(self, "value", self.text)


@dataclass(frozen=True, slots=True)
class WriteRequest:
    """The user's own imperative to put something into a chart. `negated` ones never reach this type."""

    kind: WriteKind
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Trap:
    """An error-prone way of writing an amount or a drug. `meaning` is its likely reading, empty when there is none."""

    text: str
    start: int
    end: int
    kind: str
    severity: Literal["warn", "ask", "reject"]
    meaning: str
    question: str


@dataclass(frozen=True, slots=True)
class Order:
    """One drug of a prescription request, with the amounts that stand with it and with no other drug."""

    drug: Mention
    doses: tuple[Mention, ...] = ()
    frequencies: tuple[Mention, ...] = ()
    routes: tuple[Mention, ...] = ()
    durations: tuple[Mention, ...] = ()
    reasons: tuple[Mention, ...] = ()  # what it is for


@dataclass(frozen=True, slots=True)
class AllergyEntry:
    """One substance of an allergy request, with its own reactions and severities."""

    substance: Mention
    reactions: tuple[Mention, ...] = ()
    severities: tuple[Mention, ...] = ()


@dataclass(frozen=True, slots=True)
class Ask:
    """One look-up that a message asks for, where it stands, and what it is about."""

    tool: str
    start: int
    end: int = 0
    drugs: tuple[Mention, ...] = ()
    topic: Mention | None = None
    status: Mention | None = None
    with_taken: bool = False  # together with the medicines of the patient's chart


@dataclass(frozen=True, slots=True)
class Entities:
    """Everything found in one message, in order of appearance."""

    text: str = ""
    asks: tuple[Ask, ...] = ()
    relatives: tuple[Mention, ...] = ()  # somebody meant by kinship: "his wife", "the baby"
    places: tuple[Mention, ...] = ()  # "bed 4": nobody whom a record system knows by it
    ages: tuple[Mention, ...] = ()
    sexes: tuple[Mention, ...] = ()
    doubtful: tuple[str, ...] = ()  # tools that may have been asked for: offered, never called
    unaccounted: tuple[Mention, ...] = ()  # drugs, amounts and ids beside an entry that belong to no part of it
    conditional: bool = False
    withheld: tuple[str, ...] = ()  # entries asked for under a condition: said, never prepared
    urgent: bool = False
    narrowing: tuple[Mention, ...] = ()  # years and kinds of study of a search
    phases: tuple[Mention, ...] = ()
    sites: tuple[Mention, ...] = ()  # where a trial takes place
    sure: bool = False  # what is asked for is beyond doubt, also where it is nothing

    patient_ids: tuple[Mention, ...] = ()
    person_names: tuple[Mention, ...] = ()
    birth_dates: tuple[Mention, ...] = ()
    drugs: tuple[Mention, ...] = ()
    unlisted_drugs: tuple[Mention, ...] = ()  # words that stand where a drug must stand, but that no list knows
    disguised_drugs: tuple[Mention, ...] = ()  # written with look-alike or invisible characters; `value` is the drug
    doses: tuple[Mention, ...] = ()
    frequencies: tuple[Mention, ...] = ()
    routes: tuple[Mention, ...] = ()
    durations: tuple[Mention, ...] = ()
    traps: tuple[Trap, ...] = ()
    labs: tuple[Mention, ...] = ()
    substances: tuple[Mention, ...] = ()
    reactions: tuple[Mention, ...] = ()
    severities: tuple[Mention, ...] = ()
    note_types: tuple[Mention, ...] = ()
    note_texts: tuple[Mention, ...] = ()
    conditions: tuple[Mention, ...] = ()
    trial_statuses: tuple[Mention, ...] = ()
    action_verbs: tuple[str, ...] = ()
    writes: tuple[WriteRequest, ...] = ()
    orders: tuple[Order, ...] = ()
    allergies: tuple[AllergyEntry, ...] = ()
    undoable: tuple[Mention, ...] = ()  # what the user tells us to do and no tool does; `value` is the verb
    small_talk: bool = False
    has_image: bool = False

    def drug_names(self) -> tuple[str, ...]:
        """Each drug once, in order."""
        return tuple(dict.fromkeys(drug.value for drug in self.drugs))
