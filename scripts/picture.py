"""Take the README's picture: one run of `docgemma ask` on a pseudo terminal, drawn as SVG.

Everything in the picture is the product's own output. The label and the model's words are scripted, served over MCP
and over the OpenAI protocol as a hospital's own servers would, and marked as demonstration data in the answer itself.
"""

from __future__ import annotations

import asyncio
import json
import os
import pty
import re
import shlex
import socket
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
PICTURE = ROOT / "docs" / "images" / "terminal.svg"
COMMAND = ("ask", "--timeline", "Check FDA warnings for dofetilide")
COLUMNS = 108

BOXED = "Torsade de pointes: start only where continuous ECG monitoring is available for at least 3 days."
WARNINGS = (
    "Dofetilide carries a boxed warning for torsade de pointes. "
    "It may only be started where continuous ECG monitoring is available for at least 3 days."
)
DECISIONS: dict[str, dict[str, Any]] = {
    "IntentClassification": {
        "intent": "TOOL_NEEDED",
        "task_summary": "Clinician asks for the boxed warnings of dofetilide",
        "suggested_tool": "check_drug_safety",
    },
    "ResultAssessment": {"quality": "success_rich", "brief_summary": "One boxed warning"},
}

_MOVES = re.compile(r"\x1b\[[0-9;?]*[A-Za-ln-z]|\x1b\]8;[^\x07\x1b]*(?:\x07|\x1b\\)")
_REMOTE_FONT = re.compile(r"@font-face \{\{.*?\}\}", re.DOTALL)


def label() -> Any:
    """A label in our own words, for demonstration only."""
    from docgemma.clinical import Source
    from docgemma.tools.results import DrugSafetyReport

    return DrugSafetyReport(
        status="found",
        origin="pack",
        data_date="2026-08-11",
        demonstration=True,
        drug="dofetilide",
        boxed_warnings=(BOXED,),
        sources=(Source(kind="label", title="Dofetilide label, boxed warning", date="2026-08-11", quote=BOXED),),
    )


@asynccontextmanager
async def tool_server() -> AsyncIterator[dict[str, Any]]:
    """The scripted tools on a port of this machine, as the setting that puts them in place."""
    from docgemma.errors import Unavailable
    from docgemma.toolbox import pins
    from docgemma.tools.scripted import ScriptedTools
    from docgemma.tools.serve import serve_http

    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    url = f"http://127.0.0.1:{port}/mcp"
    tools = ScriptedTools({"check_drug_safety": [label()]})
    serving = asyncio.create_task(serve_http(tools.server(), port=port))
    offered: dict[str, str] = {}
    while not offered and not serving.done():
        with suppress(Unavailable):
            offered = await pins(url)
    try:
        yield {"check_drug_safety": {"url": url, "pin": offered["check_drug_safety"]}}
    finally:
        serving.cancel()
        await asyncio.gather(serving, return_exceptions=True)


async def shown(home: Path) -> str:
    """What the terminal was sent, colours included."""
    from tests.support.model_server import Answer, ModelServer, schema_name

    def model(body: dict[str, Any]) -> Answer:
        decision = DECISIONS.get(schema_name(body))
        return Answer(json.dumps(decision) if decision else WARNINGS, delay_s=0.2)

    async with ModelServer(model) as server, tool_server() as routes:
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("DOCGEMMA_", "NO_COLOR"))}
        env = kept | {
            "DOCGEMMA_HOME": str(home),
            "DOCGEMMA_MODEL_URL": server.url,
            "DOCGEMMA_MODEL_NAME": "medgemma",
            "DOCGEMMA_TOOL_SERVERS": json.dumps(routes),
            "TERM": "xterm-256color",
            "COLUMNS": str(COLUMNS),
        }
        return await asyncio.to_thread(_on_a_terminal, await _started(env))


async def _started(env: dict[str, str]) -> int:
    master, slave = pty.openpty()
    arguments = (sys.executable, "-m", "docgemma", *COMMAND)
    process = await asyncio.create_subprocess_exec(*arguments, stdin=slave, stdout=slave, stderr=slave, env=env)
    os.close(slave)
    asyncio.get_running_loop().create_task(process.wait())
    return master


def _on_a_terminal(master: int) -> str:
    pieces: list[bytes] = []
    with suppress(OSError):  # how a pseudo terminal says that the other end has gone
        while piece := os.read(master, 65536):
            pieces.append(piece)
    os.close(master)
    return b"".join(pieces).decode()


def draw(output: str) -> str:
    """The output as SVG. Without remote fonts: a picture in a clinical product fetches nothing."""
    from rich._export_format import CONSOLE_SVG_FORMAT
    from rich.console import Console
    from rich.text import Text

    console = Console(record=True, width=COLUMNS, file=StringIO(), force_terminal=True, color_system="truecolor")
    command = shlex.join(("docgemma", *COMMAND)).replace("'", '"')
    console.print(Text(f"$ {command}", "bold green"))
    for line in _MOVES.sub("", output).rstrip().replace("\r\n", "\n").split("\n"):
        console.print(Text.from_ansi(line.rpartition("\r")[2]))
    return console.export_svg(
        title="DocGemma", code_format=_REMOTE_FONT.sub("", CONSOLE_SVG_FORMAT), unique_id="docgemma"
    )


def main() -> None:
    sys.path.insert(0, str(ROOT))
    with TemporaryDirectory() as home:
        PICTURE.write_text(draw(asyncio.run(shown(Path(home)))), encoding="utf-8")


if __name__ == "__main__":
    main()
