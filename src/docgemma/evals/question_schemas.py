"""What may be answered where the product does not ask. Most of it shows what a schema must not look like."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Annotated, Any, Literal, cast

from pydantic import BaseModel, ConfigDict, create_model
from pydantic.fields import FieldInfo

from docgemma.agent.schemas import Decision
from docgemma.tools.registry import TOOLS, Tool, ToolName


class Shape(BaseModel):
    """An answer whose fields stand in an order that is itself what is measured."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Suitable(Decision):
    """One tool, one yes or no."""

    suitable: Literal["yes", "no"]


class TaskPlan(Decision):
    """The whole way at once, in five slots: what is not needed is to be left null."""

    step_1: ToolName
    step_2: ToolName | None
    step_3: ToolName | None
    step_4: ToolName | None
    step_5: ToolName | None

    def tools(self) -> tuple[str, ...]:
        return tuple(slot for slot in dict(self).values() if slot is not None)


class Sufficiency(Decision):
    verdict: Literal["sufficient", "insufficient"]


class NextAction(Decision):
    action: Literal["retry_same", "retry_different_args", "ask_user", "skip_and_continue"]


@cache
def joint(*, reverse: bool = False) -> type[Shape]:
    """The tool and every argument of every tool in one object. All of it must be written, as a value or as null."""
    every: dict[str, FieldInfo] = {}
    for tool in TOOLS:
        every |= {name: info for name, info in tool.args.model_fields.items() if name not in every}
    return _shape("ToolCallReversed" if reverse else "ToolCall", every, reverse=reverse, tool_name=(ToolName, ...))


@cache
def nullable_arguments(tool: Tool, *, reverse: bool = False) -> type[Shape]:
    """The tool's own fields, each of which may be null; in their order, or the critical ones last."""
    name = f"{'Reversed' if reverse else 'Nullable'}{tool.args.__name__}"
    return _shape(name, tool.args.model_fields, reverse=reverse)


def _shape(name: str, fields: Mapping[str, FieldInfo], *, reverse: bool, **first: Any) -> type[Shape]:
    """Bounded as they are, and required: null is written down and not left out, so that one null can lead to the next.

    `first`: fields that stand before them.
    """
    made = dict(first)
    for field_name, info in fields.items():
        bounded: Any = info.annotation
        for bound in info.metadata:
            bounded = Annotated[bounded, bound]
        made[field_name] = (bounded | None, ...)
    ordered = dict(reversed(made.items())) if reverse else made
    return cast(type[Shape], create_model(name, __base__=Shape, **ordered))
