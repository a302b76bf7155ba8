"""What `doctor` looks at: what is configured, whether it answers, and what mends it."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Literal

from docgemma.audit.log import AuditLog
from docgemma.config import Finding, Settings, ToolServer
from docgemma.embed import open_minilm
from docgemma.errors import DocGemmaError, ModelError, Unavailable
from docgemma.fetch.door import Door, FetchError
from docgemma.knowledge.base import Info, KnowledgeBase
from docgemma.llm.asking import ChatModel
from docgemma.llm.contract import LanguageModel
from docgemma.llm.llamacpp import LlamaCppModel
from docgemma.llm.openai import OpenAiModel
from docgemma.orders.ledger.ledger import Ledger
from docgemma.orders.model import UNFINISHED, State
from docgemma.store.sessions import Store
from docgemma.toolbox import pins
from docgemma.wiring.knowledge import embedder_folder, open_knowledge
from docgemma.wiring.records import remote_ehr
from docgemma.wiring.source_diagnosis import drug_sources, search_sources, terminology

LOCAL_SERVERS = tuple(f"http://127.0.0.1:{port}/v1" for port in (8000, 8080, 11434, 1234))
"""Where vLLM, llama.cpp, Ollama and LM Studio listen when they are started without further ado."""

NOBODY = (("_id", "docgemma-doctor"),)
"""Asks for a patient that does not exist: proves address, access and search without reading anybody's chart."""

RECORD, ENTRIES, KNOWLEDGE = "health record", "chart entries", "knowledge base"
OWN_ENTRIES = "docgemma kb ingest FILES… brings in your own"
RESTORE = "Restore a backup of the session store"
WAITING: tuple[State, ...] = ("proposed",)
_MANY = 1_000


async def diagnose(settings: Settings, store: Store, model: LanguageModel, door: Door) -> list[Finding]:
    """Everything an operator would want to know, most important first."""
    return [
        *await _model(settings, model, door),
        *_graph(settings),
        await _store(settings, store),
        *await _records(settings, door, store),
        *await _entries(settings, door, store),
        _embedder(settings),
        *await _knowledge(settings, door),
        *await drug_sources(settings, door),
        *await search_sources(settings, door),
        *await terminology(settings),
        *[await _tool_server(tool, server) for tool, server in settings.tool_servers.items()],
        Finding("data folder", "ok", str(settings.home)),
    ]


async def _model(settings: Settings, model: LanguageModel, door: Door) -> list[Finding]:
    if isinstance(model, LlamaCppModel):
        return await _in_process(settings, model)
    if not isinstance(model, OpenAiModel):
        return [await _no_model(settings, door)]
    try:
        names = await model.models()
    except ModelError as error:
        mend = "Start the server, or unset DOCGEMMA_MODEL_URL to work without a model"
        return [Finding("model", "broken", str(error), mend)]
    found = [Finding("model", "ok", f"{settings.model_url} answers.")]
    for name in filter(None, (model.name, settings.fast_model_name)):
        if names and name not in names:
            text = f"The server does not offer '{name}'. It offers: {', '.join(names[:5])}."
            found.append(Finding("model", "missing", text, f"export DOCGEMMA_MODEL_NAME={names[0]}"))
    return [*found, await _constrained(model)]


async def _no_model(settings: Settings, door: Door) -> Finding:
    url = await _local_server(door) if settings.model != "rules" else None
    mend = (
        f"A server answers on this machine: export DOCGEMMA_MODEL_URL={url}"
        if url
        else "Start a model server and set DOCGEMMA_MODEL_URL, for example http://127.0.0.1:8000/v1, "
        "or set DOCGEMMA_GGUF to a model in GGUF format"
    )
    text = "No model: answers are put together by rules, word for word from what was found."
    return Finding("model", "ok", text, mend)


async def _local_server(door: Door) -> str | None:
    """The first of the usual addresses of this machine where a model server answers."""
    for url in LOCAL_SERVERS:
        try:
            reply = await door.json("GET", f"{url}/models", deadline_s=0.5, max_bytes=1_000_000)
        except FetchError:
            continue
        if reply.status == 200:
            return url
    return None


