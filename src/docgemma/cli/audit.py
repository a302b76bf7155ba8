"""`docgemma audit`: who read which chart, whether the log of it is whole, and how a turn came to its answer."""

from __future__ import annotations

import asyncio
import json
import re
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import asdict
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import click

from docgemma.cli.progress import Progress
from docgemma.errors import BadInput, Conflict

if TYPE_CHECKING:
    from docgemma.audit.entries import Entry
    from docgemma.audit.log import AuditLog
    from docgemma.audit.verification import Verdict
    from docgemma.cli.render import Line

_HASH = re.compile(r"[0-9a-f]{64}")
_HEADINGS = ("row", "when (UTC)", "who", "why", "what", "outcome", "patients")
_WHO, _WHAT, _PATIENTS = 24, 40, 120


@click.group()
def audit() -> None:
    """The log of every access to a chart: who, which patient, why and when.

    Each row carries a hash over itself and the row before it, so that a change is noticed. A log that does not
    match stops chart access. It holds ids alone: no names, no birth dates, nothing of what was read.
    """


@audit.command()
@click.option("--expect", metavar="HASH", help="A head that was noted before: it must still be in the chain.")
@click.option("--json", "as_json", is_flag=True, help="Print the verdict as one line of JSON.")
def verify(expect: str | None, as_json: bool) -> int:
    """Recompute the whole chain and name the first row that is not as it was written.

    Somebody who may write to the database can replace the whole log, hashes and all. That shows only against a
    head kept elsewhere: note the one that is printed, and give it with --expect the next time.

    \b
    Examples:
      docgemma audit verify
      docgemma audit verify --expect "$(cat last-head)" --json

    Exit codes: 0 when the log is whole, 5 when it is not, 4 when it cannot be read.
    """
    if expect is not None and not _HASH.fullmatch(expect):
        raise BadInput("--expect takes the 64 letters and digits that `docgemma audit verify` prints as the head.")
    verdict = asyncio.run(_verify(expect))
    if as_json:
        click.echo(json.dumps({"ok": verdict.ok, **asdict(verdict)}))
        return 0 if verdict.ok else Conflict.exit_code
    if not verdict.ok:
        raise Conflict(f"The audit log does not match its own chain. {verdict.problem}")
    click.echo(f"The audit log is whole: {verdict.rows} row{'' if verdict.rows == 1 else 's'}.")
    if verdict.head:
        click.echo(f"Head: {verdict.head}")
    return 0


@audit.command()
@click.option("--patient", metavar="ID", help="Only accesses to this patient's chart.")
@click.option("--session", metavar="ID", help="Only accesses from this session.")
@click.option("--who", metavar="NAME", help="Only accesses by this person.")
@click.option(
    "--since",
    metavar="DATE",
    type=click.DateTime(["%Y-%m-%d", "%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S"]),
    help="Only from this day or moment on, in UTC: 2026-03-01 or 2026-03-01T14:30.",
)
@click.option(
    "--limit",
    type=click.IntRange(1, 100_000),
    default=50,
    show_default=True,
    metavar="N",
    help="The last N of them.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object a line.")
def show(
    patient: str | None, session: str | None, who: str | None, since: datetime | None, limit: int, as_json: bool
) -> int:
    """List accesses to charts, the newest last.

    \b
    Examples:
      docgemma audit show --patient abc-123
      docgemma audit show --since 2026-03-01 --limit 1000 --json

    Rows that were changed are marked. Only `docgemma audit verify` tells whether rows are missing.

    Exit codes: 0, or 5 when a row that is shown was changed.
    """
    found = asyncio.run(_entries(patient, session, who, since, limit))
    if as_json:
        for entry in found:
            click.echo(json.dumps(asdict(entry), ensure_ascii=False))
    else:
        from docgemma.cli.screen import screen

        screen().lines(_table(found))
    if all(entry.intact for entry in found):
        return 0
    click.echo("docgemma: rows of the audit log were changed. Run `docgemma audit verify`.", err=True)
    return Conflict.exit_code


@audit.command()
@click.argument("turn_id")
@click.option("--full", is_flag=True, help="Also the words of every prompt, and everything that came back.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def replay(turn_id: str, full: bool, as_json: bool) -> int:
    """Show how a turn came to its answer, and run it again from what was recorded.

    The turn runs through this program with the model's answers and the findings of then: nobody is asked, no chart is
    read and nothing is written. It ends with "the same answer", or with what differs. `docgemma audit show` and
    `docgemma ask --json` name turns. Looking at one is itself written to the audit log.

    \b
    Examples:
      docgemma audit replay 5f0c3f6a2b6f4c0d8a5e9b7c1d2e3f40
      docgemma audit replay 5f0c3f6a2b6f4c0d8a5e9b7c1d2e3f40 --full | less
      docgemma audit replay 5f0c3f6a2b6f4c0d8a5e9b7c1d2e3f40 --json

    Exit codes: 0 the same, or nothing to compare; 5 it differs, or its record was changed; 3 unknown turn.
    """
    from docgemma.cli.audit_replay import told
    from docgemma.config import load_settings

    found = asyncio.run(told(load_settings().store_address, turn_id))
    if as_json:
        click.echo(found.as_json())
    else:
        from docgemma.cli.audit_replay_output import lines
        from docgemma.cli.screen import screen

        screen().lines(lines(found, full=full))
    return Conflict.exit_code if found.replayed.same is False else 0


@asynccontextmanager
async def _open_log() -> AsyncIterator[AuditLog]:
    from docgemma.audit.log import AuditLog
    from docgemma.config import load_settings
    from docgemma.store.sessions import open_store

    async with open_store(load_settings().store_address) as store:
        yield AuditLog(store.database)


async def _verify(expect: str | None) -> Verdict:
    progress: Progress | None = None

    def heard(rows: int, total: int) -> None:
        nonlocal progress
        progress = progress or Progress(sys.stderr, total, quiet=not sys.stderr.isatty(), unit="rows")
        for _ in range(rows):
            progress.done(record=True)

    async with _open_log() as log:
        verdict = await log.verify(expect_head=expect, heard=heard)
    if progress is not None:
        progress.finish()
    return verdict


async def _entries(
    patient: str | None, session: str | None, who: str | None, since: datetime | None, limit: int
) -> tuple[Entry, ...]:
    async with _open_log() as log:
        moment = None if since is None else since.replace(tzinfo=UTC)
        return await log.entries(patient=patient, session=session, who=who, since=moment, limit=limit)


def _table(entries: tuple[Entry, ...]) -> Iterator[Line]:
    from docgemma.cli.render import Line

    if not entries:
        yield Line("No access is recorded that fits.")
        return
    rows = [_HEADINGS, *(_cells(entry) for entry in entries)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(_HEADINGS))]
    for row, entry in zip(rows, (None, *entries), strict=True):
        text = "  ".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True)).rstrip()
        if entry is None:
            yield Line(text, "strong")
        else:
            yield Line(text if entry.intact else f"{text}  CHANGED", "plain" if entry.intact else "warning")


def _cells(entry: Entry) -> tuple[str, ...]:
    from docgemma.cli.render import one_line

    why = f"{entry.why} {entry.turn_id}".strip()
    what = f"{entry.action} {entry.kind}".strip() + (f"/{entry.resource_id}" if entry.resource_id else "")
    return (
        str(entry.position),
        one_line(entry.at[:19].replace("T", " ")),
        one_line(entry.who, _WHO),
        one_line(why, _WHAT),
        one_line(what, _WHAT),
        one_line(f"{entry.outcome} ({entry.count})"),
        one_line(", ".join(entry.patients), _PATIENTS),
    )
