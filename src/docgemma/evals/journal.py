"""The file of records: a first line that says what was run, then one line a case, each on the disk before the next.

A run that was killed leaves at most half a line behind. To go on, that half is cut off, and everything whole counts.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import BinaryIO

from pydantic import ValidationError

from docgemma import __version__
from docgemma.clinical import Frozen
from docgemma.config import Settings
from docgemma.errors import BadInput, Conflict, Unavailable
from docgemma.evals.contract import CaseRecord

_HEAD = "eval"


class Head(Frozen):
    """What a run was about. Runs are joined and compared only where suite, cases and model agree."""

    suite: str
    model: str
    cases: str
    docgemma: str = __version__
    prompts: str = ""
    shortcuts: bool = True
    began: str = ""

    def parted_from(self, other: Head) -> str:
        """The first thing that keeps `other` from being the same run; empty if nothing does."""
        for name, word in (
            ("suite", "another suite"),
            ("model", "another model"),
            ("cases", "other cases"),
            ("shortcuts", "another setting of shortcuts"),
            ("docgemma", "another version of DocGemma"),
            ("prompts", "other prompts"),
        ):
            if getattr(self, name) != getattr(other, name):
                return word
        return ""


def model_label(settings: Settings) -> str:
    """Which model a run asks, as far as the settings say it: by name, never by the address of its server."""
    choice = settings.model
    if choice == "auto":
        choice = "openai" if settings.model_url else "llamacpp" if settings.gguf else "rules"
    if choice == "rules":
        return "rules"
    return str(settings.model_name or (settings.gguf.name if choice == "llamacpp" and settings.gguf else choice))


def head_of(suite: str, settings: Settings, cases: str) -> Head:
    from docgemma.agent.replay.versions import prompts_version

    return Head(
        suite=suite,
        model=model_label(settings),
        cases=cases,
        prompts=prompts_version(),
        shortcuts=settings.shortcuts,
        began=datetime.now(UTC).isoformat(timespec="seconds"),
    )


class Journal:
    """Where records go. Each is flushed at once: a kill costs at most the case that was running."""

    def __init__(self, stream: BinaryIO | None, done: tuple[CaseRecord, ...] = ()) -> None:
        self._stream = stream
        self.done = done

    def write(self, record: CaseRecord) -> None:
        self.line(record.model_dump_json())

    def line(self, text: str) -> None:
        if self._stream is None:
            return
        try:
            self._stream.write(text.encode() + b"\n")
            self._stream.flush()
        except OSError as error:
            raise Unavailable(f"The records cannot be written: {error.strerror}.") from None


@contextmanager
def open_journal(path: Path | None, head: Head, *, resume: bool = False, overwrite: bool = False) -> Iterator[Journal]:
    """FILE, readable by its owner alone: cases of one's own may be taken from life."""
    if path is None:
        if resume:
            raise BadInput("--resume goes on with the file of --out: name it.")
        yield Journal(None)
        return
    there = path.exists() and path.stat().st_size > 0
    if there and not (resume or overwrite):
        raise BadInput(f"{path.name} exists. Give --resume to go on with it, or --overwrite to write it anew.")
    done: tuple[CaseRecord, ...] = ()
    keep = 0
    if there and resume:
        before, done, keep = _kept(path)
        if before is not None and (word := head.parted_from(before)):
            raise Conflict(f"{path.name} holds {word}. Give another --out, or --overwrite to write it anew.")
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        os.ftruncate(descriptor, keep)
        stream = os.fdopen(descriptor, "r+b")
        stream.seek(0, os.SEEK_END)
    except OSError as error:
        raise BadInput(f"{path.name} cannot be written: {error.strerror}.") from None
    with stream:
        journal = Journal(stream, done)
        if keep == 0:
            journal.line(json.dumps({_HEAD: head.model_dump()}))
        yield journal


def read_journal(path: Path) -> tuple[Head, tuple[CaseRecord, ...]]:
    """A finished or unfinished run, for a report or a comparison."""
    head, records, _ = _kept(path)
    if head is None or not records:
        raise BadInput(f"{path.name} holds no records of an eval. `docgemma eval SUITE --out FILE` writes such a file.")
    return head, records


def _kept(path: Path) -> tuple[Head | None, tuple[CaseRecord, ...], int]:
    """Everything whole at the start of the file, and how many bytes that is."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise BadInput(f"{path.name} cannot be read: {error.strerror}.") from None
    head: Head | None = None
    records: dict[tuple[str, str, int, str], CaseRecord] = {}
    kept = 0
    for number, line in enumerate(data.splitlines(keepends=True), 1):
        if not line.endswith(b"\n"):
            break
        try:
            if number == 1:
                head = Head.model_validate(json.loads(line)[_HEAD])
            else:
                record = CaseRecord.model_validate_json(line)
                records[(record.suite, *record.key)] = record
        except (ValueError, ValidationError, KeyError, TypeError):
            raise BadInput(f"{path.name}, line {number}: this is no record of an eval.") from None
        kept += len(line)
    return head, tuple(records.values()), kept


def suites_in(records: Iterable[CaseRecord]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(record.suite for record in records))
