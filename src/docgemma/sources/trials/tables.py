"""The tables beside this package: tab-separated, with a line of headings; lines with # are for who reads them."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from importlib.resources import files


def rows(name: str) -> Iterator[dict[str, str]]:
    text = files("docgemma.sources.trials").joinpath("data", name).read_text(encoding="utf-8")
    yield from csv.DictReader((line for line in text.splitlines() if not line.startswith("#")), delimiter="\t")
