"""The file of records: a first line that says what was run, then one line a case, each on the disk before the next.

A run that was killed leaves at most half a line behind. To go on, that half is cut off, and everything whole counts.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import BinaryIO

from docgemma import __version__
from docgemma.clinical import Frozen
from docgemma.config import Settings
from docgemma.errors import BadInput, Conflict, Unavailable
from docgemma.evals.suite import RULES, CaseRecord

_HEAD = "eval"
_ENDS = 1 << 20
_DECISIVE = (
    "fast_model_name", "model_timeout_s", "gguf_context", "embedder", "tool_deadline_s", "tools_budget_s",
    "consult_role", "consult_deadline_s", "terms", "terms_index", "ground_threshold", "ground_hints", "prescriber",
)  # fmt: skip
"""Settings that change how a case comes out. The graph and the way to ask are the variant's, and told apart by it."""


class Head(Frozen):
    """What a run was about. Runs are joined and compared only where suite, cases and model agree."""

    suite: str
    model: str
    cases: str
    docgemma: str = __version__
    prompts: str = ""
    shortcuts: bool = True
    weights: str = ""
    """Which file of weights was read, by its content; empty where a server holds the model, or none is asked."""
    settings: str = ""
    """One hash over the settings that change how a case comes out; empty where they were not noted."""
    began: str = ""

    def parted_from(self, other: Head) -> str:
        """The first thing that keeps `other` from being the same run; empty if nothing does."""
        return next((_PARTS[name][0] for name in self._differing(other)), "")

    def apart(self, other: Head) -> tuple[str, ...]:
        """Everything that is not the same in two runs of a suite, in the words of a reader who compares them."""
        return tuple(_PARTS[name][1] for name in self._differing(other) if name != "suite")

    def _differing(self, other: Head) -> list[str]:
        """What one of the two never noted cannot be held against it."""
        pairs = {name: (getattr(self, name), getattr(other, name)) for name in _PARTS}
        unsure = [name for name in ("weights", "settings") if "" in pairs[name]]
        return [name for name, (one, another) in pairs.items() if one != another and name not in unsure]


_PARTS = {
    "suite": ("another suite", "suite"),
    "model": ("another model", "model"),
    "weights": ("another file of that model's weights", "file of weights"),
    "cases": ("other cases", "cases (others, or changed ones)"),
    "shortcuts": ("another setting of shortcuts", "shortcuts"),
    "docgemma": ("another version of DocGemma", "version of DocGemma"),
    "prompts": ("other prompts", "prompts"),
    "settings": ("a run with other settings", "settings"),
}
"""What must be the same in two runs: in the words of a refusal to join them, and of a comparison."""


def model_label(settings: Settings) -> str:
    """Which model a run asks, as far as the settings say it: by name, never by the address of its server."""
    choice = _back_end(settings)
    if choice == RULES:
        return RULES
    return str(settings.model_name or (settings.gguf.name if choice == "llamacpp" and settings.gguf else choice))


def head_of(suite: str, settings: Settings, cases: str) -> Head:
    from docgemma.agent.record import prompts_version

    decisive = json.dumps({name: str(getattr(settings, name)) for name in _DECISIVE})
    return Head(
        suite=suite,
        model=model_label(settings),
        cases=cases,
        prompts=prompts_version(),
        shortcuts=settings.shortcuts,
        weights=_weights(settings),
        settings=hashlib.sha256(decisive.encode()).hexdigest()[:16],
        began=datetime.now(UTC).isoformat(timespec="seconds"),
    )


def _back_end(settings: Settings) -> str:
    if settings.model != "auto":
        return settings.model
    return "openai" if settings.model_url else "llamacpp" if settings.gguf else RULES


def _weights(settings: Settings) -> str:
    """By size, beginning and end: reading gigabytes to note a name would take longer than many runs."""
    if settings.gguf is None or _back_end(settings) != "llamacpp":
        return ""
    try:
        with settings.gguf.open("rb") as stream:
            size = stream.seek(0, os.SEEK_END)
            found = hashlib.sha256(str(size).encode())
            for place in (0, max(0, size - _ENDS)):
                stream.seek(place)
                found.update(stream.read(_ENDS))
    except OSError:
        return ""  # whoever opens the model says what is wrong with the file
    return found.hexdigest()[:16]


@dataclass(slots=True)
class Journal:
    """Where records go. Each is flushed at once: a kill costs at most the case that was running.

    What is there already is cut off with the first record, not before: a model that cannot be reached costs nobody
    the records of yesterday. `keep`: so many bytes of it stay; of none, `head` is the first line.
    """

    stream: BinaryIO | None
    done: tuple[CaseRecord, ...] = ()
    keep: int = 0
    head: str = ""
    begun: bool = False

    def write(self, record: CaseRecord) -> None:
        if self.stream is None:
            return
        try:
            if not self.begun:
                self.stream.truncate(self.keep)
                self.stream.seek(self.keep)
                self.begun = True
                if self.keep == 0:
                    self.stream.write(self.head.encode() + b"\n")
            self.stream.write(record.model_dump_json().encode() + b"\n")
            self.stream.flush()
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
    before, done, keep = _kept(path) if there and resume else (None, (), 0)
    if before is not None and (word := head.parted_from(before)):
        raise Conflict(f"{path.name} holds {word}. Give another --out, or --overwrite to write it anew.")
    try:
        stream = os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT, 0o600), "r+b")
    except OSError as error:
        raise BadInput(f"{path.name} cannot be written: {error.strerror}.") from None
    with stream:
        yield Journal(stream, done, keep=keep, head=json.dumps({_HEAD: head.model_dump()}))


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
        except (ValueError, KeyError, TypeError):
            raise BadInput(f"{path.name}, line {number}: this is no record of an eval.") from None
        kept += len(line)
    return head, tuple(records.values()), kept
