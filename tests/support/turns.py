"""Play turns through the whole agent: a scripted model, scripted tools over MCP, a real SQLite file."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from docgemma.agent.consulting import Consulting
from docgemma.agent.curated import Curated
from docgemma.agent.events import TextEvent, TurnEvent
from docgemma.agent.record import TurnRecord
from docgemma.agent.rules import RULES
from docgemma.agent.session import Question, Sessions
from docgemma.agent.shortcuts import ALL, NONE
from docgemma.agent.state import Services
from docgemma.knowledge.contract import Knowledge
from docgemma.llm.contract import LanguageModel
from docgemma.llm.rules import GuardedModel, RulesModel
from docgemma.llm.scripted import ScriptedModel
from docgemma.store.sessions import Store, open_store
from docgemma.toolbox import Toolbox
from docgemma.tools.registry import READS, RESULT_TYPES, TOOLS
from docgemma.tools.scripted import ScriptedTools


@dataclass
class Stage:
    """An open app: ask it, then look at what it said, which models and tools it used, and what it streamed."""

    sessions: Sessions
    store: Store
    model: LanguageModel
    tools: ScriptedTools
    events: list[TurnEvent] = field(default_factory=list)

    async def ask(self, text: str, **more: Any) -> TurnRecord:
        self.events.clear()
        return await self.sessions.ask(Question(text, **more), self.events.append)

    @property
    def streamed(self) -> str:
        return "".join(event.text for event in self.events if isinstance(event, TextEvent))

    @property
    def asked(self) -> list[str]:
        """The prompts the model was asked, by name and in order."""
        assert isinstance(self.model, ScriptedModel)
        return [call.name for call in self.model.calls]


@asynccontextmanager
async def stage(
    folder: Path,
    model: LanguageModel | None = None,
    tools: ScriptedTools | Mapping[str, Any] | None = None,
    shortcuts: bool = True,
    understood: bool = True,
    knowledge: Knowledge | None = None,
    **services: Any,
) -> AsyncIterator[Stage]:
    """Without a model the rules answer; without tools none may be called; without knowledge there is no consult.

    `understood`: where the reader is sure, no model is asked what kind of request it is.
    """
    rules = RulesModel(RULES)
    guarded = rules if model is None else GuardedModel(model, rules)
    scripted = tools if isinstance(tools, ScriptedTools) else ScriptedTools(tools or {})
    server = scripted.server()
    async with (
        open_store(str(folder / "sessions.sqlite")) as store,
        Toolbox({tool.name: server for tool in TOOLS}, RESULT_TYPES, reads=READS) as box,
    ):
        curated = Curated(knowledge) if knowledge else None
        taken = (ALL if understood else ALL - {"understood"}) if shortcuts else NONE
        live = Services(guarded, box, shortcuts=taken, curated=curated, **services)
        consulting = Consulting(knowledge, model, shortcuts=shortcuts) if knowledge else None
        sessions = Sessions(store, live, consulting=consulting)
        yield Stage(sessions, store, model or rules, scripted)


def steps(record: TurnRecord) -> list[str]:
    """The nodes a turn went through, each once per visit."""
    visited: list[str] = []
    for entry in record.timeline:
        if not visited or visited[-1] != entry.step:
            visited.append(entry.step)
    return visited
