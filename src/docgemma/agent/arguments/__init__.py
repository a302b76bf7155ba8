"""The arguments of a tool call, each with where it comes from: found by rule, or read by a model and checked."""

from docgemma.agent.arguments.by_model import check_model_args
from docgemma.agent.arguments.by_rule import find
from docgemma.agent.arguments.sourced import Context, Found, Sourced, declared

__all__ = ["Context", "Found", "Sourced", "check_model_args", "declared", "find"]
