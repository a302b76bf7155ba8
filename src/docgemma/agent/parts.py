"""The parts of a request, one after the other: which is worked on, how often it was tried, what comes next."""

from __future__ import annotations

from collections.abc import Sequence

from docgemma.agent.progress import needs_left
from docgemma.agent.schemas import MOST_PARTS
from docgemma.agent.state import Part, State
from docgemma.agent.understanding.needs import Need

MAX_ITERATIONS = 3
"""Tool calls for one part, whatever went wrong with the first."""

MAX_ASKED = 3
"""Questions to the model for one part: a plan, a repair of its details, another plan."""


def begun(parts: tuple[Part, ...]) -> State:
    """A list of parts with its counters at the start."""
    return {"parts": parts, "part": 0, "iterations": 0, "asked": 0}


def current(state: State) -> Part | None:
    """The part that is worked on; None on a way without any, or when all are done."""
    parts, index = state.get("parts", ()), state.get("part", 0)
    return parts[index] if index < len(parts) else None


def later(state: State) -> tuple[Part, ...]:
    """What comes after the present part."""
    return state.get("parts", ())[state.get("part", 0) + 1 :]


def advanced(state: State) -> State:
    """On to the next part, with fresh counters."""
    return {"part": state.get("part", 0) + 1, "iterations": 0, "asked": 0, "retries": 0}


def postponed(state: State, part: Part) -> State:
    """The present part at the end of the list: entries wait until everything is looked up, for a card ends the turn."""
    return {"parts": (*state["parts"][: state["part"]], *later(state), part), "iterations": 0, "asked": 0}


def by_model(state: State) -> bool:
    """Whether the model plans the present part: only then may it be asked again how."""
    part = current(state)
    return part is not None and part.tool is None


def tries_left(state: State) -> bool:
    """Whether the present part may be planned once more."""
    return state.get("iterations", 0) < MAX_ITERATIONS and state.get("asked", 0) < MAX_ASKED


def by_need(needs: Sequence[Need]) -> tuple[Part, ...]:
    """One part for each look-up that the words of the request ask for: nobody is asked how to plan those."""
    return tuple(Part("", need.tool, need.subject or "", need) for need in needs[:MOST_PARTS])


def after_answer(state: State) -> tuple[Part, ...]:
    """A request that the user's answer continues: the interrupted call, then what else its words ask for."""
    left, resumed = needs_left(state), state.get("resumed")
    if resumed is None:
        return by_need(left)
    searched = [need for need in left if need.tool == "search_patient"] if searches_first(state) else []
    own = next((need for need in left if need.tool == resumed[0]), Need(resumed[0]))
    return by_need([*searched, own, *(need for need in left if need not in (*searched, own))])


def searches_first(state: State) -> bool:
    """A name in answer to "which patient?" is looked up before the interrupted request goes on."""
    return bool(state.get("named")) and not state["runs"]
