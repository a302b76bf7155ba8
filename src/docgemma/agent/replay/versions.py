"""Which program answered: stamped on every record, so that a later reader knows what to compare it with."""

from __future__ import annotations

import hashlib
from functools import cache
from importlib.resources import files

from docgemma import __version__
from docgemma.agent.record import Versions


def versions_of(model: str, graph: str = "routed") -> Versions:
    """Of the program that runs now."""
    return Versions(docgemma=__version__, graph=graph, model=model, prompts=prompts_version(graph))


@cache
def prompts_version(graph: str = "routed") -> str:
    """One hash over all prompts of a graph: it changes with any word a model is told. Read once a process."""
    found = hashlib.sha256()
    folder = files("docgemma.knowledge.consult" if graph == "consult" else "docgemma.agent").joinpath("prompts")
    for name in sorted(entry.name for entry in folder.iterdir() if entry.name.endswith(".md")):
        found.update(name.encode() + b"\0" + folder.joinpath(name).read_bytes() + b"\0")
    return found.hexdigest()[:16]
