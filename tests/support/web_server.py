"""`docgemma serve` as a process of its own, on a home of its own: started, killed and started again by tests."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

from tests.support.model_server import Answer, Json, ModelServer

_START_SECONDS = 60.0


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port: int = server.getsockname()[1]
        return port


@dataclass
class WebServer:
    """`environment` adds to a bare one: nothing of the machine that runs the test reaches the server."""

    home: Path
    port: int = field(default_factory=free_port)
    arguments: tuple[str, ...] = ()
    environment: dict[str, str] = field(default_factory=dict)
    _process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *exc: object) -> None:
        self.kill(signal.SIGTERM)

    def start(self) -> None:
        self.home.mkdir(parents=True, exist_ok=True)
        with (self.home / "serve.log").open("ab") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "docgemma", "serve", "--port", str(self.port), *self.arguments],
                env=self._environment(),
                stdout=log,
                stderr=log,
            )
        self._wait()

    def kill(self, how: signal.Signals = signal.SIGKILL) -> None:
        """-9 unless said otherwise: what a power cut leaves behind."""
        if self._process is None:
            return
        self._process.send_signal(how)
        try:
            self._process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._process = None

    def docgemma(self, *arguments: str, text: str | None = None) -> str:
        """Another command on the same home."""
        done = subprocess.run(
            [sys.executable, "-m", "docgemma", *arguments],
            env=self._environment(),
            input=text,
            capture_output=True,
            text=True,
            timeout=120,
        )
        assert done.returncode == 0, done.stdout[-1000:] + done.stderr
        return done.stdout

    def _environment(self) -> dict[str, str]:
        given = {"DOCGEMMA_HOME": str(self.home), "DOCGEMMA_MODEL": "rules", "DOCGEMMA_SOURCES": "pack"}
        return {"PATH": os.environ["PATH"], "HOME": str(self.home), **given, **self.environment}

    def _wait(self) -> None:
        until = time.monotonic() + _START_SECONDS
        while time.monotonic() < until:
            assert self._process is not None
            if self._process.poll() is not None:
                break
            try:
                with urllib.request.urlopen(f"{self.url}/ready", timeout=2) as answer:
                    if answer.status == 200:
                        return
            except OSError:
                time.sleep(0.05)
        raise AssertionError(f"the server did not start:\n{(self.home / 'serve.log').read_text()[-3000:]}")


@contextmanager
def model_beside(handler: Callable[[Json], Answer]) -> Iterator[dict[str, str]]:
    """A model server in a thread of this process; yields the environment of a web server that is to ask it."""
    ready: Future[tuple[asyncio.AbstractEventLoop, asyncio.Event, str]] = Future()

    async def live() -> None:
        async with ModelServer(handler, keep=False) as model:
            ended = asyncio.Event()
            ready.set_result((asyncio.get_running_loop(), ended, model.url))
            await ended.wait()

    thread = threading.Thread(target=lambda: asyncio.run(live()), daemon=True)
    thread.start()
    loop, ended, url = ready.result(timeout=10)
    try:
        yield {"DOCGEMMA_MODEL": "openai", "DOCGEMMA_MODEL_URL": url, "DOCGEMMA_MODEL_NAME": "medgemma"}
    finally:
        loop.call_soon_threadsafe(ended.set)
        thread.join(timeout=10)
