"""Take the README's picture: one run of `docgemma ask` on a pseudo terminal, drawn as SVG.

Everything in the picture is the product's own output on its embedded defaults: rules instead of a model, and a
fictional patient, which the answer itself says.
"""

from __future__ import annotations

import asyncio
import os
import pty
import re
import shlex
import sys
from contextlib import suppress
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).resolve().parent.parent
PICTURE = ROOT / "docs" / "images" / "terminal.svg"
COMMAND = ("ask", "Last INR of James Wilson Sr?")
COLUMNS = 116

_ERASED = "\x1b[2K"
_MOVES = re.compile(r"\x1b\[[0-9;?]*[A-Za-ln-z]")
_REMOTE_FONT = re.compile(r"@font-face \{\{.*?\}\}", re.DOTALL)


async def shown(home: Path) -> str:
    """What the terminal was sent, colours included."""
    return await _on_a_terminal({"DOCGEMMA_HOME": str(home), "DOCGEMMA_MODEL": "rules"})


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
