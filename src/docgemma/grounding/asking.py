"""How a phase is decided: by the model where one is set up, by the phase's rule where not. Never by the other."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from docgemma.errors import ModelOutputInvalid, ModelUnreachable
from docgemma.fetch.pacing import Breaker, Ending
from docgemma.grounding.prompts import render
from docgemma.grounding.rules import RULES
from docgemma.grounding.state import Services
from docgemma.llm.contract import T

GONE = "The language model failed several times in a row. Check its server and run the same again."
_REST_S = 86_400.0


def _for_one_batch() -> Breaker:
    """One criterion that a model is too slow for does not spoil its batch; three in a row are the model's fault."""
    return Breaker(failures=3, rest_s=_REST_S)


@dataclass(slots=True)
class Live:
    """The live things of one batch."""

    services: Services
    breaker: Breaker = field(default_factory=_for_one_batch)


async def decide(live: Live, name: str, variables: Mapping[str, Any], schema: type[T], *, max_tokens: int) -> T:
    """ModelOutputInvalid when the model's answer cannot be read, ModelUnreachable when there is none."""
    model = live.services.model
    if model is None:
        return by_rule(live, name, variables, schema)
    clock = asyncio.get_running_loop().time
    held = live.breaker.admit(clock())
    if held is None:
        raise ModelUnreachable(GONE)
    ending: Ending = "unknown"
    try:
        answer = await model.decide(render(name, variables), schema, max_tokens=max_tokens)
        ending = "answered"
        return answer
    except ModelOutputInvalid:
        ending = "answered"
        raise
    except ModelUnreachable:
        ending = "failed"
        raise
    finally:
        live.breaker.ended(held, ending, clock())


def by_rule(live: Live, name: str, variables: Mapping[str, Any], schema: type[T]) -> T:
    """The rule knows the general shape, which is all that code asks for; nothing is rendered for it."""
    answer = (live.services.rules or RULES)[name](variables)
    if not isinstance(answer, schema):
        raise TypeError(f"The rule for {name!r} answered with {type(answer).__name__}.")
    return answer
