"""An application for evals alone: the user's model, and nothing else of the user's."""

from __future__ import annotations

import tempfile
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from docgemma.agent.record import TurnRecord
from docgemma.agent.state import Charts
from docgemma.config import Settings
from docgemma.evals.contract import Outcome, Variant
from docgemma.llm.contract import LanguageModel
from docgemma.llm.guard import DID_NOT_FIT, INSTEAD, WROTE_NOTHING
from docgemma.tools.registry import ToolName
from docgemma.tools.server import Handler
from docgemma.wiring.app import App, open_app
from docgemma.wiring.knowledge import embedder_folder

OWNER = "eval"
NOT_OURS: dict[str, Any] = {"database_url": None, "tool_servers": {}, "fhir_url": None, "qdrant_url": None}


@asynccontextmanager
async def open_apart(
    settings: Settings,
    variant: Variant,
    *,
    tools: Mapping[ToolName, Handler] | None = None,
    around: Callable[[LanguageModel], LanguageModel] | None = None,
    who: Charts | None = None,
) -> AsyncIterator[App]:
    """The agent with this variant's graph, in a temporary folder that is deleted afterwards.

    Neither a configured database nor a configured tool server is used: an eval never touches anybody's data.
    """
    with tempfile.TemporaryDirectory(prefix="docgemma-eval-") as folder:
        async with open_app(apart(settings, variant, Path(folder)), tools=tools, around=around, who=who) as app:
            await app.prepare()  # one that cannot be loaded ends the run, or rules would be scored in its place
            yield app


def apart(settings: Settings, variant: Variant, home: Path) -> Settings:
    """The same model and the same embedder, and nothing else of the user's."""
    kept: dict[str, Any] = {"embedder": embedder_folder(settings), "graph": variant.graph}
    return settings.model_copy(update=kept | {"home": home, **NOT_OURS})


def of_record(record: TurnRecord, **scored: Any) -> Outcome:
    """What a turn cost, beside what was scored of it."""
    return Outcome(
        **scored,
        rule_instead=rule_stood_in(record),
        llm_calls=record.llm_calls,
        tokens=record.tokens,
        duration_ms=record.duration_ms,
        record=record,
    )


def rule_stood_in(record: TurnRecord) -> bool:
    """Whether the model failed and a rule answered: a score of such turns is not the model's."""
    return any(notice.endswith(INSTEAD) or notice in (DID_NOT_FIT, WROTE_NOTHING) for notice in record.notices)
