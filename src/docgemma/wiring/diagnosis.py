"""What `doctor` looks at: what is configured, whether it answers, and what mends it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from docgemma.config import Finding, Settings
from docgemma.embed import open_minilm
from docgemma.errors import DocGemmaError, ModelError, Unavailable
from docgemma.fetch.door import Door, FetchError
from docgemma.llm.asking import ChatModel
from docgemma.llm.contract import LanguageModel
from docgemma.llm.llamacpp import LlamaCppModel
from docgemma.llm.openai import OpenAiModel
from docgemma.store.sessions import Store
from docgemma.toolbox import pins
from docgemma.wiring.knowledge import embedder_folder
from docgemma.wiring.knowledge_diagnosis import knowledge
from docgemma.wiring.order_diagnosis import entries
from docgemma.wiring.record_diagnosis import records
from docgemma.wiring.source_diagnosis import drug_sources, search_sources
from docgemma.wiring.terminology_diagnosis import terminology

LOCAL_SERVERS = (
    ("vLLM", "http://127.0.0.1:8000/v1"),
    ("llama.cpp", "http://127.0.0.1:8080/v1"),
    ("Ollama", "http://127.0.0.1:11434/v1"),
    ("LM Studio", "http://127.0.0.1:1234/v1"),
)


async def diagnose(settings: Settings, store: Store, model: LanguageModel, door: Door) -> list[Finding]:
    """Everything an operator would want to know, most important first."""
    return [
        *await _model(settings, model, door),
        *_graph(settings),
        await _store(settings, store),
        *await records(settings, door, store),
        *await entries(settings, door, store),
        _embedder(settings),
        *await knowledge(settings, door),
        *await drug_sources(settings, door),
        *await search_sources(settings, door),
        *await terminology(settings),
        *await _tool_servers(settings),
        Finding("data folder", "ok", str(settings.home)),
    ]


async def _model(settings: Settings, model: LanguageModel, door: Door) -> list[Finding]:
    if isinstance(model, LlamaCppModel):
        return await _in_process(settings, model)
    if not isinstance(model, OpenAiModel):
        found = await _local_servers(door) if settings.model != "rules" else []
        mend = (
            f"A server answers on this machine: export DOCGEMMA_MODEL_URL={found[0][1]}"
            if found
            else "Start a model server and set DOCGEMMA_MODEL_URL, for example http://127.0.0.1:8000/v1, "
            "or set DOCGEMMA_GGUF to a model in GGUF format"
        )
        return [
            Finding(
                "model", "ok", "No model: answers are put together by rules, word for word from what was found.", mend
            )
        ]
    try:
        names = await model.models()
    except ModelError as error:
        return [
            Finding(
                "model", "broken", str(error), "Start the server, or unset DOCGEMMA_MODEL_URL to work without a model"
            )
        ]
    findings = [Finding("model", "ok", f"{settings.model_url} answers.")]
    for name in filter(None, (model.name, settings.fast_model_name)):
        if names and name not in names:
            offered = ", ".join(names[:5])
            findings.append(
                Finding(
                    "model",
                    "missing",
                    f"The server does not offer '{name}'. It offers: {offered}.",
                    f"export DOCGEMMA_MODEL_NAME={names[0]}",
                )
            )
    return [*findings, await _constrained(model)]


def _graph(settings: Settings) -> list[Finding]:
    """Said where it is another than the product's: whoever chose it to measure it may have forgotten."""
    if settings.graph == "routed":
        return []
    told = f"Questions are worked through by the older graph {settings.graph}, which is there to be measured."
    return [Finding("graph", "ok", told, "For the product's own graph, unset DOCGEMMA_GRAPH")]


async def _in_process(settings: Settings, model: LlamaCppModel) -> list[Finding]:
    """Whether the file can be loaded is only known once it is."""
    try:
        await model.load()
    except Unavailable as error:
        return [Finding("model", "broken", str(error), "Unset DOCGEMMA_GGUF to work without a model")]
    threads = f"{settings.gguf_threads} threads" if settings.gguf_threads else "the engine's own number of threads"
    told = f"{settings.gguf} is run in this process, with {threads}. It does not look at images."
    return [Finding("model", "ok", told), await _constrained(model)]


async def _constrained(model: ChatModel) -> Finding:
    try:
        held = await model.self_test()
    except ModelError as error:
        return Finding("constrained decoding", "broken", str(error), "Look at the model server's log")
    if held:
        return Finding("constrained decoding", "ok", "The model is held to the schema it is given.")
    return Finding(
        "constrained decoding",
        "missing",
        "The server ignores response_format: decisions that do not fit fall back to rules.",
        "Serve with structured outputs on: vLLM 0.12 or newer, llama.cpp server, or Ollama 0.5 or newer",
    )


async def _local_servers(door: Door) -> list[tuple[str, str]]:
    found = []
    for name, url in LOCAL_SERVERS:
        try:
            reply = await door.json("GET", f"{url}/models", deadline_s=0.5, max_bytes=1_000_000)
        except FetchError:
            continue
        if reply.status == 200:
            found.append((name, url))
    return found


async def _store(settings: Settings, store: Store) -> Finding:
    kind = "PostgreSQL" if settings.database_url else "SQLite"
    try:
        await store.put_fact("doctor", {"ok": True}, 60)
    except DocGemmaError as error:
        return Finding("sessions", "broken", str(error), "Check DOCGEMMA_HOME or DOCGEMMA_DATABASE_URL")
    return Finding("sessions", "ok", f"Sessions are kept in {kind}.")


def _embedder(settings: Settings) -> Finding:
    folder = embedder_folder(settings)
    build = (
        f"Build one from a clone with `make embedder`, and set DOCGEMMA_EMBEDDER to its folder or copy it to {folder}"
    )
    try:
        found = open_minilm(folder)
    except Unavailable as error:
        return Finding("paraphrases", "missing", str(error), "pip install 'docgemma[embed]'")
    except DocGemmaError as error:
        return Finding("paraphrases", "broken", str(error), build)
    if found is None:
        state: Literal["missing", "off"] = "missing" if settings.embedder else "off"
        return Finding("paraphrases", state, f"Compared by words: no sentence embedder in {folder}.", build)
    return Finding("paraphrases", "ok", f"Compared by meaning, with {found.name} from {folder}.")


async def _tool_servers(settings: Settings) -> Sequence[Finding]:
    findings = []
    for tool, server in settings.tool_servers.items():
        try:
            offered = await pins(server.url, token=server.token.get_secret_value() if server.token else None)
        except (DocGemmaError, TimeoutError, OSError, ExceptionGroup):
            findings.append(
                Finding(
                    f"tool {tool}",
                    "broken",
                    "Its server does not answer.",
                    f"Start the server, or remove tool_servers.{tool}",
                )
            )
            continue
        if tool not in offered:
            findings.append(
                Finding(f"tool {tool}", "broken", "Its server does not offer this tool.", f"Remove tool_servers.{tool}")
            )
        elif server.pin != offered[tool]:
            findings.append(
                Finding(
                    f"tool {tool}",
                    "missing",
                    "Its description is not pinned, or has changed. Read it before trusting it.",
                    f'Set tool_servers.{tool}.pin = "{offered[tool]}"',
                )
            )
        else:
            findings.append(Finding(f"tool {tool}", "ok", "Its server answers, and its description is as pinned."))
    return findings
