"""Grounding against `docgemma terms serve --http` in a process of its own, which is killed in the middle of a run."""

from __future__ import annotations

import re
import socket
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from docgemma.config import Settings
from docgemma.grounding.contract import Criterion
from docgemma.grounding.engines.local import InProcess
from docgemma.grounding.grounding import Services, ground
from docgemma.grounding.rules import RULES
from docgemma.grounding.runs.formats import format_of
from docgemma.grounding.runs.keys import Basis
from docgemma.grounding.runs.output import open_output
from docgemma.grounding.runs.running import Job, Outage, Run, Tally
from docgemma.grounding.runs.store import open_store
from docgemma.grounding.searching import TerminologyClient
from docgemma.llm.rules import RulesModel
from docgemma.terminology.embedded import EmbeddedTerminology
from docgemma.terminology.server import ToolName
from docgemma.toolbox import Route
from docgemma.wiring.grounding import TOOLS, terminology_routes
from docgemma.wiring.source_diagnosis import terminology
from tests.cli.conftest import Terminal
from tests.cli.ground_files import TEXTS, tiny_index

COUNT = 16
PIN = re.compile(r'terminology_server\.(\w+)\.pin = "([0-9a-f]{64})"')


class Served:
    """A real server at one port, started and killed as often as a test wants."""

    def __init__(self, terminal: Terminal) -> None:
        with socket.create_server(("127.0.0.1", 0)) as taken:
            self._port = str(taken.getsockname()[1])
        self._terminal = terminal
        self._process: subprocess.Popen[bytes] | None = None
        self.url = f"http://127.0.0.1:{self._port}/mcp"

    def start(self) -> None:
        self._process = self._terminal.start(
            "terms", "serve", "--http", "--port", self._port, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL
        )
        assert self._process.stderr is not None
        assert self.url.encode() in self._process.stderr.readline()

    def kill(self) -> None:
        if self._process is not None and self._process.stderr is not None:
            self._process.kill()
            self._process.wait()
            self._process.stderr.close()
            self._process = None


@contextmanager
def served(terminal: Terminal) -> Iterator[Served]:
    server = Served(terminal)
    server.start()
    try:
        yield server
    finally:
        server.kill()


async def pinned(home: Path, url: str) -> Settings:
    """As an operator does it: `doctor` tells the pins."""
    servers = {name: {"url": url} for name in TOOLS}
    findings = await terminology(Settings.model_validate({"home": home, "terminology_server": servers}))
    told = {found[1]: found[2] for each in findings if (found := PIN.search(each.mend))}
    servers = {name: {"url": url, "pin": told[name]} for name in TOOLS}
    settings = Settings.model_validate({"home": home, "terminology_server": servers})
    assert [each.state for each in await terminology(settings)][-2:] == ["ok", "ok"]
    return settings


async def run_to(out: Path, store: Path, routes: Mapping[ToolName, Route], *, kill: Served | None = None) -> Tally:
    """A whole run in batches of three; the server is killed when the first is written and the next are at work."""
    criteria = [
        Criterion(criterion_id=f"c{n}", protocol_id="P1", text=f"{TEXTS[n % len(TEXTS)]}, point {n}")
        for n in range(COUNT)
    ]
    async with TerminologyClient(routes, pauses_s=()) as client, open_store(str(store)) as kept:
        services = Services(llm=RulesModel(RULES), terminology=client)
        with open_output(out, {"input": "criteria"}, fresh=False, force=False) as output:
            job = Job(
                entries=iter(criteria),
                source="criteria",
                store=kept,
                engine=InProcess(lambda batch, name: ground(batch, name, services), concurrency=2),
                basis=Basis("served", "rules", "p", 0.7),
                output=output,
                format=format_of("jsonl"),
                batch_size=3,
                told=lambda tally: kill.kill() if kill else None,
            )
            return await Run(job).run()


async def test_a_killed_server_costs_nothing_but_time(terminal: Terminal, tmp_path: Path) -> None:
    index = tiny_index(tmp_path / "index.sqlite")
    terminal.variables["DOCGEMMA_TERMS_INDEX"] = str(index)
    whole, cut = tmp_path / "whole.jsonl", tmp_path / "cut.jsonl"
    with closing(EmbeddedTerminology(index)) as embedded:
        here = terminology_routes(Settings(home=tmp_path), embedded)
        assert (await run_to(whole, tmp_path / "db1", here)).now == COUNT
    with served(terminal) as server:
        there = terminology_routes(await pinned(tmp_path, server.url), None)
        with pytest.raises(Outage, match="could not be reached"):
            await run_to(cut, tmp_path / "db2", there, kill=server)
        written = cut.read_bytes()
        assert 3 <= len(written.splitlines()) < COUNT and whole.read_bytes().startswith(written)
        server.start()
        tally = await run_to(cut, tmp_path / "db2", there)
    assert tally.before >= len(written.splitlines()) and tally.now > 0 and tally.failed == 0
    assert cut.read_bytes() == whole.read_bytes()
    assert b"C0025598" in written and b"C0027051" in written
