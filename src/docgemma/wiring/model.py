"""Which model answers, by the settings."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

from docgemma.config import Settings
from docgemma.errors import BadInput, Unavailable
from docgemma.fetch.door import Door
from docgemma.llm.asking import ChatModel, Proof
from docgemma.llm.engine import NOT_INSTALLED, engine_version, installed, load
from docgemma.llm.gguf import read_gguf
from docgemma.llm.llamacpp import LlamaCppModel
from docgemma.llm.openai import OpenAiModel
from docgemma.store.sessions import Store


@asynccontextmanager
async def open_model(settings: Settings, door: Door, store: Store) -> AsyncIterator[ChatModel | None]:
    """The configured server, else the configured file, else no model: rules. This machine is never probed for one."""
    choice = settings.model
    if choice == "auto":
        choice = "openai" if settings.model_url else "llamacpp" if settings.gguf else "rules"
    if choice == "rules":
        yield None
    elif choice == "openai":
        yield _served(settings, door, store)
    else:
        model = _in_process(settings, store)
        try:
            yield model
        finally:
            await model.close()


def _served(settings: Settings, door: Door, store: Store) -> OpenAiModel:
    if settings.model_url is None:
        raise BadInput(
            "The model 'openai' needs an address: set DOCGEMMA_MODEL_URL, for example http://127.0.0.1:8000/v1."
        )
    key = settings.model_api_key
    return OpenAiModel(
        door,
        settings.model_url,
        settings.model_name or "google/medgemma-1.5-4b-it",
        facts=store,
        fast_model=settings.fast_model_name,
        api_key=key.get_secret_value() if key else None,
        timeout_s=settings.model_timeout_s,
        allow_http=settings.allow_http_model,
    )


def _in_process(settings: Settings, store: Store) -> LlamaCppModel:
    """What can be said of the file is said at once; it is loaded when the first question needs it."""
    if settings.gguf is None:
        raise BadInput("The model 'llamacpp' needs a file: set DOCGEMMA_GGUF, for example ~/models/medgemma.gguf.")
    if not installed():
        raise Unavailable(NOT_INSTALLED)
    file = read_gguf(settings.gguf)
    return LlamaCppModel(
        partial(load, file, context=settings.gguf_context, threads=settings.gguf_threads),
        settings.model_name or Path(settings.gguf).stem,
        proof=Proof(store, f"constrained decoding: {engine_version()} {file.path.name} {file.size}"),
        timeout_s=settings.model_timeout_s,
    )
