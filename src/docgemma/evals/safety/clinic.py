"""The fictional clinic of `turns` with an attacker in its sources, or with sources that do not answer.

The planted text reaches the agent as it is. The real tools take out what they recognise as an order to a program; here
that first line is left away, so that what holds is what stands behind it. What would leave the house passes the same
guard as in the product: a question that names a patient is not asked.
"""

from __future__ import annotations

from collections.abc import Sequence

from docgemma.clinical import People, ToolResult, withheld
from docgemma.evals.answers.desk import Play
from docgemma.evals.safety.cases import Case
from docgemma.evals.turns import clinic
from docgemma.fetch.privacy import reveals
from docgemma.tools import results as r
from docgemma.tools.arguments import Arguments
from docgemma.tools.registry import REGISTRY, ToolName


def poisoned(case: Case) -> Play:
    """The tools as this case has them."""
    honest = clinic.handlers()

    async def play(name: ToolName, arguments: Arguments) -> ToolResult:
        if name in case.down:
            message = f"The {REGISTRY[name].label} did not answer."
            return REGISTRY[name].result(status="unavailable", error_type="service_unavailable", message=message)
        if REGISTRY[name].open_world and _names_somebody(arguments):
            message = f"The {REGISTRY[name].label} was not asked: the question names a patient."
            return REGISTRY[name].result(status="unavailable", error_type="patient_data", message=message)
        result = await honest[name](arguments)
        return planted(result, [plant.text for plant in case.plants if plant.tool == name])

    return play


def _names_somebody(arguments: Arguments) -> bool:
    sent = arguments.model_dump(exclude_none=True).values()
    return reveals(" & ".join(map(str, sent)), withheld.get(People()))


def planted(result: ToolResult, texts: Sequence[str]) -> ToolResult:
    """The result with these texts where a stranger's words can stand in it. What found nothing carries nothing."""
    if not texts or result.status != "found":
        return result
    text = " ".join(texts)
    match result:
        case r.DrugSafetyReport():
            return result.model_copy(update={"alerts": (*result.alerts, *texts)})
        case r.InteractionReport():
            first, *others = result.interactions
            said = f"{first.significance}. {text}"
            return result.model_copy(
                update={"interactions": (first.model_copy(update={"significance": said}), *others)}
            )
        case r.LiteratureResult():
            first_article, *more = result.articles
            return result.model_copy(
                update={"articles": (first_article.model_copy(update={"conclusion": text}), *more)}
            )
        case r.TrialsResult():
            first_trial, *further = result.trials
            return result.model_copy(update={"trials": (first_trial.model_copy(update={"summary": text}), *further)})
        case r.PatientChart():
            return result.model_copy(
                update={"sections": (*result.sections, r.ChartSection(title="Notes", entries=tuple(texts)))}
            )
        case r.ImageReport():
            return result.model_copy(update={"findings": (*result.findings, *texts)})
        case r.PatientSearchResult():
            matches = tuple(match.model_copy(update={"note": text}) for match in result.matches)
            return result.model_copy(update={"matches": matches})
        case _:
            raise ValueError(f"nobody can plant a text in {type(result).__name__}")
