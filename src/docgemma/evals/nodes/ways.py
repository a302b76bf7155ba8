"""Every named way of asking, with the kinds of cases it is for and what the specification measured with it."""

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
from docgemma.evals.nodes.cases import Case, Kind
from docgemma.evals.suite import STANDARD, Configuration
from docgemma.tools.registry import REGISTRY

Ask = Callable[[Asker, Case, State], Awaitable[Reply]]
WARM = 0.3


@dataclass(frozen=True, slots=True)
class Way:
    """One configuration. `by_rules`: also the back end without a model can answer it. `fills`: the tool comes with its
    arguments. `few`: asked of the cases marked for it alone, because each costs ten calls. `several_fields`: only of
    tools whose fields have an order.
    """

    name: str
    kinds: frozenset[Kind]
    ask: Ask
    means: str
    finding: str = ""
    by_rules: bool = False
    fills: bool = False
    few: bool = False
    several_fields: bool = False
    temperature: float = 0.0

    def takes(self, case: Case) -> bool:
        if case.kind not in self.kinds or (self.few and not case.probe):
            return False
        return not self.several_fields or (case.tool is not None and len(REGISTRY[case.tool].args.model_fields) > 1)

    def configuration(self) -> Configuration:
        return Configuration(self.name, self.means, self.finding)


def _of_product(name: str, kind: Kind, ask: Ask, means: str, finding: str = "") -> Way:
    return Way(name, frozenset({kind}), ask, means, finding, by_rules=True)


def _selects(name: str, ask: Ask, means: str, finding: str, *, few: bool = False, fills: bool = False) -> Way:
    return Way(name, frozenset({"selection"}), ask, means, finding, few=few, fills=fills)


def _fills(name: str, ask: Ask, means: str, finding: str, *, several_fields: bool = False) -> Way:
    return Way(name, frozenset({"arguments"}), ask, means, finding, several_fields=several_fields)


def _control(name: str, kind: Kind, ask: Ask, means: str, finding: str) -> Way:
    return Way(name, frozenset({kind}), ask, means, finding)


_FULL = "full descriptions, no example"
_ORDER = "tools with several fields, no hints"

WAYS: tuple[Way, ...] = (
    Way(
        STANDARD,
        ASKED_BY_PRODUCT,
        any_kind,
        "every node as the product asks it, with all ten tools open",
        by_rules=True,
    ),
    _of_product("intent_standard", "intent", intent, "direct, or a tool is needed"),
    _control(
        "intent_shots",
        "intent",
        intent_with_examples,
        "six requests that were sorted before, three of each",
        "not measured there",
    ),
    _selects("selection_full", Selection(), _FULL, "95 % (§12, Part II §16)"),
    _selects(
        "selection_short",
        Selection(SHORT_LIST),
        "a few words and the arguments in brackets, no example",
        "80 % (§13, Part II §16)",
    ),
    _selects("selection_none", Selection(BARE_LIST), "names alone, no example", "better than short ones (§13)"),
    _selects(
        "selection_joint",
        Joint(),
        "tool and arguments in one answer",
        "80 %, in two stages 90 % (§4, Part II §17)",
        fills=True,
    ),
    _selects(
        "selection_joint_reversed",
        Joint(reverse=True),
        "tool and arguments in one answer, the tool last",
        "arguments 21 %, the tool first 88 % (§12, Part II §20)",
        fills=True,
    ),
    _selects(
        "selection_reasoned", reasoned, "free reasoning first, then the tool", "55 %, without 80 % (§13, Part II §22)"
    ),
    _selects(
        "selection_probed",
        probed,
        "each tool by itself: suitable or not",
        "25 %, 6.5 of 10 called suitable (§13, Part II §21)",
        few=True,
    ),
    _selects("selection_shots_0", Selection(), f"{_FULL}: as selection_full", "the same as five (§13, Part II §19)"),
    _selects(
        "selection_shots_1", Selection(shots=1), "one example, matched", "the best number; arguments 91 % (Part II §19)"
    ),
    _selects("selection_shots_3", Selection(shots=3), "three examples, the first matched", "(Part II §19)"),
    _selects(
        "selection_shots_5",
        Selection(shots=5),
        "five examples, the first matched",
        "the same as none (§13, Part II §19)",
    ),
    _selects(
        "selection_shot_misleading",
        Selection(shots=1, misleading=True),
        "one example, for another tool than the likely one",
        "not measured there",
    ),
    _selects(
        "selection_prefix",
        Selection(prefix=True),
        'ends with "Analyzing the task requirements, "',
        "5 points more (§4)",
    ),
    Way(
        "selection_warm",
        frozenset({"selection"}),
        Selection(),
        "as selection_full, at temperature 0.3",
        "3.2 points more parse errors (§13, Part III §30)",
        temperature=WARM,
    ),
    _of_product(
        "step_standard",
        "step",
        selection,
        "the next tool after a result, or none",
        "63 % a step (§4, Part III §32)",
    ),
    _of_product(
        "arguments_hints",
        "arguments",
        arguments,
        "with what rules detected, as the product",
        "patient ids 93.8 % without (§4); with hints not measured there",
    ),
    _fills(
        "arguments_no_hints",
        Filling(),
        "without what rules detected",
        "75.6 %; drug names 56.2 %, person names 50 % (§4, Part II §24)",
    ),
    _fills(
        "arguments_shot",
        Filling(example=True),
        "without hints, one worked example of the same tool",
        "91 % (§12, Part II §19)",
    ),
    _fills(
        "arguments_first",
        Filling(),
        f"{_ORDER}, critical fields first",
        "88 % (§12, Part II §20)",
        several_fields=True,
    ),
    _fills(
        "arguments_nullable",
        Filling("nullable"),
        f"{_ORDER}, critical fields first, each may be null",
        "not measured by itself",
        several_fields=True,
    ),
    _fills(
        "arguments_reversed",
        Filling("reversed"),
        f"{_ORDER}, critical fields last, each may be null",
        "21 % (§12, Part II §20)",
        several_fields=True,
    ),
    _of_product("result_formatted", "result", result, "in prepared words", "94.1 % (§12, Part III §29)"),
    _control(
        "result_raw",
        "result",
        raw_result,
        "raw errors and data",
        "answers from raw errors: 4.8 of 10, prepared 10 (§10, Part IV §48)",
    ),
    _of_product("retry_standard", "retry", retry, "the same again or in other words", "92 % (§12, Part III §35)"),
    _control("plan_full", "plan", plan, "all steps at once, in five slots", "0 to 10 % (§13, Part III §31)"),
    _control(
        "sufficiency",
        "sufficiency",
        sufficiency,
        "whether it is enough",
        "0 % where it is enough (§13, Part III §34)",
    ),
    _control(
        "deferral",
        "deferral",
        deferral,
        "ask the clinician, go on without, or try again",
        "0 % on asking, 0 % on going on (§12, Part III §30, §35)",
    ),
)
BY_NAME: dict[str, Way] = {way.name: way for way in WAYS}
