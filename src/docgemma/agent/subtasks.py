"""The parts of a request, one after the other: which is worked on, how often it was tried, what comes next."""

from __future__ import annotations

from docgemma.agent.plans import Subtask, by_need
from docgemma.agent.progress import needs_left
from docgemma.agent.state import State
from docgemma.agent.understanding.needs import Need
from docgemma.tools.registry import REGISTRY

MAX_ITERATIONS = 3
"""Tool calls for one subtask, whatever went wrong with the first."""

MAX_ASKED = 3
"""Questions to the model for one subtask: a plan, a repair of its details, another plan."""


def begun(subtasks: tuple[Subtask, ...]) -> State:
    """A list of subtasks with its counters at the start."""
    return {"subtasks": subtasks, "subtask": 0, "iterations": 0, "asked": 0}


def current(state: State) -> Subtask | None:
    """The subtask that is worked on; None on a way without any, or when all are done."""
    subtasks, index = state.get("subtasks", ()), state.get("subtask", 0)
    return subtasks[index] if index < len(subtasks) else None


def advanced(state: State) -> State:
    """On to the next subtask, with fresh counters."""
    return {"subtask": state.get("subtask", 0) + 1, "iterations": 0, "asked": 0, "retries": 0}


def later(state: State) -> tuple[Subtask, ...]:
    """What comes after the present subtask."""
    return state.get("subtasks", ())[state.get("subtask", 0) + 1 :]


def by_model(state: State) -> bool:
    """Whether the model plans the present subtask: only then may it be asked again how."""
    task = current(state)
    return task is not None and task.tool is None


def tries_left(state: State) -> bool:
    """Whether the present subtask may be planned once more."""
    return state.get("iterations", 0) < MAX_ITERATIONS and state.get("asked", 0) < MAX_ASKED


def postponed(state: State, tool: Subtask) -> State:
    """The present subtask at the end of the list, with its plan: entries wait until everything is looked up."""
    subtasks, index = state["subtasks"], state["subtask"]
    return {
        "subtasks": (*subtasks[:index], *subtasks[index + 1 :], tool),
        "iterations": 0,
        "asked": 0,
    }


def waits(state: State) -> bool:
    """Whether look-ups may still come after the present subtask: a card ends the turn, so an entry goes last."""
    return any(task.tool is None or not REGISTRY[task.tool].writes for task in later(state))


def after_answer(state: State) -> tuple[Subtask, ...]:
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
