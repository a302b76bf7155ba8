"""The tables beside the code: tab-separated, so that a clinician can read and correct them."""

from __future__ import annotations

from importlib.resources import files


def rows(package: str, name: str) -> list[tuple[str, ...]]:
    """The rows of one file of a package's data, without lines that are empty or begin with #."""
    text = files(package).joinpath("data", name).read_text(encoding="utf-8")
    return [tuple(line.split("\t")) for line in text.splitlines() if line and not line.startswith("#")]
