"""The processes of the benchmark: the server as people start it, and the stub of a model."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

_PATIENCE_S = 120
_RSS = re.compile(r"VmRSS:\s+(\d+) kB")


@dataclass(frozen=True)
class Server:
    """A server that is ready. `cold_s` is what it took from the start of its process."""

    process: subprocess.Popen[bytes]
    port: int
    cold_s: float
    token: str
    cookie: str

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def _each(self, name: str) -> list[str]:
        """This file of the process and of its workers."""
        main = Path(f"/proc/{self.process.pid}")
        workers = (main / f"task/{self.process.pid}/children").read_text().split()
        return [Path(f"/proc/{pid}/{name}").read_text() for pid in (self.process.pid, *workers)]

    def rss_mb(self) -> float:
        return sum(int(found) for text in self._each("status") for found in _RSS.findall(text)) / 1000

    def cpu_s(self) -> float:
        spent = [text.rpartition(")")[2].split()[11:13] for text in self._each("stat")]
        return sum(int(ticks) for pair in spent for ticks in pair) / os.sysconf("SC_CLK_TCK")


@contextmanager
def paced_model(pace_s: float) -> Iterator[str]:
    """The address of a model that writes at this pace."""
    command = [sys.executable, "-m", "bench.web.model", str(pace_s)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            yield f"http://127.0.0.1:{process.stdout.readline().strip()}/v1"
        finally:
            process.kill()


@contextmanager
def server(model_url: str | None = None, home: Path | None = None, workers: int = 1) -> Iterator[Server]:
    """`docgemma serve` on a home of its own."""
    with TemporaryDirectory() as folder:
        kept = {name: value for name, value in os.environ.items() if not name.startswith("DOCGEMMA_")}
        env = kept | {"DOCGEMMA_HOME": str(home or folder), "DOCGEMMA_MODEL": "rules", "DOCGEMMA_SOURCES": "pack"}
        if model_url:
            env |= {"DOCGEMMA_MODEL": "openai", "DOCGEMMA_MODEL_URL": model_url, "DOCGEMMA_MODEL_NAME": "bench"}
        port = _free_port()
        begun = time.perf_counter()
        command = [sys.executable, "-m", "docgemma", "serve", "--port", str(port), "--workers", str(workers)]
        with subprocess.Popen(command, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
            try:
                _wait(f"http://127.0.0.1:{port}/ready")
                cold = time.perf_counter() - begun
                yield Server(process, port, cold, *_entry(port))
            finally:
                process.terminate()
                try:
                    process.wait(20)
                except subprocess.TimeoutExpired:
                    process.kill()


def _wait(url: str) -> None:
    give_up = time.monotonic() + _PATIENCE_S
    while True:
        try:
            with urllib.request.urlopen(url, timeout=5):
                return
        except OSError:
            if time.monotonic() > give_up:
                raise
            time.sleep(0.02)


def _entry(port: int) -> tuple[str, str]:
    """What a page carries: the token of its forms, and the cookie that belongs to it."""
    request = urllib.request.Request(f"http://127.0.0.1:{port}/ask", headers={"Accept": "text/html"})
    with urllib.request.urlopen(request, timeout=30) as answer:
        cookies = [value.partition(";")[0] for value in answer.headers.get_all("Set-Cookie") or ()]
        token = re.search(r'name="csrf" content="([^"]+)"', answer.read().decode())
    assert token is not None
    return token[1], "; ".join(cookies)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
