"""A suite small enough to see through: a case says what it will come out as."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from docgemma.config import Settings
from docgemma.errors import Unavailable
from docgemma.evals.casefiles import BaseCase
from docgemma.evals.running import record_of
from docgemma.evals.suite import About, Bench, CaseRecord, Configuration, Difference, Metric, Outcome, Suite, Variant

ROUTED = Variant()


class Killed(BaseException):
    """As when the process is killed: nothing catches it."""


class Toy(BaseCase):
    right: bool = True
    says: str = "hello"

    @property
    def about(self) -> str:
        return self.says


class Toys(Suite[Toy]):
    """`contrary` turns every verdict round; `broken` cases raise; `asked` counts what was really run."""

    name = "toys"
    case = Toy
    about = About(
        cases="toys.jsonl",
        alarm="toys thrown",
        graphs=True,
        metrics=(Metric("played", "the toy was played with"), Metric("kept", "the toy is whole")),
        configurations=(Configuration("standard", "as it is"), Configuration("contrary", "the other way round", "0 %")),
    )

    def __init__(self) -> None:
        self.asked: list[tuple[str, str]] = []

    def expects(self, case: Toy) -> tuple[str, ...]:
        return ("played",)

    def takes(self, case: Toy, configuration: str) -> bool:
        return configuration == "standard" or case.kind != "plain"

    @asynccontextmanager
    async def open(self, settings: Settings, variant: Variant) -> AsyncIterator[Bench[Toy]]:
        async def one(case: Toy) -> Outcome:
            self.asked.append((variant.name, case.id))
            if case.says == "stop":
                raise Killed
            if case.says == "bug":
                raise ZeroDivisionError
            if case.says == "away":
                raise Unavailable("The toy box is locked.")
            return outcome(case.right == (variant.configuration == "standard"))

        yield Bench("toy model", one)


def toys(*right: bool, kind: str = "plain") -> tuple[Toy, ...]:
    return tuple(Toy(id=f"{kind}-{number}", kind=kind, right=each) for number, each in enumerate(right))


def outcome(right: bool, *, calls: int = 2, alarms: tuple[str, ...] = ()) -> Outcome:
    wrong = () if right else (Difference(column="played", expected="yes", got="no"),)
    return Outcome(scores={"played": float(right)}, differences=wrong, alarms=alarms, llm_calls=calls)


def records(
    verdicts: Sequence[bool], *, variant: Variant = ROUTED, repeat: int = 0, calls: int = 2
) -> tuple[CaseRecord, ...]:
    return tuple(
        record_of("toys", variant, "toy model", toy, repeat, outcome(toy.right, calls=calls)) for toy in toys(*verdicts)
    )
