"""Where to go next: pure functions, never a model."""

from __future__ import annotations

from typing import Literal

from docgemma.grounding.state import MAX_ROUNDS, State

Node = Literal["medgemma_ground", "validate_confidence", "__end__"]


def after_ground(state: State) -> Node:
    """An error of the batch as a whole ends it: there is nothing to validate."""
    return "__end__" if state.get("error") else "validate_confidence"


def searches_again(round: int, action: Literal["evaluate", "refine"], new_terms: int) -> bool:
    """One more round only when it was asked for, brings something new, and is within the limit."""
    return action == "refine" and new_terms > 0 and round < MAX_ROUNDS
