"""What these questions allow as an answer. Not for the product: most of them show what a schema must not look like."""

from __future__ import annotations

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
        slots = (self.step_1, self.step_2, self.step_3, self.step_4, self.step_5)
        return tuple(slot for slot in slots if slot is not None)


class Sufficiency(Decision):
    verdict: Literal["sufficient", "insufficient"]


class NextAction(Decision):
    action: Literal["retry_same", "retry_different_args", "ask_user", "skip_and_continue"]


@cache
def joint(*, reverse: bool = False) -> type[Shape]:
    """The tool and every argument of every tool in one object. All of it must be written, as a value or as null."""
    every: dict[str, FieldInfo] = {}
    for tool in TOOLS:
        for name, field in tool.args.model_fields.items():
            every.setdefault(name, field)
    nullable = {name: _nullable(field) for name, field in every.items()}
    fields = {"tool_name": (ToolName, ...), **nullable}
    return _shape("ToolCallReversed" if reverse else "ToolCall", fields, reverse=reverse)


@cache
def nullable_arguments(tool: Tool, *, reverse: bool = False) -> type[Shape]:
    """The tool's own fields, each of which may be null; in their order, or the critical ones last."""
    fields = {name: _nullable(field) for name, field in tool.args.model_fields.items()}
    name = tool.args.__name__
    return _shape(f"Reversed{name}" if reverse else f"Nullable{name}", fields, reverse=reverse)


def _nullable(field: FieldInfo) -> tuple[Any, Any]:
    """Bounded as it is, and required: null is written down and not left out, so that one null can lead to the next."""
    bounded: Any = field.annotation
    for bound in field.metadata:
        bounded = Annotated[bounded, bound]
    return (bounded | None, ...)


def _shape(name: str, fields: dict[str, Any], *, reverse: bool) -> type[Shape]:
    ordered = dict(reversed(fields.items())) if reverse else fields
    return cast(type[Shape], create_model(name, __base__=Shape, **ordered))
