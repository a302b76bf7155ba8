"""What a search asks the outside world names nobody, whoever filled it in: the user, the rules or a model."""

from __future__ import annotations

import logging
import re
from pathlib import Path

import pytest
from langgraph.runtime import Runtime

from docgemma.agent.arguments import Sourced
from docgemma.agent.nodes.tool_execute import tool_execute
from docgemma.agent.patients import without_people
from docgemma.agent.state import State
from docgemma.clinical import Patient
from docgemma.entities.model import Entities
from docgemma.llm.scripted import ScriptedModel
from docgemma.tools.registry import ToolName
from tests.support.charts import put_demo_charts
from tests.support.fake_ctgov import trial
from tests.support.fake_europepmc import article
from tests.support.reading import understood
from tests.support.searching import searching
from tests.support.tables import each_of

KWAME = Patient(id="efg-654", banner="Kwame Mensah, born 1967-08-07, male, MRN …6541")
GOUT = article("90000002", "Gout", "Gout hurts.", keywords=("gout",))
TRIALS = [trial(1, "A diet for gout", conditions=["Gout"]), trial(2, "Vaccine", conditions=["Melanoma"])]
QUESTIONS = (
    "Any trials for Kwame Mensah's gout?",
    "Is there a trial for Kwame Mensah with gout in Leeds?",
    "Kwame Mensah, born 1967-08-07, has gout. Any evidence on colchicine?",
    "Find studies on gout for patient efg-654",
    "Find trials for Kwame Mensah",
    "any papers on Mensah Kwame and gout",
)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    put_demo_charts(tmp_path)
    return tmp_path


@each_of(
    ("text", "left"),
    [
        ("Any trials for Maria Garcia's melanoma?", "Any trials for melanoma?"),
        ("Any trials for Maria Garcia’s melanoma?", "Any trials for melanoma?"),
        ("Trials for a 64-year-old woman with gout", "Trials for a 64-year-old woman with gout"),
        ("Find studies on gout for patient abc-123", "Find studies on gout for patient"),
    ],
)
def test_a_search_is_told_the_question_without_the_people(text: str, left: str) -> None:
    assert without_people(text, understood(text)) == left


@pytest.mark.parametrize("pinned", [True, False], ids=["on screen", "only named"])
async def test_a_patient_never_leaves(pinned: bool, home: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    async with searching(home, articles=[GOUT], trials=TRIALS, sources="auto", tool_deadline_s=4.0) as desk:
        for question in QUESTIONS:
            await desk.stage.ask(question, **({"patient_id": KWAME.id} if pinned else {}))
        sent = desk.heard
    assert "gout" in sent.lower(), "nothing was asked, so nothing was proved"
    kept = (home / "cache.sqlite").read_bytes().decode("latin-1")
    logged = "\n".join(entry.getMessage() for entry in caplog.records if "docgemma" in entry.name)
    for place in (sent, kept, logged):
        plain = re.sub(r"%20|[+_]", " ", place).lower()
        assert "kwame" not in plain and "mensah" not in plain
        assert KWAME.id not in plain
        assert not re.search(r"(?<![0-9a-f])1967(?![0-9a-f])", plain), "by chance it may stand inside a hash"


async def test_naming_a_patient_looks_up_nobody(home: Path) -> None:
    async with searching(home, trials=TRIALS) as desk:
        turn = await desk.stage.ask("any trials for Maria Garcia's melanoma?")
    assert [(call.tool, call.args) for call in turn.tool_calls] == [("find_clinical_trials", {"condition": "melanoma"})]
    assert "NCT00000002" in turn.response
    assert "garcia" not in desk.heard.lower()


@pytest.mark.parametrize("tool", ["search_medical_literature", "find_clinical_trials"])
@pytest.mark.parametrize(
    "said", ["gout of Kwame Mensah", "MENSAH, Kwame gout", "gout efg-654", "gout, born 7 August 1967"]
)
async def test_a_call_that_names_the_patient_on_screen_tells_nobody(tool: ToolName, said: str, tmp_path: Path) -> None:
    """Whoever filled in the argument: no understanding of the request stands between it and the socket here."""
    async with searching(tmp_path, articles=[GOUT], trials=TRIALS, tool_deadline_s=2.0) as desk:
        name = "query" if tool == "search_medical_literature" else "condition"
        state: State = {
            "tool": tool,
            "args": {name: Sourced(said, "model")},
            "entities": Entities(),
            "request": said,
            "missing": (),
            "runs": (),
            "steps": 0,
            "retries": 0,
            "pinned": KWAME,
        }
        await tool_execute(state, Runtime(context=desk.stage.sessions._services))
    plain = re.sub(r"%20|[+_]", " ", desk.heard).lower()
    assert "mensah" not in plain and "efg-654" not in plain and "1967" not in plain


PLAINLY: dict[str, str] = {
    "search_medical_literature": "Find recent articles on rheumatology",
    "find_clinical_trials": "Any trials in rheumatology?",
}


@pytest.mark.parametrize(
    ("tool", "args"),
    [
        ("search_medical_literature", {"query": "Kwame Mensah efg-654 gout 1967-08-07"}),
        ("find_clinical_trials", {"condition": "gout of Kwame Mensah", "status": "born 1967-08-07"}),
    ],
)
async def test_a_model_that_puts_the_patient_into_a_search_is_not_obeyed(
    tool: ToolName, args: dict[str, str], home: Path
) -> None:
    told = {
        "intent_classify": [{"intent": "TOOL_NEEDED", "task_summary": "Search", "suggested_tool": tool}],
        "tool_select": [{"tool_name": tool}] * 4,
        "tool_select_arguments": [args] * 4,
        "error_handler": [{"strategy": "retry_different_args"}] * 4,
        "result_classify": [{"quality": "success_rich", "brief_summary": "Found."}] * 4,
        "synthesize": ["Done."] * 2,
    }
    model = ScriptedModel.by_prompt(told)
    async with searching(home, model, articles=[GOUT], trials=TRIALS, shortcuts=False, tool_deadline_s=2.0) as desk:
        turn = await desk.stage.ask(PLAINLY[tool], patient_id=KWAME.id)
    assert [call.tool for call in turn.tool_calls] == [tool]
    plain = re.sub(r"%20|[+_]", " ", desk.heard).lower()
    assert "kwame" not in plain and "efg-654" not in plain and "1967" not in plain
