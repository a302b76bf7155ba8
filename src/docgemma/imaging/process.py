"""The decoder's process, as the rest of the program sees it: bytes in, bytes out, within limits."""

from __future__ import annotations

import asyncio
import contextlib
import json
import signal
import sys
from typing import Any, Literal

from docgemma.errors import BadInput
from docgemma.imaging.places import Places
from docgemma.imaging.refusals import EXIT, UNREADABLE, refusal

Job = Literal["picture", "dicom", "window", "present"]

SLOW = "This image took too long to read."
AT_ONCE = Places(2)
"""Decoders of this process, whoever asks: each may take half a gigabyte. Waiting takes nothing of an image's time."""

TOO_LONG = (-signal.SIGXCPU, -signal.SIGKILL)
"""How a process ends that used up its processor time."""


async def work(job: Job, order: dict[str, Any], data: bytes, timeout_s: float, memory_mb: int) -> bytes:
    """Have a decoder do one job. Raises BadInput with one sentence, whatever happened in there."""
    async with AT_ONCE.one():
        return await _worked(job, order, data, timeout_s, memory_mb)


async def _worked(job: Job, order: dict[str, Any], data: bytes, timeout_s: float, memory_mb: int) -> bytes:
    # Isolated and without our environment: a decoder that is taken over finds no token and no other module.
    worker = await asyncio.create_subprocess_exec(
        sys.executable,
        *("-I", "-m", "docgemma.imaging.worker", str(memory_mb), str(max(1, round(timeout_s))), job),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        env={},
    )
    try:
        async with asyncio.timeout(timeout_s):
            output, _ = await worker.communicate(json.dumps(order).encode() + b"\n" + data)
    except TimeoutError:
        raise BadInput(SLOW) from None
    finally:
        with contextlib.suppress(ProcessLookupError):
            worker.kill()
        await worker.wait()
    if worker.returncode == EXIT:
        raise refusal(output)
    if worker.returncode in TOO_LONG:
        raise BadInput(SLOW)
    if worker.returncode != 0:
        raise BadInput(UNREADABLE)
    return output
