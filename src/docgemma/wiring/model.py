"""Which model answers, by the settings."""

from __future__ import annotations

from docgemma.config import Settings
from docgemma.errors import BadInput, Unavailable
from docgemma.fetch.door import Door
from docgemma.llm.openai import OpenAiModel
from docgemma.store.sessions import Store


def build_model(settings: Settings, door: Door, store: Store) -> OpenAiModel | None:
    """The configured server, else no model: rules. This machine is never probed for one."""
    choice = settings.model
    if choice == "auto":
        choice = "openai" if settings.model_url else "llamacpp" if settings.gguf else "rules"
    if choice == "rules":
        return None
    if choice == "llamacpp":
        raise Unavailable(
            "This version loads no GGUF file itself. Start a llama.cpp server with it and set DOCGEMMA_MODEL_URL."
        )
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
