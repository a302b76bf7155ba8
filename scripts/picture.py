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
import sys
from contextlib import suppress
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
PICTURE = ROOT / "docs" / "images" / "terminal.svg"
COMMAND = ("ask", "--timeline", "Check FDA warnings for dofetilide")
COLUMNS = 116

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

_ERASED = "\x1b[2K"
_MOVES = re.compile(r"\x1b\[[0-9;?]*[A-Za-ln-z]")
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


async def shown(home: Path) -> str:
    """What the terminal was sent, colours included."""
    from docgemma.toolbox import pins
    from docgemma.tools.scripted import ScriptedTools
    from docgemma.tools.serve import http_app
    from tests.support.http import serving
    from tests.support.model_server import Answer, ModelServer, schema_name

    def model(body: dict[str, Any]) -> Answer:
        decision = DECISIONS.get(schema_name(body))
        return Answer(json.dumps(decision) if decision else WARNINGS, delay_s=0.2)

    tools = ScriptedTools({"check_drug_safety": [label()]}).server()
    async with ModelServer(model) as server, serving(http_app(tools, "127.0.0.1", None)) as address:
        url = f"{address}/mcp"
        pin = (await pins(url))["check_drug_safety"]
        settings = {
            "DOCGEMMA_HOME": str(home),
            "DOCGEMMA_MODEL_URL": server.url,
            "DOCGEMMA_MODEL_NAME": "medgemma",
            "DOCGEMMA_TOOL_SERVERS": json.dumps({"check_drug_safety": {"url": url, "pin": pin}}),
        }
        return await _on_a_terminal(settings)


async def _on_a_terminal(settings: dict[str, str]) -> str:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("DOCGEMMA_", "NO_COLOR"))}
    env = kept | settings | {"TERM": "xterm-256color", "COLUMNS": str(COLUMNS)}
    master, slave = pty.openpty()
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "docgemma", *COMMAND), stdin=slave, stdout=slave, stderr=slave, env=env
    )
    os.close(slave)
    output = await asyncio.to_thread(_read, master)
    if await process.wait() != 0:
        raise RuntimeError(f"docgemma ended with {process.returncode}:\n{output}")
    return output


def _read(master: int) -> str:
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
    console.print(Text(f"$ {command}\n", "bold green"))
    kept = output.rpartition(_ERASED)[2]  # the status line was wiped when the answer began
    for line in _MOVES.sub("", kept).replace("\r\n", "\n").rstrip().split("\n"):
        console.print(Text.from_ansi(line))
    form = _REMOTE_FONT.sub("", CONSOLE_SVG_FORMAT).replace("<svg ", '<svg xml:space="preserve" ', 1)
    return console.export_svg(title="DocGemma", code_format=form, unique_id="docgemma")


def main() -> None:
    sys.path.insert(0, str(ROOT))
    with TemporaryDirectory() as home:
        PICTURE.write_text(draw(asyncio.run(shown(Path(home)))), encoding="utf-8")


if __name__ == "__main__":
    main()
