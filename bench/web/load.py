"""What the page weighs, how fast its server starts, and how it does with many readers at once."""

from __future__ import annotations

import gzip
import json
import re
import statistics
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from bench.growth import FLAT, Curve
from bench.report import Row
from bench.web.model import SENTENCES
from bench.web.processes import Server, paced_model, server

STREAMS, SESSIONS, AT_ONCE, PACE_S = 60, 100, 20, 0.5
CROWDS, CROWD_PACE_S = (4, 40, 400), 2.0
_LINKED = re.compile(r'(?:href|src)="(/static/[^"]+)"')


def rows() -> Iterator[Row]:
    yield from start_rows()
    yield from stream_rows(STREAMS, PACE_S, spread_s=1.0, workers=2)
    yield from session_rows(SESSIONS, AT_ONCE)


def growth() -> Iterator[Curve]:
    """On a model that takes 24 s for an answer, as slow as a real one; one worker, begun within a twentieth of that."""
    told = {streams: stream_rows(streams, CROWD_PACE_S, spread_s=1.2, workers=1) for streams in CROWDS}
    for what in ("p99 to the last event", "Server CPU per stream", "Memory"):
        found = {streams: next(row for row in found if row.what == what) for streams, found in told.items()}
        points = tuple((streams, row.value or 0.0) for streams, row in found.items())
        yield Curve(what, "streams at once", found[CROWDS[0]].unit, points, FLAT)


def fetched(url: str) -> bytes:
    request = urllib.request.Request(url, headers={"Accept": "text/html"})
    with urllib.request.urlopen(request, timeout=30) as answer:
        body: bytes = answer.read()
        return body


def start_rows() -> list[Row]:
    """The page and all it links to, compressed as a proxy would; a first start, and one on a home that is there."""
    with TemporaryDirectory() as folder:
        with server(home=Path(folder)) as first:
            fresh, page = first.cold_s, fetched(f"{first.url}/ask")
            linked = sorted(set(_LINKED.findall(page.decode())))
            parts = [page, *(fetched(first.url + path.replace("&amp;", "&")) for path in linked)]
            rss = first.rss_mb()
        with server(home=Path(folder)) as again:
            second, cpu = again.cold_s, again.cpu_s()
    weight = sum(len(gzip.compress(part)) for part in parts) / 1000
    return [
        Row(f"Page /ask with its {len(linked)} files, gzipped", weight, "kB", goal=120),
        Row("Process start to /ready, new home", fresh, "s"),
        Row("Process start to /ready", second, "s"),
        Row("The same, CPU", cpu, "s"),
        Row("Memory after the first page", rss, "MB"),
    ]


def ordered(running: Server, **order: Any) -> list[dict[str, Any]]:
    """What the client process reports."""
    told = json.dumps({"port": running.port, "token": running.token, "cookie": running.cookie, **order})
    command = [sys.executable, "-m", "bench.web.client"]
    done = subprocess.run(command, input=told, stdout=subprocess.PIPE, text=True, check=True)
    outcomes: list[dict[str, Any]] = json.loads(done.stdout)
    return outcomes


def failures(outcomes: list[dict[str, Any]]) -> int:
    for reason in {each["error"] or each["last"] for each in outcomes if each["error"] or each["last"] != "done"}:
        print(f"# not answered: {reason}", file=sys.stderr)
    return sum(1 for each in outcomes if each["error"] or each["last"] != "done" or each["gaps"])


def quantile(values: list[float], share: float) -> float:
    return sorted(values)[min(len(values) - 1, int(len(values) * share))]


def stream_rows(streams: int, pace_s: float, spread_s: float, workers: int) -> list[Row]:
    """On a model that takes its time; the ideal is the model's own time. With workers, some follow another's runs."""
    ideal = len(SENTENCES) * pace_s
    with paced_model(pace_s) as model_url, server(model_url, workers=workers) as running:
        ordered(running, streams=1, spread_s=0)  # what is loaded on first use
        cpu = running.cpu_s()
        outcomes = ordered(running, streams=streams, spread_s=spread_s)
        cpu, rss = running.cpu_s() - cpu, running.rss_mb()
    sentences = sum(each["sentences"] for each in outcomes)
    took = [each["seconds"] for each in outcomes]
    return [
        Row(
            f"{streams} streams begun within {spread_s:g} s, {workers} workers, not told to the end",
            failures(outcomes),
            "runs",
            goal=0,
        ),
        Row("Sentences missing", streams * len(SENTENCES) - sentences, "events", goal=0),
        Row("p99 to the last event", quantile(took, 0.99), "s", "ideal", ideal, 1.3),
        Row("Median to the last event", statistics.median(took), "s", "ideal", ideal),
        Row("p99 to the first event", quantile([each["first_s"] for each in outcomes], 0.99), "s"),
        Row("Server CPU per stream", cpu * 1000 / streams, "ms"),
        Row("Memory", rss, "MB"),
    ]


def session_rows(sessions: int, at_once: int) -> list[Row]:
    with paced_model(0.0) as model_url, server(model_url) as running:
        ordered(running, streams=1, spread_s=0)
        begun, cpu = time.perf_counter(), running.cpu_s()
        outcomes = ordered(running, sessions=sessions, at_once=at_once)
        took, cpu, rss = time.perf_counter() - begun, running.cpu_s() - cpu, running.rss_mb()
    return [
        Row(f"{sessions} sessions, {at_once} turns at once, errors", failures(outcomes), "turns", goal=0),
        Row("Turns per second", sessions / took, "1/s"),
        Row("Server CPU per turn", cpu * 1000 / sessions, "ms"),
        Row("p99 of a turn", quantile([each["seconds"] for each in outcomes], 0.99), "s"),
        Row("Memory", rss, "MB"),
    ]
