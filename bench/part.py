"""`python -m bench.part MODULE rows|growth`: one part's process. Each figure is a line of JSON, as it comes."""

from __future__ import annotations

import importlib
import json
import sys
import traceback
from contextlib import redirect_stdout
from typing import Any

from bench.report import Skipped

OWN = ("bench", "docgemma", "scripts", "tests")
"""What must be there: without it the benchmark is broken, not left out."""


def main(module: str, what: str) -> int:
    """0 also where something is absent: that is told, not raised."""
    out = sys.stdout

    def tell(line: dict[str, Any]) -> None:
        out.write(json.dumps(line) + "\n")
        out.flush()

    with redirect_stdout(sys.stderr):
        try:
            for figure in getattr(importlib.import_module(module), what)():
                tell({"told": figure.as_json()})
        except Skipped as error:
            tell({"skipped": str(error)})
        except Exception as error:
            if isinstance(error, ModuleNotFoundError) and (error.name or "").partition(".")[0] not in OWN:
                tell({"skipped": f"{error.name} is not installed here"})
                return 0
            traceback.print_exc()
            tell({"failed": f"{type(error).__name__}; its reason was printed"})
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