def _graph(settings: Settings) -> list[Finding]:
    """Said where it is another than the product's: whoever chose it to measure it may have forgotten."""
    if settings.graph == "routed":
        return []
    text = f"Questions are worked through by the older graph {settings.graph}, which is there to be measured."
    return [Finding("graph", "ok", text, "For the product's own graph, unset DOCGEMMA_GRAPH")]


async def _in_process(settings: Settings, model: LlamaCppModel) -> list[Finding]:
    """Whether the file can be loaded is only known once it is."""
    try:
        await model.load()
    except Unavailable as error:
        return [Finding("model", "broken", str(error), "Unset DOCGEMMA_GGUF to work without a model")]
    threads = f"{settings.gguf_threads} threads" if settings.gguf_threads else "the engine's own number of threads"
    text = f"{settings.gguf} is run in this process, with {threads}. It does not look at images."
    return [Finding("model", "ok", text), await _constrained(model)]


async def _constrained(model: ChatModel) -> Finding:
    area = "constrained decoding"
    try:
        held = await model.self_test()
    except ModelError as error:
        return Finding(area, "broken", str(error), "Look at the model server's log")
    if held:
        return Finding(area, "ok", "The model is held to the schema it is given.")
    text = "The server ignores response_format: decisions that do not fit fall back to rules."
    mend = "Serve with structured outputs on: vLLM 0.12 or newer, llama.cpp server, or Ollama 0.5 or newer"
    return Finding(area, "missing", text, mend)


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


async def _tool_server(tool: str, server: ToolServer) -> Finding:
    area, setting = f"tool {tool}", f"tool_servers.{tool}"
    try:
        offered = await pins(server.url, token=server.token.get_secret_value() if server.token else None)
    except (DocGemmaError, TimeoutError, OSError, ExceptionGroup):
        return Finding(area, "broken", "Its server does not answer.", f"Start the server, or remove {setting}")
    if tool not in offered:
        return Finding(area, "broken", "Its server does not offer this tool.", f"Remove {setting}")
    if server.pin != offered[tool]:
        text = "Its description is not pinned, or has changed. Read it before trusting it."
        return Finding(area, "missing", text, f'Set {setting}.pin = "{offered[tool]}"')
    return Finding(area, "ok", "Its server answers, and its description is as pinned.")


async def _knowledge(settings: Settings, door: Door) -> list[Finding]:
    """Looks, and makes nothing: a base that nobody asked yet has no file."""
    if settings.database_url is None and not await asyncio.to_thread(Path(settings.knowledge_address).exists):
        return [Finding(KNOWLEDGE, "ok", "Demonstration entries, stored with the first question.", OWN_ENTRIES)]
    try:
        async with open_knowledge(settings, door) as base:
            info = await base.info()
            return [_held(info), _index(info), *await _damaged(base)]
    except DocGemmaError as error:
        return [Finding(KNOWLEDGE, "broken", str(error), "docgemma kb index builds the index again from the entries")]


def _held(info: Info) -> Finding:
    roles = len({role for role, _ in info.by_role})
    text = f"{info.entries:,} entries for {roles} roles"
    if info.demonstration:
        return Finding(KNOWLEDGE, "ok", f"{text}: demonstration, not reviewed by a clinician.", OWN_ENTRIES)
    return Finding(KNOWLEDGE, "ok" if info.entries else "missing", f"{text}.", "" if info.entries else OWN_ENTRIES)


def _index(info: Info) -> Finding:
    if info.index is None:
        missing = "There is no index."
    elif info.index.generation != info.generation:
        missing = "The index is behind the entries."
    elif info.embedder and not info.index.embedder:
        missing = "The index has words only, though an embedder is there."
    else:
        how = "words and meaning" if info.index.embedder else "words; with a sentence embedder also by meaning"
        return Finding(KNOWLEDGE, "ok", f"Found by {how}.")
    return Finding(KNOWLEDGE, "missing", missing, "docgemma kb index")


