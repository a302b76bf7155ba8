"""The suite from end to end: with a model whose answers are written down, with rules, and with one that fails."""

from __future__ import annotations

from pathlib import Path

import pytest

from docgemma.config import Settings
from docgemma.errors import BadInput, ModelOutputInvalid, ModelUnreachable
from docgemma.evals.nodes import Nodes
from docgemma.evals.running import Run, run_suite
from docgemma.evals.suite import CaseRecord, Variant, suite_of
from docgemma.evals.summary import summarize
from tests.evals.nodes.made import Scripted, case, one_of_each, selection
from tests.support.model_server import Answer, ModelServer, obedient

RIGHT = (
    {"intent": "TOOL_NEEDED", "task_summary": "x", "suggested_tool": "check_drug_safety"},
    {"tool_name": "check_drug_safety"},
    {"drug_name": "dofetilide"},
    {"quality": "success_rich", "brief_summary": "x"},
    {"tool_name": "none"},
    {"strategy": "retry_same"},
)


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(home=tmp_path / "mine", model="rules")


async def run(suite: Nodes, settings: Settings, *configurations: str) -> Run:
    variants = [Variant(configuration=name) for name in configurations or ("standard",)]
    return await run_suite(suite, settings, one_of_each(), variants)


async def test_right_answers_miss_nothing(settings: Settings) -> None:
    suite = Scripted(*RIGHT)
    (report,) = summarize(suite, await run(suite, settings))
    assert report.misses == ()
    assert report.model == "scripted"
    assert report.model_calls_per_turn == 1
    assert report.totals.scores["right"].passed == report.totals.scores["valid"].passed == 6
    assert set(report.kinds) == {"intent", "selection", "arguments", "result", "step", "retry"}


async def test_wrong_answers_are_missed_by_kind_and_told(settings: Settings) -> None:
    wrong = ({"tool_name": "prescribe_medication"}, {"drug_name": "dronedarone"})
    suite = Scripted(RIGHT[0], *wrong, *RIGHT[3:])
    (report,) = summarize(suite, await run(suite, settings))
    assert [miss.kind for miss in report.misses] == ["selection", "arguments"]
    assert report.kinds["selection"].scores["right"].passed == 0
    assert report.kinds["intent"].scores["right"].passed == 1
    assert report.figures["write tools chosen where no entry was asked for"] == 1


async def test_what_was_asked_is_kept_for_the_drill_down(settings: Settings) -> None:
    record = (await run(Scripted(*RIGHT), settings)).records[1]
    (asked,) = record.asked
    assert asked.prompt == "tool_select"
    assert "User query: Any boxed warning for dofetilide?" in asked.text
    assert asked.answer == '{"tool_name":"check_drug_safety"}'
    assert CaseRecord.model_validate_json(record.model_dump_json()) == record


async def test_an_answer_that_never_fits_is_a_miss_and_no_rule_helps(settings: Settings) -> None:
    suite = Scripted(RIGHT[0], ModelOutputInvalid("The model's answer is not well-formed JSON."), *RIGHT[2:])
    result = await run(suite, settings)
    missed = result.records[1]
    assert missed.scores == {"right": 0, "acceptable": 0, "valid": 0}
    assert missed.differences[0].got == "The model's answer is not well-formed JSON."
    assert (missed.error, missed.rule_instead) == (None, False)
    assert missed.asked[0].answer == "nothing that fits"


@pytest.mark.parametrize(("way", "lost"), [("selection_full", False), ("selection_joint", True)])
async def test_a_lost_answer_counts_for_what_was_asked(settings: Settings, way: str, lost: bool) -> None:
    """Arguments are missed where they were asked for, and not where only the tool was."""
    suite = Scripted(ModelOutputInvalid("The model's answer contains no object."))
    told = selection(arguments={"drug_name": "dofetilide"})
    (record,) = (await run_suite(suite, settings, [told], [Variant(configuration=way)])).records
    assert record.scores["right"] == 0
    assert (record.scores.get("arguments") == 0) == lost


async def test_a_model_that_is_away_is_an_error_that_counts(settings: Settings) -> None:
    gone = ModelUnreachable("The model server could not be reached.")
    suite = Scripted(*[gone] * 6)
    (report,) = summarize(suite, await run(suite, settings))
    assert report.errors == 6
    assert (report.totals.scores["right"].passed, report.totals.scores["right"].scored) == (0, 6)
    assert report.totals.scores["valid"].scored == 0


async def test_a_second_try_is_not_valid_but_may_be_right(settings: Settings) -> None:
    """Over real HTTP: the first reply is cut off, the second fits."""
    seen: list[str] = []

    def cut_once(body: dict[str, object]) -> Answer:
        if body["messages"] and "Name one colour" in str(body["messages"]):
            return obedient(body)
        seen.append("x")
        return Answer('{"tool_name": "check_drug') if len(seen) == 1 else Answer('{"tool_name": "check_drug_safety"}')

    async with ModelServer(cut_once) as server:
        mine = settings.model_copy(update={"model": "openai", "model_url": server.url})
        result = await run_suite(Nodes(), mine, [selection()], [Variant(configuration="selection_warm")])
        warm = [body for body in server.requests if "Select the single" in str(body)]
    (record,) = result.records
    assert record.scores == {"right": 1, "acceptable": 1, "valid": 0}
    assert record.llm_calls == 2
    assert [body["temperature"] for body in warm] == [0.3, 0.3]


async def test_rules_answer_what_the_product_asks_and_nothing_else(settings: Settings) -> None:
    result = await run(Nodes(), settings)
    assert [record.scores["right"] for record in result.records] == [1, 1, 1, 1, 0, 1]  # rules never say "none"
    assert all(record.llm_calls == 0 and "valid" not in record.scores for record in result.records)
    with pytest.raises(BadInput, match="'selection_short' asks in another way"):
        await run(Nodes(), settings, "selection_short")


async def test_each_configuration_takes_its_own_cases_and_says_what_the_specification_found(settings: Settings) -> None:
    plan = case("plan", plan=["check_drug_safety"])
    suite = Scripted({f"step_{place}": "check_drug_safety" for place in range(1, 6)})
    result = await run_suite(suite, settings, [*one_of_each(), plan], [Variant(configuration="plan_full")])
    (report,) = summarize(suite, result)
    assert report.totals.cases == 1
    assert report.figures["specification"] == "0 to 10 % (§13, Part III §31)"
    assert (report.figures["steps planned, mean"], report.figures["steps needed, mean"]) == (5, 1)


def test_it_is_in_the_catalogue_and_every_way_has_a_name_of_its_own() -> None:
    suite = suite_of("nodes")
    names = [each.name for each in suite.about.configurations]
    assert isinstance(suite, Nodes)
    assert names[0] == "standard"
    assert len(set(names)) == len(names)
    assert all(each.finding for each in suite.about.configurations if not each.name.endswith("standard"))
