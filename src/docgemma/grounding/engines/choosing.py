"""Which engine a run gets."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from docgemma.errors import BadInput
from docgemma.grounding.engines.contract import Engine, Ground, Opener
from docgemma.grounding.engines.local import InProcess, Processes

EngineName = Literal["local", "ray"]


def choose_engine(
    name: EngineName,
    ground: Ground,
    opener: Opener,
    settings: Mapping[str, Any],
    *,
    workers: int = 1,
    concurrency: int = 1,
    address: str | None = None,
) -> Engine:
    """`ground` serves one local worker, which is this process; all others open their own with `opener`."""
    if workers < 1 or concurrency < 1:
        raise BadInput("A run needs at least one worker and one batch at a time.")
    if name == "ray":
        from docgemma.grounding.engines.on_ray import OnRay

        return OnRay(opener, settings, workers=workers, address=address)
    if address is not None:
        raise BadInput("--address is the address of a Ray cluster: give --engine ray with it.")
    if workers == 1:
        return InProcess(ground, concurrency=concurrency)
    return Processes(opener, settings, workers=workers)
