"""A GGUF in this process is asked as a server is; whatever its engine does, a turn gets an object, a rule or a word."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest

from docgemma.agent.asking import fixed_prompts
from docgemma.agent.schemas import IntentClassification, ToolSelection, tool_selection
from docgemma.errors import ModelCannotSee, ModelOutputInvalid, ModelUnreachable, Unavailable
from docgemma.llm.asking import UNCONSTRAINED, Busy, Proof
from docgemma.llm.contract import STOPPED_EARLY, Image, Message, Prompt, Usage
from docgemma.llm.llamacpp import BROKE_OFF, TOO_LONG, TOO_SLOW, LlamaCppModel
from docgemma.llm.rules import INSTEAD, GuardedModel, RulesModel
from tests.llm.conftest import PROMPT, Memory
from tests.support.fake_engine import PROGRESS, READING, FakeEngine, Reply, said
from tests.support.tables import each_of

ONLY_NONE = tool_selection(("none",))
CHOSEN = '{"tool_name":"none"}'
WAIT_S = 10


@asynccontextmanager
async def model_on(engine: FakeEngine, **options: Any) -> AsyncIterator[LlamaCppModel]:
    options.setdefault("timeout_s", 5.0)
    model = LlamaCppModel(lambda: engine, "tiny", proof=Proof(Memory(), "tiny"), **options)
    try:
        yield model
    finally:
        await model.close()


async def written(model: LlamaCppModel) -> str:
    return "".join([piece async for piece in model.write(PROMPT, temperature=0.5, max_tokens=64)])


async def happened(event: threading.Event) -> bool:
    return await asyncio.to_thread(event.wait, WAIT_S)


async def test_a_decision_is_constrained_and_can_be_stopped(turn: Usage) -> None:
    engine = FakeEngine(said('{"intent":"DIRECT",', '"task_summary":"x"}'))
    async with model_on(engine) as model:
        chosen = await model.decide(PROMPT, IntentClassification, max_tokens=256)
    (body,) = engine.asked
    assert (chosen.intent, model.name) == ("DIRECT", "tiny")
    assert (body["temperature"], body["max_tokens"]) == (0, 256)
    assert body["response_format"]["json_schema"]["name"] == "IntentClassification"
    assert body["stream"] and body["return_progress"], "between two events the engine can be stopped"
    assert (turn.calls, turn.prompt_tokens, turn.completion_tokens, turn.notices) == (1, 100, 10, [])


async def test_a_cut_decision_is_asked_again_with_twice_the_budget(turn: Usage) -> None:
    engine = FakeEngine(said(CHOSEN[:9], finish="length"), said(CHOSEN))
    async with model_on(engine) as model:
        assert (await model.decide(PROMPT, ONLY_NONE, max_tokens=64)).tool_name == "none"
    assert [body["max_tokens"] for body in engine.asked] == [64, 128]
    assert turn.calls == 2


async def test_text_comes_in_pieces_without_thinking(turn: Usage) -> None:
    engine = FakeEngine(said("<unused94>thought\nhm", "<unused95>Take ", "it ", "daily.<end_of_turn>never"))
    async with model_on(engine) as model:
        pieces = [piece async for piece in model.write(PROMPT, temperature=0.5, max_tokens=64)]
    assert "".join(pieces) == "Take it daily."
    assert len(pieces) > 1
    assert engine.asked[0]["temperature"] == 0.5
    assert "response_format" not in engine.asked[0]


async def test_an_empty_text_is_asked_for_once_more_and_a_cut_one_says_so(turn: Usage) -> None:
    engine = FakeEngine(said("<unused94>thought\nhm"), said("Half a", finish="length"))
    async with model_on(engine) as model:
        assert await written(model) == "Half a"
    assert [body["max_tokens"] for body in engine.asked] == [64, 128]
    assert turn.notices == [STOPPED_EARLY]


FAULTS: list[tuple[str, list[Reply], type[Exception], str]] = [
    ("no JSON", [[b"\xff{"], [b"\xff{"]], ModelOutputInvalid, "^The model"),
    ("no object", [[b"[1]"], [b"7"]], ModelOutputInvalid, "^The model"),
    ("nothing said", [said(), said()], ModelOutputInvalid, "^The model"),
    ("other words", [said("I would rather not."), said("No.")], ModelOutputInvalid, "^The model"),
    ("another choice", [said('{"tool_name":"all"}'), said('{"tool_name":"all"}')], ModelOutputInvalid, "^The model"),
    ("no events", [[], []], ModelUnreachable, BROKE_OFF),
    ("broken off", [said(CHOSEN[:9], finish=None), [PROGRESS]], ModelUnreachable, BROKE_OFF),
    ("failing twice", [Busy("The engine failed."), Busy("The engine failed.")], ModelUnreachable, "The engine failed."),
    ("refusing", [ModelUnreachable("Not this.")], ModelUnreachable, "Not this."),
    ("too long", [[b'{"error":{"type":"exceed_context_size_error","n_ctx":4}}']], ModelUnreachable, TOO_LONG),
    ("an error", [[b'{"error":{"message":"patient Lee"}}']], ModelUnreachable, "The engine reported an error."),
]


@each_of(("name", "replies", "error", "words"), FAULTS, ids=lambda row: row[0])
def test_whatever_the_engine_does_is_a_model_error_with_plain_words(
    name: str, replies: list[Reply], error: type[Exception], words: str
) -> None:
    async def ask() -> None:
        engine = FakeEngine(*replies)
        async with model_on(engine) as model:
            with pytest.raises(error, match=words):
                await model.decide(PROMPT, ONLY_NONE, max_tokens=64)
        assert len(engine.asked) == len(replies)

    asyncio.run(ask())


async def test_an_engine_that_failed_once_is_asked_once_more() -> None:
    engine = FakeEngine(Busy("The engine failed."), said(CHOSEN))
    async with model_on(engine) as model:
        assert (await model.decide(PROMPT, ONLY_NONE, max_tokens=64)).tool_name == "none"


async def test_a_bug_in_the_engine_is_not_taken_for_a_model_error() -> None:
    async with model_on(FakeEngine(KeyError("bug"))) as model:
        with pytest.raises(KeyError):
            await model.decide(PROMPT, ONLY_NONE, max_tokens=64)


async def test_nobody_waits_for_ever_for_an_engine_that_ran_out() -> None:
    async with model_on(FakeEngine(StopIteration())) as model:
        with pytest.raises(RuntimeError, match="ended its events early"):
            await asyncio.wait_for(model.decide(PROMPT, ONLY_NONE, max_tokens=64), WAIT_S)


async def test_a_slow_engine_is_given_up_and_stopped() -> None:
    engine = FakeEngine(READING)
    async with model_on(engine, timeout_s=0.05) as model:
        with pytest.raises(ModelUnreachable, match=TOO_SLOW):
            await model.decide(PROMPT, ONLY_NONE, max_tokens=64)
        assert await happened(engine.stopped)


async def test_a_text_that_is_no_longer_wanted_stops_the_engine() -> None:
    engine = FakeEngine([*said("Once ", finish=None)[:2], READING])
    async with model_on(engine) as model:
        pieces = model.write(PROMPT, temperature=0.5, max_tokens=64)
        assert await anext(pieces) == "Once "
        await pieces.aclose()  # type: ignore[attr-defined]
        assert await happened(engine.stopped)


async def test_questions_wait_in_order_and_the_loop_goes_on() -> None:
    first, go_on = threading.Event(), threading.Event()

    def held(hear: Callable[[bytes], bool]) -> None:
        first.set()
        go_on.wait(WAIT_S)
        for event in said(CHOSEN):
            hear(event)

    engine = FakeEngine(said(CHOSEN), held, said(CHOSEN), said(CHOSEN))
    async with model_on(engine) as model:
        await model.decide(PROMPT, ONLY_NONE, max_tokens=64)  # loaded, and known to constrain

        async def ask(name: str) -> ToolSelection:
            prompt = Prompt(name, messages=(Message("user", name),))
            return await model.decide(prompt, ONLY_NONE, max_tokens=64)

        questions = [asyncio.create_task(ask(name)) for name in ("a", "b", "c", "d")]
        assert await happened(first), "the loop goes on while the engine works"
        questions[1].cancel()
        await asyncio.wait([questions[1]])  # it is withdrawn before the engine is free to take it up
        go_on.set()
        await asyncio.gather(*questions, return_exceptions=True)
    assert [body["messages"][0]["content"] for body in engine.asked[1:]] == ["a", "c", "d"]


async def test_an_image_is_not_shown_to_it() -> None:
    engine = FakeEngine()
    prompt = Prompt("look", {}, (Message("user", "Look."),), (Image("image/png", b"\x89PNG"),))
    async with model_on(engine) as model:
        with pytest.raises(ModelCannotSee):
            await model.decide(prompt, IntentClassification, max_tokens=64)
        with pytest.raises(ModelCannotSee):
            await anext(model.write(prompt, temperature=0, max_tokens=64))
    assert engine.asked == []


async def test_a_model_that_cannot_be_loaded_leaves_the_turn_to_the_rules(turn: Usage) -> None:
    tried = []

    def load() -> FakeEngine:
        tried.append(1)
        raise Unavailable("It is too large.")

    model = LlamaCppModel(load, "tiny", proof=Proof(Memory(), "tiny"))
    rules = RulesModel({PROMPT.name: lambda _: ToolSelection(tool_name="none")})
    for _ in range(2):
        with pytest.raises(Unavailable, match="too large"):
            await model.load()
    assert (await GuardedModel(model, rules).decide(PROMPT, ONLY_NONE, max_tokens=64)).tool_name == "none"
    await model.close()
    assert turn.notices == [f"It is too large. {INSTEAD}"]
    assert len(tried) == 1, "a load that failed is not tried again"


async def test_an_engine_that_ignores_the_schema_is_named_but_used(turn: Usage) -> None:
    async with model_on(FakeEngine(said(CHOSEN), constrains=False)) as model:
        assert not await model.self_test()
        assert (await model.decide(PROMPT, ONLY_NONE, max_tokens=64)).tool_name == "none"
    assert turn.notices == [UNCONSTRAINED]


async def test_reading_in_advance_gives_way_to_a_question(turn: Usage) -> None:
    engine = FakeEngine(said("x"), READING, said(CHOSEN))
    async with model_on(engine) as model:
        await model.load()
        model.warm(fixed_prompts())
        while len(engine.asked) < 2:
            await asyncio.sleep(0)
        assert (await model.decide(PROMPT, ONLY_NONE, max_tokens=64)).tool_name == "none"
    assert engine.stopped.is_set()
    assert [body["max_tokens"] for body in engine.asked] == [1, 1, 64]
    assert (turn.calls, turn.notices) == (1, []), "what is read in advance is nobody's question"


async def test_closing_stops_the_engine_and_gives_its_memory_back() -> None:
    engine = FakeEngine(READING)
    async with model_on(engine) as model:
        await model.load()
        asked = asyncio.create_task(model.decide(PROMPT, ONLY_NONE, max_tokens=64))
        while not engine.asked:
            await asyncio.sleep(0)
        await model.close()
        with pytest.raises(ModelUnreachable):
            await asked
    assert engine.stopped.is_set() and engine.closed.is_set()


def test_the_prompts_read_in_advance_are_the_beginnings_of_the_real_ones() -> None:
    """Each opens with its instructions, and nothing of a turn stands before their end."""
    names = [prompt.name for prompt in fixed_prompts()]
    assert names == ["synthesize", "synthesize", "tool_select", "intent_classify"]
    assert all("Available tools" in p.messages[0].text for p in fixed_prompts() if p.name == "tool_select")
