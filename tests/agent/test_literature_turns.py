"""Literature questions through the whole agent: what is asked of Europe PMC, what the answer says, how sure it is."""

from __future__ import annotations

from pathlib import Path

from docgemma.agent.nodes.input_assembly import BEST_ALREADY
from tests.support.fake_europepmc import article
from tests.support.searching import SILENT, searching, writing

GOUT = article(
    "90000002",
    "Colchicine for acute gout",
    "<h4>Methods</h4>We gave 0.5 mg twice daily.<h4>Conclusions</h4>Low-dose colchicine was as good as high-dose.",
    types=("randomized controlled trial",),
    keywords=("gout", "colchicine"),
)
EARLY = article("PPR9", "Colchicine for gout at home", "Home treatment of gout worked.", source="PPR", year=2026)
QUESTION = "Is there evidence for colchicine in gout?"


async def test_the_answer_quotes_the_conclusion_and_is_of_medium_confidence(tmp_path: Path) -> None:
    async with searching(tmp_path, articles=[GOUT, EARLY]) as desk:
        turn = await desk.stage.ask(QUESTION)
    (call,) = turn.tool_calls
    assert (call.tool, call.args, call.status) == (
        "search_medical_literature",
        {"query": "colchicine in gout"},
        "found",
    )
    assert "PMID 90000002." in turn.response
    assert "“Low-dose colchicine was as good as high-dose.”" in turn.response
    assert "[preprint, not peer-reviewed]" in turn.response
    assert turn.confidence == "medium", "an abstract is not the whole article"
    assert [source.kind for source in turn.sources] == ["article", "article"]
    assert any("preprint" in notice for notice in turn.notices)


async def test_the_tool_is_told_the_question_and_the_years_in_it_count(tmp_path: Path) -> None:
    async with searching(tmp_path, articles=[GOUT]) as desk:
        await desk.stage.ask("Evidence for colchicine in gout, RCTs since 2020")
    assert "2020" in desk.europepmc.queries[0], "the years stand in the question and not in the topic"


async def test_a_wider_search_is_said(tmp_path: Path) -> None:
    async with searching(tmp_path, articles=[GOUT]) as desk:
        turn = await desk.stage.ask("Find studies on colchicine in gout in zebrafish")
    assert desk.europepmc.count == 2
    assert "This is what a wider search found:" in turn.response


async def test_nothing_found_does_not_reassure(tmp_path: Path) -> None:
    async with searching(tmp_path) as desk:
        turn = await desk.stage.ask("Find studies on colchicine in gout")
    (call,) = turn.tool_calls
    assert (call.status, turn.confidence) == ("none", "medium")
    assert "That does not mean that there is no evidence." in turn.response


async def test_more_says_how_to_get_others(tmp_path: Path) -> None:
    async with searching(tmp_path, articles=[GOUT]) as desk:
        first = await desk.stage.ask(QUESTION)
        for said in ("more", "more papers please"):
            turn = await desk.stage.ask(said, session_id=first.session_id)
            assert (turn.response, turn.tool_calls, turn.notices) == (BEST_ALREADY, (), ())
            first = await desk.stage.ask(QUESTION, session_id=first.session_id)


async def test_without_network_and_packs_it_says_how_to_build_one(tmp_path: Path) -> None:
    async with searching(tmp_path, sources="pack") as desk:
        for question, kind in ((QUESTION, "europepmc"), ("Find trials for gout", "ctgov")):
            turn = await desk.stage.ask(question)
            (call,) = turn.tool_calls
            assert (call.status, call.error_type) == ("unavailable", "not_configured")
            assert f"docgemma pack build {kind}" in turn.response
            assert turn.confidence == "low"
        assert desk.heard == ""


async def test_cut_off_is_said_in_plain_words(tmp_path: Path) -> None:
    async with searching(tmp_path, **SILENT, tool_deadline_s=2.5) as desk:
        turn = await desk.stage.ask(QUESTION)
    assert turn.tool_calls[0].status == "unavailable"
    assert "127.0.0.1" not in turn.response and "http" not in turn.response.lower()


async def test_what_a_model_makes_of_it_may_cite_what_was_retrieved_and_nothing_else(tmp_path: Path) -> None:
    said = (
        "Low-dose colchicine was as good as high-dose (PMID 90000002). A later study disagrees (PMID 90000003). "
        "It was also described in doi:10.1234/example.90000002."
    )
    async with searching(tmp_path, writing(said), articles=[GOUT]) as desk:
        turn = await desk.stage.ask(QUESTION)
    assert "PMID 90000002" in turn.response
    assert "example.90000002" in turn.response
    assert "90000003" not in turn.response
    assert turn.confidence == "medium"


async def test_amounts_of_the_conclusion_are_from_the_sources_and_others_are_marked(tmp_path: Path) -> None:
    dosed = article("90000004", "Colchicine in gout", "<h4>Conclusions</h4>Colchicine 1.2 mg was as good as 4.8 mg.")
    said = "Colchicine 1.2 mg was as good as 4.8 mg (PMID 90000004). Most people need 3 mg."
    async with searching(tmp_path, writing(said), articles=[dosed]) as desk:
        turn = await desk.stage.ask(QUESTION)
    assert "Colchicine 1.2 mg was as good as 4.8 mg (PMID 90000004)." in turn.response
    assert "Most people need 3 mg. [not from the sources]" in turn.response
