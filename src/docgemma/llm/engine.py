"""llama.cpp in this process, through xllamacpp (extra `local`). The one module that knows that package.

xllamacpp always opens llama.cpp's HTTP server as well. It listens on the loopback address alone, and here nothing but
its sign of life answers without a key that nobody is told: what is asked of the model stays in this process.
"""

from __future__ import annotations

import importlib.util
import os
import re
import secrets
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any, Protocol

from docgemma.errors import ModelUnreachable, Unavailable
from docgemma.llm.asking import Busy
from docgemma.llm.gguf import GgufFile

Hear = Callable[[bytes], bool]
"""Takes each event of an answer; true stops the engine."""

NOT_INSTALLED = "A GGUF file is run by xllamacpp, which is not installed: pip install 'docgemma[local]'."
DOES_NOT_START = "xllamacpp is installed but does not start on this system. Run the file with a llama.cpp server."
REFUSED = (
    "The engine cannot load {path}: the file is damaged, or its model is newer than the engine. "
    "Fetch it again, or try `pip install -U xllamacpp`."
)
TOO_LARGE = (
    "{path} needs about {needed} of memory with a context of {context} tokens, and {free} are free. "
    "Close other programs, use a smaller file, or lower DOCGEMMA_GGUF_CONTEXT."
)
_BATCH = 128
"""Tokens of a prompt that are read at once: between two batches the engine can be stopped. Larger is not faster."""
_SCRATCH = 256 << 20
_MOST_KEPT = 1 << 30
_SILENT = 0
_AVAILABLE = re.compile(r"^MemAvailable:\s{1,20}(\d{1,15}) kB$", re.MULTILINE)


class Engine(Protocol):
    """Answers one request at a time, in the calling thread."""

    def ask(self, body: bytes, hear: Hear) -> None:
        """Answer a chat request in events. ModelError when the engine cannot."""
        ...

    def close(self) -> None:
        """Give the memory back."""
        ...


def installed() -> bool:
    return importlib.util.find_spec("xllamacpp") is not None


def load(file: GgufFile, *, context: int, threads: int | None) -> Engine:
    """The engine with its model in memory. Python stands still while it loads; Unavailable when it cannot."""
    if not installed():
        raise Unavailable(NOT_INSTALLED)
    try:
        import xllamacpp
    except ImportError:
        raise Unavailable(DOES_NOT_START) from None

    context = min(context, file.trained_context or context)
    on_processor = all("CPU" in device["type"].name for device in xllamacpp.get_device_info())
    kept = memory_left(file, context, free_bytes() if on_processor else None)
    params = xllamacpp.CommonParams()
    params.model.path = str(file.path)
    params.n_ctx = context
    params.n_parallel = 1
    params.n_batch = params.n_ubatch = _BATCH
    params.cache_ram_mib = kept >> 20
    params.verbosity = _SILENT
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.api_keys = [secrets.token_hex(32)]
    params.endpoint_slots = params.ui = False
    if threads:
        params.cpuparams.n_threads = params.cpuparams_batch.n_threads = threads
    try:
        return XllamaCpp(xllamacpp.Server(params))
    except RuntimeError:
        raise Unavailable(REFUSED.format(path=file.path)) from None


def memory_left(file: GgufFile, context: int, free: int | None) -> int:
    """How much may be spent on prompts that were read before. Unavailable when the model itself is too large."""
    needed = file.size + file.context_bytes(context) + _SCRATCH
    if free is None:
        return _MOST_KEPT
    if needed > free:
        raise Unavailable(
            TOO_LARGE.format(path=file.path, needed=_written(needed), context=context, free=_written(free))
        )
    return min(_MOST_KEPT, (free - needed) // 2)


class XllamaCpp:
    """A loaded model."""

    def __init__(self, server: Any) -> None:
        self._server = server

    def ask(self, body: bytes, hear: Hear) -> None:
        try:
            self._server.handle_chat_completions(body, hear)
        except ValueError:
            raise ModelUnreachable("The engine does not take this question.") from None
        except RuntimeError:
            raise Busy("The engine failed.") from None

    def close(self) -> None:
        self._server = None


def engine_version() -> str:
    """Which engine, as part of what was proved about it."""
    return f"xllamacpp {version('xllamacpp')}"


def _written(amount: int) -> str:
    return f"{amount / 1e9:.1f} GB" if amount >= 1e9 else f"{amount / 1e6:.0f} MB"


def free_bytes(root: Path = Path("/")) -> int | None:
    """How much memory this process may still take, before the system starts to kill or to swap.

    What the machine has left, or less where a container is allowed less. None where this system does not say.
    """
    found = [_of_machine(root), *_of_groups(root)]
    known = [amount for amount in found if amount is not None]
    return max(min(known), 0) if known else None


def _of_machine(root: Path) -> int | None:
    available = _AVAILABLE.search(_read(root / "proc/meminfo"))
    if available:
        return int(available[1]) * 1024
    try:  # macOS tells only how much there is
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") if root == Path("/") else None
    except (ValueError, OSError):
        return None


def _of_groups(root: Path) -> list[int | None]:
    """The limits of the control groups around this process, in both of their layouts."""
    left: list[int | None] = []
    mounted = root / "sys/fs/cgroup"
    for line in _read(root / "proc/self/cgroup").splitlines():
        _, controllers, path = (*line.split(":", 2), "", "")[:3]
        if controllers == "":
            names, top = ("memory.max", "memory.current"), mounted
        elif "memory" in controllers.split(","):
            names, top = ("memory.limit_in_bytes", "memory.usage_in_bytes"), mounted / "memory"
        else:
            continue
        group = top / path.strip("/")
        for folder in (group, *group.parents):
            left.append(_left_in(folder, *names))
            if folder == top:
                break
    return left


def _left_in(group: Path, limit: str, used: str) -> int | None:
    """What the group may still take; what it only keeps of files can be given back."""
    most, taken = _read(group / limit).strip(), _read(group / used).strip()
    if not (most.isdecimal() and taken.isdecimal()):  # "max" is no limit
        return None
    kept = re.search(r"^(?:total_)?inactive_file (\d{1,18})$", _read(group / "memory.stat"), re.MULTILINE)
    return int(most) - int(taken) + (int(kept[1]) if kept else 0)


def _read(file: Path) -> str:
    try:
        return file.read_text(encoding="ascii", errors="replace")
    except OSError:
        return ""
