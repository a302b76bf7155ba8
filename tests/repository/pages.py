"""Reading the documents: sections, table rows, what stands in backticks, code blocks."""

from __future__ import annotations

import re

from tests.repository.tree import ROOT

DOCUMENTS = [ROOT / "README.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").glob("*.md"))]


def read(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def section(name: str, title: str) -> str:
    """What stands under one heading, up to the next of its kind."""
    found = re.search(rf"^## {re.escape(title)}\n(.*?)(?=^## |\Z)", read(name), re.DOTALL | re.MULTILINE)
    assert found, f"{name} has no section '{title}'"
    return found[1]


def rows(text: str) -> list[list[str]]:
    """The cells of every table row, headings left out."""
    lines = [line for line in text.splitlines() if line.startswith("|")]
    heads = {index - 1 for index, line in enumerate(lines) if set(line) <= set("|- ")}
    kept = [line for index, line in enumerate(lines) if index not in heads and index - 1 not in heads]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in kept]


def names(cell: str) -> list[str]:
    """What stands in backticks."""
    return re.findall(r"(?<!`)`([^`\n]+)`(?!`)", cell)


def anchors(text: str) -> set[str]:
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


def fenced(text: str, language: str = "") -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
