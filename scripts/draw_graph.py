"""Draw the routed graph into docs/architecture.md, from the compiled graph itself."""

from __future__ import annotations

import re
from pathlib import Path

from docgemma.agent.graphs.routed import build

DOCUMENT = Path(__file__).resolve().parent.parent / "docs" / "architecture.md"
DRAWING = re.compile(r"(?<=<!-- graph -->\n).*?(?=<!-- /graph -->)", re.DOTALL)
NAMES = {"__start__": "start([question])", "__end__": "finish([turn record])"}


def draw() -> str:
    """The graph as a fenced Mermaid block: a solid arrow always follows, a dotted one is the router's choice."""
    graph = build().get_graph()
    ids = {name: shown.partition("(")[0] for name, shown in NAMES.items()}
    place = {name: number for number, name in enumerate(graph.nodes)}
    lines = ["```mermaid", "flowchart TD"]
    lines += [f"    {NAMES.get(name, f'{name}[{name}]')}" for name in graph.nodes]
    for edge in sorted(graph.edges, key=lambda edge: (place[edge.source], place[edge.target])):
        arrow = "-.->" if edge.conditional else "-->"
        lines.append(f"    {ids.get(edge.source, edge.source)} {arrow} {ids.get(edge.target, edge.target)}")
    return "\n".join([*lines, "```", ""])


def drawn(document: str) -> str:
    """The document with its drawing as the code has it now."""
    drawing = draw()
    return DRAWING.sub(lambda _: drawing, document)


def main() -> None:
    DOCUMENT.write_text(drawn(DOCUMENT.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
