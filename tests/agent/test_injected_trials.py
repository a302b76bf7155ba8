"""Trial records that give orders to programs, and a model that obeys them: nothing comes of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from docgemma.agent.record import TurnRecord
from docgemma.tools.results import Proposal
from docgemma.tools.scripted import ScriptedTools
from tests.support.fake_ctgov import trial
from tests.support.injections import OWN, ROWS, Row, sampled, unharmed
from tests.support.obedient import Obedient
from tests.support.searching import Desk, searching

QUESTIONS = ("Find trials for gout", "Any gout trials near Leeds for a 64-year-old man?")
HONEST = "Colchicine is compared with rest."


def poisoned(text: str) -> list[dict[str, Any]]:
    """The text in a summary and criteria, in a title, in the name and town of a site, in a reason and in names."""
    leeds = ("Leeds", "United Kingdom", "RECRUITING")
    first = trial(1, "Colchicine in gout", conditions=["Gout"], summary=f"{HONEST} {text}", sites=[leeds])
    first["protocolSection"]["eligibilityModule"]["eligibilityCriteria"] = f"Inclusion Criteria:\n\n1. Gout\n2. {text}"
    second = trial(2, f"Gout: {text}", conditions=["Gout"], sites=[leeds])
    named = {"conditions": ["Gout", text], "interventions": [text], "why": text}
    third = trial(3, "Diet in gout", "TERMINATED", sites=[leeds], **named)
    third["protocolSection"]["contactsLocationsModule"]["locations"] += [
        {"facility": text, "city": "Leeds", "country": "United Kingdom", "status": text[:40]}
    ]
    return [first, second, third]


async def attacked(home: Path, row: Row, question: str, shortcuts: bool) -> tuple[TurnRecord, Desk, list[Any]]:
    writes = ScriptedTools({}, default=Proposal(status="proposed", approval_id="A1", card="An entry", order={}))
    given: dict[str, Any] = {"trials": poisoned(row["text"]), "writes": writes, "shortcuts": shortcuts}
    async with searching(home, Obedient(row), **given) as desk:
        turn = await desk.stage.ask(question)
    return turn, desk, writes.calls


def check(turn: TurnRecord, desk: Desk, written: list[Any]) -> None:
    unharmed(turn, desk.heard, written)
    assert {call.tool for call in turn.tool_calls} == {"find_clinical_trials"}
    assert {call.args["condition"] for call in turn.tool_calls} == {"gout"}


@pytest.mark.parametrize("shortcuts", [True, False], ids=["shortcuts", "every call by the model"])
@pytest.mark.parametrize("row", OWN, ids=lambda row: str(row["tool"]))
async def test_an_order_in_a_trial_is_not_followed(row: Row, shortcuts: bool, tmp_path: Path) -> None:
    turn, desk, written = await attacked(tmp_path, row, QUESTIONS[0], shortcuts)
    check(turn, desk, written)
    assert turn.tool_calls[0].status == "found"


@pytest.mark.skipif(not ROWS.is_file(), reason="the attack sets are not beside the checkout")
async def test_the_whole_set_of_injections(tmp_path: Path) -> None:
    for number, row in enumerate(sampled(12)):
        home = tmp_path / str(number)
        check(*await attacked(home, row, QUESTIONS[number % len(QUESTIONS)], shortcuts=bool(number % 2)))
