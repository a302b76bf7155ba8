"""What grounding works with, by the settings: a model or rules, and the terminology behind its MCP client."""

from __future__ import annotations

import hashlib
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import Any, get_args

from docgemma import __version__
from docgemma.config import Settings
from docgemma.errors import BadInput
from docgemma.fetch.door import Door
from docgemma.grounding.contract import Criterion, Grounded
from docgemma.grounding.engines.contract import Ground
from docgemma.grounding.grounding import Services, ground
from docgemma.grounding.prompts import digest
from docgemma.grounding.rules import RULES
from docgemma.grounding.runs.keys import Basis
from docgemma.grounding.searching import TerminologyClient
from docgemma.llm.contract import LanguageModel
from docgemma.llm.rules import RulesModel
from docgemma.store.sessions import open_store
from docgemma.terminology.contract import About, Terminology
from docgemma.terminology.server import ToolName, build_terminology_server
from docgemma.toolbox import Remote, Route
from docgemma.wiring.model import open_model
from docgemma.wiring.terminology import Told, open_terminology

TOOLS: tuple[ToolName, ...] = get_args(ToolName)


@dataclass(frozen=True, slots=True)
class Grounding:
    """Open services. `about` is of the terminology on this machine; None where another server takes its place."""

    services: Services
    model: LanguageModel
    about: About | None
    basis: Basis

    async def ground(self, criteria: Sequence[Criterion], batch_id: str) -> Sequence[Grounded]:
        """One batch: a line for each criterion, in order."""
        return await ground(criteria, batch_id, self.services)


@asynccontextmanager
async def open_grounding(settings: Settings, *, told: Told | None = None) -> AsyncIterator[Grounding]:
    """Everything that grounding needs, for as long as it is used.

    A configured model is asked as it is: what it cannot answer goes to an expert, and never to a rule in its place.
    """
    async with AsyncExitStack() as stack:
        door = await stack.enter_async_context(Door())
        model = await _model(settings, door, stack)
        terminology: Terminology | None = None
        if not set(TOOLS) <= settings.terminology_server.keys():
            extra = {} if told is None else {"told": told}
            terminology = await stack.enter_async_context(open_terminology(settings, door, **extra))
        about = await terminology.about() if terminology else None
        client = await stack.enter_async_context(
            TerminologyClient(terminology_routes(settings, terminology), deadline_s=settings.tool_deadline_s)
        )
        services = Services(
            llm=model, terminology=client, threshold=settings.ground_threshold, hints=settings.ground_hints
        )
        yield Grounding(services, model, about, _basis(settings, model, about))


async def _model(settings: Settings, door: Door, stack: AsyncExitStack) -> LanguageModel:
    store = await stack.enter_async_context(open_store(settings.store_address))
    return await stack.enter_async_context(open_model(settings, door, store)) or RulesModel(RULES)


def terminology_routes(settings: Settings, terminology: Terminology | None) -> dict[ToolName, Route]:
    """Each tool in process, unless the settings name another server for it."""
    for name in settings.terminology_server:
        if name not in TOOLS:
            raise BadInput(f"terminology_server names '{name}', which is not one of the tools: {', '.join(TOOLS)}.")
    server = build_terminology_server(terminology) if terminology else None
    table: dict[ToolName, Route] = {}
    for name in TOOLS:
        other = settings.terminology_server.get(name)
        if other is not None:
            token = other.token.get_secret_value() if other.token else None
            table[name] = Remote(other.url, pin=other.pin, allow_http=other.allow_http, token=token)
        elif server is not None:
            table[name] = server
    return table


def _basis(settings: Settings, model: LanguageModel, about: About | None) -> Basis:
    """What results rest on. Of another server only its address and its pinned description are known."""
    others = sorted((name, each.url, each.pin or "") for name, each in settings.terminology_server.items())
    version = about.version if about else ""
    if others:
        version = hashlib.sha256(repr((version, others)).encode()).hexdigest()
    hints = "" if settings.ground_hints or model.name == "rules" else "without hints"
    return Basis(version, model.name, f"{__version__} {digest()[:16]}{hints}", settings.ground_threshold)


@asynccontextmanager
async def open_ground(settings: Mapping[str, Any]) -> AsyncIterator[Ground]:
    """What a worker process opens: the settings as they were where the run was started."""
    async with open_grounding(Settings(**settings)) as grounding:
        yield grounding.ground
