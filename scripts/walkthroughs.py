"""Draw docs/walkthroughs.md from the tests that play the worked examples."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).resolve().parent.parent
DOCUMENT = ROOT / "docs" / "walkthroughs.md"
HEAD = """# Walkthroughs

Four turns, call by call, as the agent makes them with shortcuts off. This page is drawn by
`make docs` from `tests/agent/walkthroughs.py`; a test fails when it is out of date. The model's and the
tools' answers are scripted, everything between them is the product.
"""


async def draw(folder: Path) -> str:
    from tests.agent.walkthroughs import WALKTHROUGHS, play

    parts = [HEAD]
    for number, walkthrough in enumerate(WALKTHROUGHS, 1):
        home = folder / str(number)
        home.mkdir()
        played = await play(walkthrough, home)
        parts.append(f"## {number}. {walkthrough.title}: “{walkthrough.message}”\n")
        parts.append(f"Model calls with shortcuts off: {played.record.llm_calls}.\n")
        parts.append("| step | what | by |\n|---|---|---|")
        parts += [f"| {step.step} | {_what(step.label, step.detail)} | {step.by} |" for step in played.record.timeline]
        parts.append("\n| # | prompt | temperature | tokens | answer |\n|---|---|---|---|---|")
        for index, (call, (_, answer)) in enumerate(zip(played.calls, walkthrough.script, strict=True), 1):
            shown = answer if isinstance(answer, str) else json.dumps(answer, ensure_ascii=False)
            parts.append(f"| {index} | {call.name} | {call.temperature} | {call.max_tokens} | {shown} |")
        parts.append(f"\nAnswer, confidence {played.record.confidence}:\n\n> {played.record.response}\n")
        parts += [f"- {notice}" for notice in played.record.notices]
        parts.append("")
    return "\n".join(parts).rstrip() + "\n"


def _what(label: str, detail: str) -> str:
    return f"{label}: {detail}" if detail else label


def main() -> None:
    sys.path.insert(0, str(ROOT))
    with TemporaryDirectory() as folder:
        DOCUMENT.write_text(asyncio.run(draw(Path(folder))), encoding="utf-8")


if __name__ == "__main__":
    main()
