"""What people say and what they ask for, as text files that are read like prose."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from docgemma.agent.requests.vote import Asked, Voter
from docgemma.clinical import Patient
from docgemma.entities import extract

ON_SCREEN = Patient(id="abc-123", banner="Ann Lee")
TUNED = ("tuned_1", "tuned_2")
SCORED_ONCE = "scored_once"


@dataclass(frozen=True, slots=True)
class Tally:
    """How a voter did: general questions left alone, paraphrases understood, and understood wrongly."""

    direct: int
    direct_kept: int
    paraphrases: int
    right: int
    wrong: int


def table(name: str) -> list[tuple[str, str]]:
    """(what is asked for, sentence) in order."""
    rows: list[tuple[str, str]] = []
    kind = ""
    for line in Path(__file__).with_name(f"{name}.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            kind = line.strip("[]")
        elif line and not line.startswith("#"):
            rows.append((kind, line))
    return rows


def elected(
    voter: Voter, sentence: str, earlier: Sequence[str] = (), patient: Patient | None = ON_SCREEN
) -> str | None:
    """The tool that the vote adds, if any."""
    vote = voter.vote(Asked(sentence, extract(sentence), earlier, patient))
    return vote.needs[0].tool if vote else None


def tally(voter: Voter, name: str) -> Tally:
    results = [(kind, elected(voter, sentence)) for kind, sentence in table(name)]
    direct = [tool for kind, tool in results if kind == "direct"]
    asked = [(kind, tool) for kind, tool in results if kind != "direct"]
    right = sum(kind == tool for kind, tool in asked)
    wrong = sum(tool is not None and kind != tool for kind, tool in asked)
    return Tally(len(direct), direct.count(None), len(asked), right, wrong)
