"""Arguments of a look-up that a model proposed, held against what the user really said."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from docgemma.agent.arguments.sourced import ArgumentSource, Context, Found, Sourced, declared, patient_id
from docgemma.agent.understanding.needs import MOST_TOGETHER
from docgemma.entities.drugs.names import same_drug
from docgemma.entities.fields import fold
from docgemma.entities.model import Entities
from docgemma.tools.registry import REGISTRY, ToolName


def check_model_args(tool: ToolName, args: Mapping[str, Any], context: Context) -> Found:
    """Keep what a look-up can use. Of an entry a model fills nothing in: its values are the user's marked words."""
    if REGISTRY[tool].writes:
        return declared(tool, {})
    kept = {name: sourced for name, value in args.items() if (sourced := _checked(name, value, context)) is not None}
    return declared(tool, kept)


def _checked(name: str, value: Any, context: Context) -> Sourced | None:
    if isinstance(value, list):
        names = _with_all_named([str(item).strip() for item in value if str(item).strip()], context)
        return Sourced(names, _list_source(names, context)) if len(names) > 1 else None
    text = str(value).strip() if value is not None else ""
    if not text or text.lower() in {"none", "null", "unknown", "n/a"}:
        return None
    if name == "patient_id":
        return _patient(text, context)
    return _stated(name, text, context) or Sourced(text, "model")


def _with_all_named(names: list[str], context: Context) -> list[str]:
    """With every drug of the message: one that a model leaves out would pass for checked."""
    left_out = [drug for drug in context.entities.drug_names() if not any(same_drug(drug, name) for name in names)]
    return [*left_out, *names][:MOST_TOGETHER] if len(names) > 1 else names


def _list_source(names: list[str], context: Context) -> ArgumentSource:
    said = context.entities.drug_names()
    return "message" if all(any(same_drug(name, other) for other in said) for name in names) else "model"


def _patient(value: str, context: Context) -> Sourced | None:
    """An id must have been seen."""
    ruled = patient_id(context, writing=False)
    if ruled is not None and fold(str(ruled.value)) == fold(value):
        return ruled
    if value in context.known_ids:
        return Sourced(value, "result")
    for source, entities in _read(context):
        for mention in entities.patient_ids:
            if fold(mention.value) == fold(value):
                return Sourced(mention.value, source, (mention.start, mention.end))
    return None


def _read(context: Context) -> Iterator[tuple[ArgumentSource, Entities]]:
    """This message, then earlier ones, newest first."""
    yield "message", context.entities
    for found in reversed(context.earlier):
        yield "earlier", found


def _stated(name: str, value: str, context: Context) -> Sourced | None:
    """The value in the user's words."""
    for source, found in _read(context):
        if place := _place(name, value, found):
            return Sourced(value, source, place)
    return None


def _place(name: str, value: str, found: Entities) -> tuple[int, int] | None:
    """Where a text says it: a drug under any of its names, other words in a row, whatever their case and spacing."""
    if name == "drug_name":
        return next(((drug.start, drug.end) for drug in found.drugs if same_drug(drug.value, value)), None)
    parts = re.findall(r"\w+", value)
    if not parts or len(parts) > 60:
        return None
    pattern = r"(?<!\w)" + r"\W{1,4}".join(map(re.escape, parts)) + r"(?!\w)"
    match = re.search(pattern, found.text, re.IGNORECASE)
    return match.span() if match else None
