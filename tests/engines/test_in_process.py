"""A real small model in this process: loaded, constrained, streamed, stopped, closed. Never asked to be clever."""

from __future__ import annotations

import asyncio
import importlib.util
import json
import urllib.error
import urllib.request
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from docgemma.cli.main import run
from docgemma.errors import ModelUnreachable, Unavailable
from docgemma.llm.asking import Proof
from docgemma.llm.contract import Message, Prompt, Usage, usage
from docgemma.llm.engine import load
from docgemma.llm.gguf import read_gguf
from docgemma.llm.llamacpp import TOO_LONG, LlamaCppModel
from tests.engines.asked import ASKED
from tests.llm.conftest import Memory
from tests.support.weights import missing

pytestmark = pytest.mark.weights

CONTEXT = 1024
LONGER_THAN_ANY_CALL_S = 120
SAY = Prompt("synthesize", messages=(Message("user", "Count from one to fifty, in words."),))


@pytest.fixture
async def model(smollm2_path: Path) -> AsyncIterator[LlamaCppModel]:
    if importlib.util.find_spec("xllamacpp") is None:
        missing("xllamacpp is not installed here: install the `dev` extra")
    file = read_gguf(smollm2_path)
    opened = LlamaCppModel(
        lambda: load(file, context=CONTEXT, threads=1),
        file.path.stem,
        proof=Proof(Memory(), "smollm2"),
        timeout_s=LONGER_THAN_ANY_CALL_S,
    )
    yield opened
    await opened.close()


async def test_it_decides_within_the_schema_writes_and_stops(
    model: LlamaCppModel, capfd: pytest.CaptureFixture[str]
) -> None:
    spent = Usage()
    usage.set(spent)
    asked = next(asked for asked in ASKED if asked.name == "intent")
    chosen = await model.decide(asked.prompts()[-1], asked.schema, max_tokens=asked.max_tokens)
    assert isinstance(chosen, asked.schema)
    assert (spent.calls, spent.notices) == (1, []), "the first answer fits, and the engine is known to constrain"
    assert spent.prompt_tokens > 0 and spent.completion_tokens > 0

    pieces = [piece async for piece in model.write(SAY, temperature=0.5, max_tokens=12)]
    assert len(pieces) > 1
    assert "<|" not in "".join(pieces)

    unwanted = model.write(SAY, temperature=0, max_tokens=4000)
    assert await anext(unwanted)
    await unwanted.aclose()  # type: ignore[attr-defined]
    with pytest.raises(ModelUnreachable, match=TOO_LONG):  # it is free again at once, and a long question is told
        await model.decide(Prompt("x", messages=(Message("user", "word " * 2000),)), asked.schema, max_tokens=9)
    assert capfd.readouterr() == ("", ""), "the engine's own log is nobody's business"


async def test_nobody_else_can_ask_it(model: LlamaCppModel) -> None:
    await model.load()
    address = model._engine._server.listening_address  # type: ignore[union-attr]
    assert address.startswith("http://127.0.0.1:")
    for path in ("/slots", "/props", "/v1/models", "/metrics"):
        with pytest.raises(urllib.error.HTTPError) as refused:
            await asyncio.to_thread(urllib.request.urlopen, address + path)
        assert refused.value.code == 401, path


def test_a_file_that_only_looks_whole_is_refused_in_words(smollm2_path: Path, tmp_path: Path) -> None:
    broken = tmp_path / "broken.gguf"
    data = bytearray(smollm2_path.read_bytes())
    at = data.index(b"llama.block_count") + len(b"llama.block_count") + 4
    data[at : at + 4] = (31).to_bytes(4, "little")
    broken.write_bytes(data)
    with pytest.raises(Unavailable, match=r"The engine cannot load .*broken.gguf"):
        load(read_gguf(broken), context=CONTEXT, threads=1)


def test_a_whole_turn(smollm2_path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DOCGEMMA_HOME", str(tmp_path))
    monkeypatch.setenv("DOCGEMMA_SOURCES", "pack")
    monkeypatch.setenv("DOCGEMMA_GGUF_THREADS", "1")
    monkeypatch.setenv("DOCGEMMA_MODEL_TIMEOUT_S", str(LONGER_THAN_ANY_CALL_S))
    answered = tmp_path / "record.json"
    with answered.open("w") as out:
        monkeypatch.setattr("sys.stdout", out)
        assert run(["ask", "--json", "--model", "llamacpp", "--gguf", str(smollm2_path), "hello"]) == 0
    record = json.loads(answered.read_text())
    assert record["model"] == smollm2_path.stem
    assert record["llm_calls"] >= 1
    assert record["tokens"]["completion"] > 0
    assert record["response"]
