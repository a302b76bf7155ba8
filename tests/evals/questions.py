"""Small cases and a suite with a scripted model, for the tests of this folder."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from docgemma.config import Settings
from docgemma.evals.nodes import Case, Nodes
from docgemma.evals.suite import Variant
from docgemma.llm.contract import LanguageModel
from docgemma.llm.scripted import Answer, ScriptedModel

TIMEOUT = {
    "tool": "check_drug_safety",
    "args": {"drug_name": "amiodarone"},
    "result": {"status": "unavailable", "error_type": "timeout"},
}
FOUND = {
    "tool": "check_drug_safety",
    "args": {"drug_name": "dofetilide"},
    "result": {"status": "found", "drug": "dofetilide", "boxed_warnings": ["Start under ECG monitoring."]},
}


def case(kind: str, say: str = "Any boxed warning for dofetilide?", **more: Any) -> Case:
    return Case.model_validate({"id": f"a-{kind}", "kind": kind, "say": say} | more)


def selection(**more: Any) -> Case:
    return case("selection", **({"expect": "check_drug_safety"} | more))


def order(**arguments: Any) -> Case:
    """What is to be told for an order; the words do not matter to a scorer."""
    return case("arguments", tool="prescribe_medication", arguments=arguments)


def one_of_each() -> tuple[Case, ...]:
    """One case of every kind that the product asks, in the order of a turn."""
    return (
        case("intent", expect="TOOL_NEEDED", tool="check_drug_safety"),
        selection(),
        case("arguments", tool="check_drug_safety", arguments={"drug_name": "dofetilide"}),
        case("result", expect="success_rich", results=[FOUND]),
        case("step", expect="none", results=[FOUND]),
        case("retry", say="Warnings for amiodarone?", expect="retry_same", results=[TIMEOUT]),
    )


class Scripted(Nodes):
    """The suite with a model whose answers are written down."""

    def __init__(self, *answers: Answer) -> None:
        self.scripted = ScriptedModel(*answers)

    @asynccontextmanager
    async def model(self, settings: Settings, variant: Variant) -> AsyncIterator[LanguageModel]:
        yield self.scripted
