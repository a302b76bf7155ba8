"""Trial questions through the whole agent: what the register is asked, the pages, and what a model may say of it."""

from __future__ import annotations

from pathlib import Path

from tests.support.fake_ctgov import trial
from tests.support.searching import searching, writing

BOSTON = ("Boston", "United States", "RECRUITING")
OPEN = trial(
    1,
    "A vaccine for melanoma",
    conditions=["Melanoma"],
    phases=["PHASE3"],
    sites=[BOSTON],
)
MANY = [
    OPEN,
    *(trial(number, f"Melanoma study {number}", "COMPLETED", conditions=["Melanoma"]) for number in range(2, 26)),
    trial(100, "Colchicine in gout", conditions=["Gout"]),
]


async def test_the_answer_names_number_status_phase_and_offers_more(tmp_path: Path) -> None:
    async with searching(tmp_path, trials=MANY) as desk:
        turn = await desk.stage.ask("Find trials for melanoma")
    (call,) = turn.tool_calls
    assert (call.args, call.status, turn.confidence) == ({"condition": "melanoma"}, "found", "high")
    assert "10 of 25 trials are shown." in turn.response
    assert "NCT00000001: A vaccine for melanoma (recruiting, Phase 3)." in turn.response
    assert "say “more” for the next page" in turn.response


async def test_more_turns_the_page_and_another_topic_starts_again(tmp_path: Path) -> None:
    async with searching(tmp_path, trials=MANY) as desk:
        turn = await desk.stage.ask("Find completed trials for melanoma")
        shown = set(_numbers(turn.response))
        for page, said in ((2, "more"), (3, "any others?")):
            turn = await desk.stage.ask(said, session_id=turn.session_id)
            assert turn.tool_calls[0].args["page"] == page
            assert turn.tool_calls[0].args["status"] == "completed"
            assert not shown & set(_numbers(turn.response))
            shown |= set(_numbers(turn.response))
        assert len(shown) == 24
        turn = await desk.stage.ask("more", session_id=turn.session_id)
        assert "not more" in turn.response
        turn = await desk.stage.ask("Find trials for gout", session_id=turn.session_id)
        assert turn.tool_calls[0].args == {"condition": "gout"}


async def test_what_narrowed_the_first_page_narrows_the_others(tmp_path: Path) -> None:
    near = [
        trial(
            number,
            f"Melanoma study {number}",
            conditions=["Melanoma"],
            sites=[BOSTON],
        )
        for number in range(1, 30)
    ]
    async with searching(tmp_path, trials=near) as desk:
        turn = await desk.stage.ask("Any melanoma trials near Boston for a 64-year-old woman?")
        for _ in range(2):
            turn = await desk.stage.ask("more", session_id=turn.session_id)
            assert turn.tool_calls[0].status == "found"
    for question in desk.ctgov.questions:
        assert question.params["query.locn"] == "Boston"
        assert "64 years" in question.params["filter.advanced"]


async def test_of_two_searches_each_has_its_own_place(tmp_path: Path) -> None:
    async with searching(tmp_path, trials=MANY) as desk:
        await desk.stage.ask("trials for gout in Leeds and for melanoma in Boston")
    asked = {question.params["query.cond"]: question.params["query.locn"] for question in desk.ctgov.questions}
    assert asked == {"gout": "Leeds", "melanoma": "Boston"}


async def test_a_model_may_not_open_a_trial_that_is_closed(tmp_path: Path) -> None:
    said = (
        "NCT00000001 is recruiting and tests a vaccine. NCT00000002 is recruiting as well. "
        "NCT00000003 is a phase 4 trial. NCT00099999 may also help."
    )
    async with searching(tmp_path, writing(said), trials=MANY) as desk:
        turn = await desk.stage.ask("Find trials for melanoma")
    assert "NCT00000001 is recruiting and tests a vaccine." in turn.response
    assert not any(number in turn.response for number in ("NCT00000002", "NCT00000003", "NCT00099999"))
    assert turn.confidence == "medium"
    assert any("was withheld" in notice for notice in turn.notices)


def _numbers(text: str) -> list[str]:
    return [word.strip("-: ") for word in text.split() if word.startswith("NCT")]
