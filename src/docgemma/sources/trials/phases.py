"""Phases of a trial as people write them: "phase 3", "II/III", "Ph1b", "early phase 1"."""

from __future__ import annotations

import re

from docgemma.sources.trials.contract import Phase

_EARLY = re.compile(r"\bearly\b|\b0\b|\bzero\b")
_NUMBER = re.compile(r"(?<![a-z0-9])(?:iv|i{1,3}|[1-4]|one|two|three|four)(?=[ab]?(?![a-z0-9]))")
_NONE = re.compile(r"\s*(?:n/?a|not\sapplicable|without\sphase|no\sphase)\s*", re.IGNORECASE)
_VALUES: dict[str, Phase] = {
    **dict.fromkeys(("1", "i", "one"), "PHASE1"),
    **dict.fromkeys(("2", "ii", "two"), "PHASE2"),
    **dict.fromkeys(("3", "iii", "three"), "PHASE3"),
    **dict.fromkeys(("4", "iv", "four"), "PHASE4"),
}
WORDS: dict[str, str] = {
    "EARLY_PHASE1": "Early Phase 1",
    **{f"PHASE{number}": f"Phase {number}" for number in range(1, 5)},
}


def phases_of(words: str) -> tuple[Phase, ...]:
    """The phases that these words name; empty when they name none."""
    if _NONE.fullmatch(words):
        return ("NA",)
    low = re.sub(r"phases?|ph(?=[\s._-]?\d)|_", " ", words.lower())
    if _EARLY.search(low):
        return ("EARLY_PHASE1",)
    return tuple(sorted({_VALUES[number] for number in _NUMBER.findall(low)}))


def phase_in_words(phases: tuple[str, ...]) -> str:
    """ "Phase 2/Phase 3"; empty for trials that have none, as those of devices and of behaviour."""
    return "/".join(WORDS.get(phase, phase.replace("_", " ").capitalize()) for phase in phases if phase != "NA")
