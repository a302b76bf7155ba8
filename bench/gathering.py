"""All benchmarks, each measured in a process of its own, so that none pays for another's imports or memory."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

PEERS = Path(".venv-bench/bin/python")
"""Where the libraries that we are compared with are installed."""
LONGEST_S = {"rows": 600, "growth": 3600}
"""A part that hangs is ended; on a quiet machine all of them together take less than ten minutes."""
What = Literal["rows", "growth"]


@dataclass(frozen=True, slots=True)
class Part:
    """A module with `rows()` at small sizes and, where it grows with something, `growth()` at sizes tenfold apart."""

    name: str
    module: str
    about: str
    peers: bool = False
    grows: bool = False


PARTS = (
    Part("turns", "bench.turns", "a turn beside three other agents, on one fake server", peers=True, grows=True),
    Part("start", "bench.start_up", "starting, importing and installing the product"),
    Part("extraction", "bench.extraction", "drug names in 1 MB of notes, beside flashtext", peers=True),
    Part("reading", "bench.reading", "reading a message, over the packaged cases"),
    Part("charts", "bench.ehr", "the embedded charts: import, name search, reading a chart", grows=True),
    Part("labels", "bench.packs.labels", "a pack of invented drug labels, beside json and SQLite's FTS5", grows=True),
    Part("articles", "bench.packs.literature", "a pack of invented articles, beside a plain FTS5 table", grows=True),
    Part("knowledge", "bench.knowledge.finding", "finding entries, beside the engine's own BM25", grows=True),
    Part("linking", "bench.linking.sampled", "names to concepts, beside other ways", peers=True, grows=True),
    Part("web", "bench.web.load", "the page's weight, its start, streams and sessions", grows=True),
    Part("grounding", "bench.grounding.scale", "grounding criteria by rules, on one and two processes"),
)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a part's process told, in the shape of `as_json`; `why` is not empty where it could not go on."""

    told: tuple[dict[str, Any], ...]
    skipped: str = ""
    failed: str = ""


def measured(part: Part, what: What) -> Outcome:
    """Run one part to its end, or until it has taken too long. What it had told by then is kept."""
    python = str(PEERS) if part.peers and PEERS.is_file() else sys.executable
    process = subprocess.Popen(
        [python, "-m", "bench.part", part.module, what],
        stdout=subprocess.PIPE,
        text=True,
        env=_environment(),
        start_new_session=True,
    )
    try:
        out, _ = process.communicate(timeout=LONGEST_S[what])
        late = ""
    except subprocess.TimeoutExpired:
        late = f"not done after {LONGEST_S[what]} s"
        os.killpg(process.pid, signal.SIGKILL)
        out, _ = process.communicate()
    lines = list(_lines(out))
    ended = next((line for line in lines if "skipped" in line or "failed" in line), {})
    silent = "" if process.returncode == 0 else f"its process ended with {process.returncode}; its reason stands above"
    return Outcome(
        tuple(line["told"] for line in lines if "told" in line),
        str(ended.get("skipped", "")),
        str(ended.get("failed", "")) or late or silent,
    )


def _environment() -> dict[str, str]:
    """Without settings of the user, and with byte code, as installed packages have it."""
    return {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("DOCGEMMA_") and name != "PYTHONDONTWRITEBYTECODE"
    }


def _lines(out: str) -> Iterator[dict[str, Any]]:
    """Whole lines alone: a process that was ended may have left half of one."""
    for line in out.splitlines():
        try:
            yield json.loads(line)
        except ValueError:
            continue


def gathered(parts: tuple[Part, ...], what: What) -> Iterator[tuple[Part, Outcome]]:
    """Each part in turn, with a word on stderr about where it stands."""
    for number, part in enumerate(parts, 1):
        sys.stderr.write(f"bench: {number} of {len(parts)}, {part.name}: {part.about}\n")
        begun = time.monotonic()
        outcome = measured(part, what)
        words = "skipped" if outcome.skipped else "FAILED" if outcome.failed else f"{len(outcome.told)} figures"
        sys.stderr.write(f"bench: {part.name}: {words}, {time.monotonic() - begun:.0f} s\n")
        yield part, outcome
