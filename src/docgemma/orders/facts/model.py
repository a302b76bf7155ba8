"""The facts as values. What is not known stays unknown, and says why."""

from __future__ import annotations

from dataclasses import dataclass

from docgemma.ehr.patients.person import Person


@dataclass(frozen=True, slots=True)
class Recorded:
    """One entry of a chart: `words` as a reader of the chart sees it, `reference` to find it again.

    `names` are all the names it gives for its substance. For a medicine `ingredients` is what these stand for, and
    `unknown` the words among them that mean nothing to us. `state` is what makes it less than a plain entry.
    """

    name: str
    reference: str
    words: str
    names: tuple[str, ...] = ()
    ingredients: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    state: str = ""


@dataclass(frozen=True, slots=True)
class Known:
    """A measured or computed value. Without a value `words` says why; `doubt` is a reason not to rely on it."""

    value: float | None = None
    words: str = ""
    reference: str = ""
    doubt: str = ""


@dataclass(frozen=True, slots=True)
class Facts:
    """One patient, as far as an order is checked against the chart.

    `allergies` are those that count now; `past_allergies` are inactive or resolved; `statements` say what is free of
    allergies, with their scope as `state`. `medications` are ordered or taken now, `forbidden` those that must not be
    given. `unread` says in words which vital lists were not read completely, `gaps` names their kinds.
    """

    person: Person
    patient_version: str
    allergy_version: str
    version: str
    age: float | None = None
    sex: str = ""
    died: str = ""
    merged: bool = False
    retired: bool = False
    strangers: int = 0
    weight: Known = Known()
    filtration: Known = Known()
    clearance: Known = Known()
    pregnant: bool | None = None
    pregnancy: Known = Known()
    allergies: tuple[Recorded, ...] = ()
    past_allergies: tuple[Recorded, ...] = ()
    refuted: tuple[Recorded, ...] = ()
    statements: tuple[Recorded, ...] = ()
    contradictions: tuple[str, ...] = ()
    medications: tuple[Recorded, ...] = ()
    forbidden: tuple[Recorded, ...] = ()
    unread: tuple[str, ...] = ()
    gaps: frozenset[str] = frozenset()

    @property
    def weight_kg(self) -> float | None:
        return self.weight.value

    @property
    def egfr(self) -> float | None:
        return self.filtration.value

    @property
    def crcl(self) -> float | None:
        return self.clearance.value

    @property
    def stated_none(self) -> bool:
        """Somebody recorded that there is no allergy at all, or none to medicines."""
        return any(statement.state in ("all", "medication") for statement in self.statements)
