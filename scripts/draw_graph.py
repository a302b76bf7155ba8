"""Draw the graphs into the documents, from the compiled graphs themselves."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from docgemma.agent import graphs
from docgemma.grounding import graph as grounding
from docgemma.knowledge.consult import graph as consult

FOLDER = Path(__file__).resolve().parent.parent / "docs"
DOCUMENTS: dict[str, Callable[[], Any]] = {
    "architecture.md": partial(graphs.build, "routed"),
    "grounding.md": grounding.build,
    "knowledge.md": consult.build,
}
DRAWING = re.compile(r"(?P<mark><!-- graph(?: (?P<name>[a-z]+))? -->\n).*?(?=<!-- /graph -->)", re.DOTALL)
"""Where a drawing stands. A mark that names a graph is that graph's; without a name it is the document's own."""
ENDS = {"grounding.md": ("criteria", "one line for each")}


def draw(build: Callable[[], Any], first: str = "question", last: str = "turn record") -> str:
    """The graph as a fenced Mermaid block: a solid arrow always follows, a dotted one is the router's choice."""
    graph = build().get_graph()
    names = {"__start__": f"start([{first}])", "__end__": f"finish([{last}])"}
    ids = {name: shown.partition("(")[0] for name, shown in names.items()}
    place = {name: number for number, name in enumerate(graph.nodes)}
    lines = ["```mermaid", "flowchart TD"]
    lines += [f"    {names.get(name, f'{name}[{name}]')}" for name in graph.nodes]
    for edge in sorted(graph.edges, key=lambda edge: (place[edge.source], place[edge.target])):
        arrow = "-.->" if edge.conditional else "-->"
        lines.append(f"    {ids.get(edge.source, edge.source)} {arrow} {ids.get(edge.target, edge.target)}")
    return "\n".join([*lines, "```", ""])


def drawn(name: str, document: str) -> str:
    """The document with its drawings as the code has them now."""

    def anew(found: re.Match[str]) -> str:
        build = partial(graphs.build, graphs.known(found["name"])) if found["name"] else DOCUMENTS[name]
        return found["mark"] + draw(build, *ENDS.get(name, ()))

    return DRAWING.sub(anew, document)


def main() -> None:
    for name in DOCUMENTS:
        path = FOLDER / name
        path.write_text(drawn(name, path.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
