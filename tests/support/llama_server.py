"""llama.cpp's own HTTP server with a small real model, in a process of its own so that it can be killed.

The server picks a free loopback port and says on its standard output where it listens. It ends when its standard
input closes: no server outlives a test run, not even one that was itself killed.
"""

from __future__ import annotations

import importlib.util
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.weights import missing

ROOT = Path(__file__).resolve().parents[2]
START_DEADLINE_S = 60
READY = "listening on "
THREADS = 1
"""One: on a machine busy with other work, two threads took several times the processor time of a single one."""


def serve(gguf: str) -> None:
    """The child's whole life: load, announce, wait for the parent to let go."""
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = gguf
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.n_ctx = 4096
    params.n_parallel = 1
    params.cpuparams.n_threads = THREADS
    params.cpuparams_batch.n_threads = THREADS
    server = xllamacpp.Server(params)
    sys.stdout.write(f"{READY}{server.listening_address}\n")
    sys.stdout.flush()
    sys.stdin.read()


def wait_until_ready(process: subprocess.Popen[str]) -> str | None:
    """The address once the model is loaded, None if the child ended or took too long."""
    timer = threading.Timer(START_DEADLINE_S, process.kill)
    timer.start()
    try:
        assert process.stdout is not None
        for line in process.stdout:
            if line.startswith(READY):
                return line.removeprefix(READY).strip()
        return None
    finally:
        timer.cancel()


@pytest.fixture(scope="session")
def llama_url(smollm2_path: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The OpenAI-compatible address of a running server: http://127.0.0.1:PORT/v1."""
    if importlib.util.find_spec("xllamacpp") is None:
        missing("xllamacpp is not installed here: install the `dev` extra")
    log = tmp_path_factory.mktemp("llama") / "server.log"
    command = [sys.executable, "-m", "tests.support.llama_server", str(smollm2_path)]
    with (
        log.open("w") as stderr,
        subprocess.Popen(
            command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=stderr, text=True
        ) as process,
    ):
        try:
            address = wait_until_ready(process)
            if address is None:
                pytest.fail(f"the model server did not start:\n{log.read_text()[-2000:]}")
            yield f"{address}/v1"
        finally:
            process.kill()


if __name__ == "__main__":
    serve(sys.argv[1])