async def _damaged(base: KnowledgeBase) -> list[Finding]:
    damaged = await base.library.damaged()
    if not damaged:
        return []
    text = f"{len(damaged):,} entries are not what was stored, and are not shown."
    return [Finding(KNOWLEDGE, "broken", text, "docgemma kb ingest FILES… stores them again")]


async def _records(settings: Settings, door: Door, store: Store) -> list[Finding]:
    """The configured server or the embedded store, then the audit log: without it neither is read."""
    found = await _record_server(settings, door) if settings.fhir_url else await _embedded_records(settings)
    return [found, await _audit(store)]


async def _record_server(settings: Settings, door: Door) -> Finding:
    try:
        client = remote_ehr(settings, door)
        await client.search("Patient", NOBODY, most=1)
        known = await client.capabilities()
    except DocGemmaError as error:
        return Finding(RECORD, "broken", str(error), "Check DOCGEMMA_FHIR_URL and the client's credentials and scopes")
    whole = "whole charts in one request" if known.everything else "charts kind by kind"
    return Finding(RECORD, "ok", f"{settings.fhir_url} answers: {whole}.")


async def _embedded_records(settings: Settings) -> Finding:
    from docgemma.ehr.demo.loading import present
    from docgemma.ehr.embedded.storage.store import FhirStore

    path = settings.charts_file
    mend = "docgemma ehr import FOLDER, or set DOCGEMMA_FHIR_URL to read a server of yours"
    if not path.exists():
        text = "Embedded, and still empty: fictional patients come with the first look into a chart."
        return Finding(RECORD, "ok", text, mend)
    try:
        async with FhirStore(path) as charts:
            patients = (await charts.run(lambda unit: unit.counts(), write=False)).get("Patient", 0)
            fictional = await present(charts)
    except DocGemmaError as error:
        return Finding(RECORD, "broken", str(error), "Restore a backup of it, or move it away and import again")
    text = f"Embedded: {patients} patients, {fictional} of them fictional, in {path}."
    return Finding(RECORD, "ok", text, mend if patients == fictional else "")


async def _audit(store: Store) -> Finding:
    try:
        verdict = await AuditLog(store.database).verify()
    except DocGemmaError as error:
        return Finding("audit log", "broken", str(error), "Check DOCGEMMA_HOME or DOCGEMMA_DATABASE_URL")
    if not verdict.ok:
        return Finding("audit log", "broken", f"{verdict.problem} No chart is read.", "docgemma audit verify")
    return Finding("audit log", "ok", f"{verdict.rows} chart accesses, an unbroken chain.")


async def _entries(settings: Settings, door: Door, store: Store) -> list[Finding]:
    """The ledger first: without it nothing is prepared. Then what the record system offers."""
    ledger = Ledger(store.database, AuditLog(store.database))
    try:
        damaged = await ledger.damaged()
        left = await ledger.listed(states=UNFINISHED, limit=_MANY)
        waiting = await ledger.listed(states=WAITING, limit=_MANY)
    except DocGemmaError as error:
        return [Finding(ENTRIES, "broken", f"The ledger cannot be read. {error}", RESTORE)]
    if damaged:
        text = f"{len(damaged)} rows of the ledger are damaged ({', '.join(damaged[:3])}); they are not acted on."
        return [Finding(ENTRIES, "broken", text, RESTORE)]
    said = f"Prepared, approved by a person and written to the chart; {len(waiting)} wait for a decision."
    found = [Finding(ENTRIES, "ok", said)]
    if left:
        text = f"{len(left)} approved entries are not known to be in the chart yet."
        found.append(Finding(ENTRIES, "broken", text, "docgemma orders reconcile"))
    return [*found, *await _transactions(settings, door)]


async def _transactions(settings: Settings, door: Door) -> list[Finding]:
    """A server that does not say that it takes transactions may take them all the same: worth a word, no refusal."""
    if settings.fhir_url is None:
        return []
    try:
        known = await remote_ehr(settings, door).capabilities()
    except DocGemmaError:
        return []  # already told of as the health record
    if not known.known or known.transactions:
        return []
    text = "The record system does not say that it takes transactions: approved entries may be refused."
    return [Finding(ENTRIES, "off", text, "Ask its operator for transactions and conditional create")]
