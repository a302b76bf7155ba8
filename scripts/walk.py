"""What one question touches: modules, functions, and how often the walk changes package.

    python -m scripts.walk ["Can I give sildenafil with isosorbide mononitrate?"]

The question is asked without a model in a temporary folder, on embedded data, in this process.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from inspect import CO_OPTIMIZED
from types import CodeType, FrameType
from typing import Any

QUESTION = "Can I give sildenafil with isosorbide mononitrate?"


class Walk:
    """Counts every function of the package that is entered."""

    def __init__(self) -> None:
        self.functions: set[CodeType] = set()
        self.changes = 0
        self._last = ""

    def __call__(self, frame: FrameType, event: str, _: Any) -> None:
        if event != "call":
            return
        module = frame.f_globals.get("__name__", "")
        if not module.startswith("docgemma.") or not frame.f_code.co_flags & CO_OPTIMIZED:  # no module, no class body
            return
        self.functions.add(frame.f_code)
        package = ".".join(module.split(".")[:2])
        if package != self._last:
            self.changes += self._last != ""
            self._last = package

    @property
    def modules(self) -> int:
        return len({code.co_filename for code in self.functions})


def main() -> None:
    question = sys.argv[1] if len(sys.argv) > 1 else QUESTION
    with tempfile.TemporaryDirectory() as home:
        os.environ |= {"DOCGEMMA_HOME": home, "DOCGEMMA_MODEL": "rules", "DOCGEMMA_SOURCES": "pack"}
        started = time.process_time()
        from docgemma.cli.main import main as docgemma

        walk = Walk()
        sys.setprofile(walk)
        sys.argv = ["docgemma", "ask", "--json", question]
        try:
            docgemma()
        except SystemExit:
            pass
        finally:
            sys.setprofile(None)
    cpu = time.process_time() - started
    sys.stderr.write(
        f"{walk.modules} modules, {len(walk.functions)} functions, {walk.changes} changes of package; "
        f"{cpu:.1f} s CPU with counting\n"
    )


if __name__ == "__main__":
    main()
