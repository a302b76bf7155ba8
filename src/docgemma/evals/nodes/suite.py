"""The suite `nodes`: one question to the model at a time, as the product asks it or in a way that was once measured.

No graph, no tool and no rule stands around the model here: what it gets wrong shows, also what code would catch.
"""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

from docgemma.agent.record import Tokens
from docgemma.clinical import holding
from docgemma.config import Settings
from docgemma.errors import BadInput, ModelError, ModelUnreachable
from docgemma.evals.apart import open_apart
from docgemma.evals.contract import STANDARD, Bench, CaseRecord, Difference, Metric, Outcome, Suite, Variant
from docgemma.evals.nodes.asking import Asker, Reply
from docgemma.evals.nodes.cases import Case, load_cases
from docgemma.evals.nodes.scoring import counts, differences, score
from docgemma.evals.nodes.situation import state_of
from docgemma.evals.nodes.ways import BY_NAME, WAYS, Way
from docgemma.evals.statistics import mean
from docgemma.llm.contract import LanguageModel, Usage, usage


class Nodes(Suite[Case]):
    """What a model can do by itself, one decision at a time: the tables of the specification, for any model."""

    name = "nodes"
    title = "Nodes"
    whole = (STANDARD, "plan_full", "sufficiency", "deferral")
    metrics = (
        Metric("right", "exactly the expected answer; of arguments and plans, all of it"),
        Metric("acceptable", "right, or another answer that would serve; of a plan, the same tools in another order"),
        Metric("arguments", "the share of the values of a call that mean what was said"),
        Metric("valid", "an answer that fits its schema at the first try"),
        Metric("suggested", "beside the intent, the tool that serves", headline=False),
        Metric("unsaid", "what nobody said was left blank", headline=False),
        Metric("drug_names", "names of drugs in a call", headline=False),
        Metric("patient_ids", "patient ids in a call", headline=False),
        Metric("person_names", "names of people in a call", headline=False),
        Metric("enough", "where it is enough, it was called enough", headline=False),
        Metric("asked", "where only the clinician can settle it, the clinician is asked", headline=False),
        Metric("skipped", "where trying again is of no use, it is skipped", headline=False),
    )
    configurations = tuple(way.configuration() for way in WAYS)

    def load(self, path: Path | None) -> tuple[Case, ...]:
        return load_cases(path)

    def takes(self, case: Case, configuration: str) -> bool:
        return BY_NAME[configuration].takes(case)

    @asynccontextmanager
    async def open(self, settings: Settings, variant: Variant) -> AsyncIterator[Bench[Case]]:
        way = BY_NAME[variant.configuration]
        async with self.model(settings, variant) as model:
            if model.name == "rules" and not way.by_rules:
                raise BadInput(
                    f"'{way.name}' asks in another way than the product does, and no rule answers that: "
                    "name a model with --model-url, or leave this configuration out."
                )
            yield Bench(model.name, partial(run_case, model, way))

    @asynccontextmanager
    async def model(self, settings: Settings, variant: Variant) -> AsyncIterator[LanguageModel]:
        """The configured back end as it is: no rule takes its place when it fails."""
        async with open_apart(settings, variant) as app:
            yield app.model

    def figures(self, records: tuple[CaseRecord, ...]) -> Mapping[str, Any]:
        """What was asked, what the specification found, and how this way of asking goes wrong."""
        way = BY_NAME.get(records[0].variant, BY_NAME["standard"])
        found: dict[str, Any] = {"asked": way.means} | ({"specification": way.finding} if way.finding else {})
        for name, words in _MEANS.items():
            values = [record.counts[name] for record in records if name in record.counts]
            if values:
                found[words] = round(mean(values), 2)
        writes = [record.counts["unasked_write"] for record in records if "unasked_write" in record.counts]
        return found | ({"write tools chosen where no entry was asked for": int(sum(writes))} if writes else {})


_MEANS = {
    "approved": "tools called suitable, of ten",
    "steps_planned": "steps planned, mean",
    "steps_needed": "steps needed, mean",
}


async def run_case(model: LanguageModel, way: Way, case: Case) -> Outcome:
    """Ask, and score what came back. No usable answer is a miss of everything, with the reason in words."""
    spent, asker = Usage(), Asker(model, temperature=way.temperature)
    clock = time.perf_counter()
    with holding(usage, spent):
        try:
            reply, failure = await way.ask(asker, case, state_of(case)), None
        except ModelError as error:
            reply, failure = Reply(arguments={} if way.fills else None), error
    scores = score(case, reply)
    if failure is not None:
        scores = dict.fromkeys(scores, 0.0)
    if spent.calls and not isinstance(failure, ModelUnreachable):
        scores["valid"] = float(failure is None and asker.again == 0)
    told = (Difference(column="right", expected="an answer that fits", got=str(failure)),) if failure else ()
    return Outcome(
        scores=scores,
        differences=told or differences(case, reply),
        error=str(failure) if isinstance(failure, ModelUnreachable) else None,
        llm_calls=spent.calls,
        tokens=Tokens(prompt=spent.prompt_tokens, completion=spent.completion_tokens),
        duration_ms=(time.perf_counter() - clock) * 1000,
        counts={} if failure else counts(case, reply),
        asked=tuple(asker.asked),
    )
