"""What only evals ask for: it compiles like the rest, but nothing depends on how a poor model fills it in."""

from __future__ import annotations

from docgemma.evals.question_schemas import (
    NextAction,
    Sufficiency,
    Suitable,
    TaskPlan,
    joint,
    nullable_arguments,
)
from docgemma.tools.registry import REGISTRY
from tests.engines.asked import ASKED, Asked

_ORDER = ("Prescribe metformin 500 mg twice daily for patient abc-123.",)

EVALUATED: tuple[Asked, ...] = (
    Asked("eval-joint", joint(), "Select the tool and fill in its arguments.", _ORDER, 400),
    Asked("eval-joint-reversed", joint(reverse=True), "Select the tool and fill in its arguments.", _ORDER, 400),
    Asked(
        "eval-arguments-nullable",
        nullable_arguments(REGISTRY["prescribe_medication"]),
        "Extract the arguments.",
        _ORDER,
        128,
    ),
    Asked(
        "eval-arguments-reversed",
        nullable_arguments(REGISTRY["check_drug_interactions"], reverse=True),
        "Extract the arguments.",
        ("Warfarin with ibuprofen?",),
        128,
    ),
    Asked("eval-suitable", Suitable, "Is this tool suitable?", _ORDER, 64),
    Asked("eval-plan", TaskPlan, "List the tools that have to be called, in order.", _ORDER, 256),
    Asked("eval-sufficiency", Sufficiency, "Is this enough?", ("Which drug? Result: warfarin.",), 64),
    Asked("eval-next-action", NextAction, "What next?", ("Three patients are called James Wilson.",), 64),
)
COMPILED: tuple[Asked, ...] = (*ASKED, *EVALUATED)
