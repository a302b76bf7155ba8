"""The whole application, for the doors that a clinician uses."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from mcp.server import Server

from docgemma.agent import shortcuts
from docgemma.agent.consulting import Consulting
from docgemma.agent.curated import Curated
from docgemma.agent.record import versions_of
from docgemma.agent.rules import RULES
from docgemma.agent.session import Sessions
from docgemma.agent.state import Charts as Records
from docgemma.agent.state import Services
from docgemma.agent.vision.album import Album, from_data_url
from docgemma.agent.vision.looking import ModelVision
from docgemma.clinical import Purpose
from docgemma.config import Finding, Settings
from docgemma.errors import BadInput
from docgemma.fetch.door import Door
from docgemma.knowledge.base import KnowledgeBase
from docgemma.llm.contract import LanguageModel
from docgemma.llm.llamacpp import LlamaCppModel
from docgemma.llm.rules import GuardedModel, RulesModel
from docgemma.orders.desk import Orders
from docgemma.reader.loading import PACKAGED, LazyReader
from docgemma.store.sessions import Store, open_store
from docgemma.toolbox import Remote, Route, Toolbox
from docgemma.tools.charts import Charts
from docgemma.tools.handlers import ClinicalTools, Vision
from docgemma.tools.orders import Entries
from docgemma.tools.registry import EXTRAS, PATIENT, READS, RESULT_TYPES, TOOLS, ToolName, offered
from docgemma.tools.server import Handler, build_server
from docgemma.wiring.knowledge import embedder_of, open_knowledge
from docgemma.wiring.model import open_model
from docgemma.wiring.records import build_orders, open_records
from docgemma.wiring.sources import Sources, open_sources


@dataclass(frozen=True)
class App:
    """What a door works with."""

    sessions: Sessions
    store: Store
    settings: Settings
    model: LanguageModel
    vision: LanguageModel | None
    door: Door
    charts: Charts
    sources: Sources
    orders: Orders
    knowledge: KnowledgeBase

    @property
    def model_name(self) -> str:
        return self.model.name

    async def prepare(self) -> None:
        """For doors that stay open: a model in this process is loaded now, and reads what never changes in its prompts.

        Unavailable when it cannot be loaded.
        """
        if isinstance(self.model, LlamaCppModel):
            from docgemma.agent.asking import fixed_prompts

            await self.model.load()
            self.model.warm(fixed_prompts() if self.settings.graph == "routed" else ())

    async def diagnose(self) -> list[Finding]:
        """What is configured, reachable and missing."""
        from docgemma.wiring.diagnosis import diagnose

        return await diagnose(self.settings, self.store, self.model, self.door)

    def mcp_server(self, operator: str, chart: bool = False) -> Server[Any]:
        """The tools for others. Those that show or touch patient data only where the operator asked for it."""
        eyes = ModelVision(self.vision, from_data_url) if self.vision else None
        tools = clinical_tools(self.sources, vision=eyes, charts=self.charts, entries=Entries(self.orders))
        return build_server(tools.handlers(), names=offered(chart=chart), on_behalf=Purpose(who=operator, why="mcp"))


@asynccontextmanager
async def open_app(
    settings: Settings,
    *,
    tools: Mapping[ToolName, Handler] | None = None,
    around: Callable[[LanguageModel], LanguageModel] | None = None,
    who: Records | None = None,
) -> AsyncIterator[App]:
    """The app for as long as the door is open: one store, one connection pool, one tool client.

    For evals and benchmarks: `tools` puts scripted ones in place of the clinical ones, `who` knows their patients,
    `around` puts something between the agent and its model that asks it in another way.
    """
    embedder = embedder_of(settings)
    reader = LazyReader(settings.reader) if settings.reader else PACKAGED
    async with (
        open_store(settings.store_address) as store,
        Door() as door,
        open_records(settings, door, store) as records,
        open_sources(settings, door, reader) as sources,
        open_knowledge(settings, door, embedder) as knowledge,
        open_model(settings, door, store) as model,
    ):
        charts = Charts(records.ehr)
        rules = RulesModel(RULES)
        orders = build_orders(settings, store, records, sources.drugs, software(model or rules))
        entries = Entries(orders)
        asked = around(model or rules) if around is not None else model or rules
        guarded: LanguageModel = asked if model is None else GuardedModel(asked, rules)
        album = Album(store, guarded.name)
        eyes = None if model is None else ModelVision(guarded, album.picture, album)
        clinical = clinical_tools(sources, vision=eyes, charts=charts, entries=entries)
        server = build_server(tools or clinical.handlers())
        async with Toolbox(
            routes(settings, server),
            RESULT_TYPES,
            deadline_s=settings.tool_deadline_s,
            reads=READS,
            extras=EXTRAS,
            patient=PATIENT,
        ) as box:
            services = Services(
                llm=guarded,
                tools=box,
                graph=settings.graph,
                shortcuts=shortcuts.ALL if settings.shortcuts else shortcuts.NONE,
                tool_deadline_s=settings.tool_deadline_s,
                tools_budget_s=settings.tools_budget_s,
                look_deadline_s=settings.model_timeout_s,
                reader=reader,
                charts=who if tools else None if _elsewhere(settings) else charts,
                curated=None if tools else Curated(knowledge),
            )
            consulting = Consulting(
                knowledge,
                model,
                role=settings.consult_role,
                deadline_s=settings.consult_deadline_s,
                shortcuts=settings.shortcuts,
            )
            yield App(
                sessions=Sessions(store, services, None if tools else orders, consulting),
                store=store,
                settings=settings,
                model=model or rules,
                vision=guarded if model else None,
                door=door,
                charts=charts,
                sources=sources,
                orders=orders,
                knowledge=knowledge,
            )


def clinical_tools(
    sources: Sources, *, vision: Vision | None, charts: Charts, entries: Entries | None
) -> ClinicalTools:
    """The ten tools over what this installation has."""
    return ClinicalTools(
        vision=vision,
        charts=charts,
        drugs=sources.drugs,
        entries=entries,
        literature=sources.literature,
        trials=sources.trials,
    )


def software(model: LanguageModel) -> str:
    """What is stamped on an entry: by which program, with which model and prompts, it was prepared.

    The graph is added where the entry is made: each question may have its own.
    """
    now = versions_of(model.name)
    return f"DocGemma {now.docgemma}; model {now.model}; prompts {now.prompts}"


def _elsewhere(settings: Settings) -> bool:
    """Where another server finds patients or reads charts, ours knows nobody that it speaks of."""
    return not {"search_patient", "get_patient_chart"}.isdisjoint(settings.tool_servers)


def routes(settings: Settings, server: Server[Any]) -> dict[str, Route]:
    """Each tool in process, unless the settings name another server for it."""
    table: dict[str, Route] = {tool.name: server for tool in TOOLS}
    for name, other in settings.tool_servers.items():
        if name not in table:
            raise BadInput(f"tool_servers names '{name}', which is not one of the tools: {', '.join(table)}.")
        table[name] = Remote(
            other.url,
            pin=other.pin,
            allow_writes=other.allow_writes,
            allow_http=other.allow_http,
            token=other.token.get_secret_value() if other.token else None,
        )
    return table
