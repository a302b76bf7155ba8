"""Phases of a trial as people write them: "phase 3", "phase II/III", "Ph1b", "early phase 1"."""

from __future__ import annotations

import re
from dataclasses import dataclass

from docgemma.sources.trials.contract import Phase

_NUMBER = r"(?:iv|iii|ii|i|[1-4])"
_NUMBERS = (
    rf"(?P<numbers>(?:0|{_NUMBER})[ab]?(?:\s?(?:/|-|–|to|or|and|&|,|\|)\s?(?:phase[\s_-]?)?{_NUMBER}[ab]?){{0,3}})"
)
_SAID = re.compile(
    rf"(?<!\w)(?P<early>early[\s_-])?(?:phases?|ph)[\s._-]{{0,2}}{_NUMBERS}(?!\w|\sof\slabou?r)", re.IGNORECASE
)
_BARE = re.compile(rf"\s*(?P<early>early[\s_-]?)?(?:phase[\s_-]?)?{_NUMBERS}\s*", re.IGNORECASE)
_NONE = re.compile(r"\s*(?:n/?a|not\sapplicable|without\sphase|no\sphase)\s*", re.IGNORECASE)
_VALUES: dict[str, Phase] = {
    **dict.fromkeys(("1", "i"), "PHASE1"),
    **dict.fromkeys(("2", "ii"), "PHASE2"),
    **dict.fromkeys(("3", "iii"), "PHASE3"),
    **dict.fromkeys(("4", "iv"), "PHASE4"),
}
_ORDER: tuple[Phase, ...] = ("EARLY_PHASE1", "PHASE1", "PHASE2", "PHASE3", "PHASE4", "NA")
WORDS: dict[str, str] = {
    "EARLY_PHASE1": "Early Phase 1",
    **{f"PHASE{number}": f"Phase {number}" for number in range(1, 5)},
}


@dataclass(frozen=True, slots=True)
class Said:
    phases: tuple[Phase, ...] = ()
    spans: tuple[tuple[int, int], ...] = ()


def phases_in(text: str) -> Said:
    """All phases that a text names. "The acute phase" and "phase 3 of labour" are none of ours."""
    found = [*_SAID.finditer(text)]
    phases = {phase for match in found for phase in _phases(match)}
    return Said(tuple(phase for phase in _ORDER if phase in phases), tuple(match.span() for match in found))


def phases_of(words: str) -> tuple[Phase, ...]:
    """Phases as an argument gives them; empty when it is none."""
    if _NONE.fullmatch(words):
        return ("NA",)
    match = _BARE.fullmatch(words.replace("PHASE", "phase "))
    phases = set(_phases(match)) if match else set(phases_in(words).phases)
    return tuple(phase for phase in _ORDER if phase in phases)


def phase_in_words(phases: tuple[str, ...]) -> str:
    """ "Phase 2/Phase 3"; empty for trials that have none, as those of devices and of behaviour."""
    return "/".join(WORDS.get(phase, phase.replace("_", " ").capitalize()) for phase in phases if phase != "NA")


def _phases(match: re.Match[str]) -> list[Phase]:
    numbers = re.findall(rf"(?<![a-z])(?:0|{_NUMBER})(?=[ab]?(?![a-z]))", match["numbers"].lower())
    if match["early"] or numbers[:1] == ["0"]:
        return ["EARLY_PHASE1"]
    return [_VALUES[number] for number in numbers if number in _VALUES]
