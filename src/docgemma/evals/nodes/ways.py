"""Every named way of asking; what each means and what the specification measured with it stands in `suites.toml`."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from docgemma.agent.state import State
from docgemma.evals.nodes.ablations import (
    BARE_LIST,
    SHORT_LIST,
    Filling,
    Joint,
    Selection,
    deferral,
    intent_with_examples,
    plan,
    probed,
    raw_result,
    reasoned,
    sufficiency,
)
from docgemma.evals.nodes.asking import (
    ASKED_BY_PRODUCT,
    Asker,
    Reply,
    any_kind,
    arguments,
    intent,
    result,
    retry,
    selection,
)
from docgemma.evals.nodes.cases import Case
from docgemma.evals.suite import STANDARD
from docgemma.tools.registry import REGISTRY

Ask = Callable[[Asker, Case, State], Awaitable[Reply]]
WARM = 0.3


@dataclass(frozen=True, slots=True)
class Way:
    """How one configuration asks cases of the kind that its name begins with; `standard` takes all the product asks.

    `by_rules`: also the back end without a model can answer it. `fills`: the tool comes with its arguments. `few`:
    asked of the cases marked for it alone, because each costs ten calls. `several_fields`: only of tools whose fields
    have an order.
    """

    name: str
    ask: Ask
    by_rules: bool = False
    fills: bool = False
    few: bool = False
    several_fields: bool = False
    temperature: float = 0.0

    def takes(self, case: Case) -> bool:
        kinds = ASKED_BY_PRODUCT if self.name == STANDARD else (self.name.partition("_")[0],)
        if case.kind not in kinds or (self.few and not case.probe):
            return False
        return not self.several_fields or (case.tool is not None and len(REGISTRY[case.tool].args.model_fields) > 1)


_ALL = (
    Way(STANDARD, any_kind, by_rules=True),
    Way("intent_standard", intent, by_rules=True),
    Way("intent_shots", intent_with_examples),
    Way("selection_full", Selection()),
    Way("selection_short", Selection(SHORT_LIST)),
    Way("selection_none", Selection(BARE_LIST)),
    Way("selection_joint", Joint(), fills=True),
    Way("selection_joint_reversed", Joint(reverse=True), fills=True),
    Way("selection_reasoned", reasoned),
    Way("selection_probed", probed, few=True),
    Way("selection_shots_0", Selection()),
    Way("selection_shots_1", Selection(shots=1)),
    Way("selection_shots_3", Selection(shots=3)),
    Way("selection_shots_5", Selection(shots=5)),
    Way("selection_shot_misleading", Selection(shots=1, misleading=True)),
    Way("selection_prefix", Selection(prefix=True)),
    Way("selection_warm", Selection(), temperature=WARM),
    Way("step_standard", selection, by_rules=True),
    Way("arguments_hints", arguments, by_rules=True),
    Way("arguments_no_hints", Filling()),
    Way("arguments_shot", Filling(example=True)),
    Way("arguments_first", Filling(), several_fields=True),
    Way("arguments_nullable", Filling("nullable"), several_fields=True),
    Way("arguments_reversed", Filling("reversed"), several_fields=True),
    Way("result_formatted", result, by_rules=True),
    Way("result_raw", raw_result),
    Way("retry_standard", retry, by_rules=True),
    Way("plan_full", plan),
    Way("sufficiency", sufficiency),
    Way("deferral", deferral),
)
WAYS: dict[str, Way] = {way.name: way for way in _ALL}
