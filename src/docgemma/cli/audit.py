"""`docgemma audit`: who read which chart, whether the log of it is whole, and how a turn came to its answer."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from dataclasses import asdict
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import click

from docgemma.cli import services
from docgemma.cli.options import limit_option
from docgemma.cli.progress import Progress
from docgemma.cli.render import Line, Output, one_line, reports, styled, table
from docgemma.errors import BadInput, Conflict

if TYPE_CHECKING:
    from docgemma.audit.entries import Entry
    from docgemma.audit.log import AuditLog
    from docgemma.audit.verification import Verdict
    from docgemma.store.sessions import Store

_WHO, _WHAT, _PATIENTS = 24, 40, 120


def _head(_: click.Context, __: click.Parameter, given: str | None) -> str | None:
    if given is not None and not re.fullmatch("[0-9a-f]{64}", given):
        raise BadInput("--expect takes the 64 letters and digits that `docgemma audit verify` prints as the head.")
    return given


@click.group()
def audit() -> None:
    """The log of every access to a chart: who, which patient, why and when.

    Each row carries a hash over itself and the row before it, so that a change is noticed. A log that does not
    match stops chart access. It holds ids alone: no names, no birth dates, nothing of what was read.
    """


@audit.command()
@click.option(
    "--expect", metavar="HASH", callback=_head, help="A head that was noted before: it must still be in the chain."
)
@reports(services.audit_log, "Print the verdict as one line of JSON.")
async def verify(log: AuditLog, expect: str | None) -> Output:
    """Recompute the whole chain and name the first row that is not as it was written.

    Somebody who may write to the database can replace the whole log, hashes and all. That shows only against a
    head kept elsewhere: note the one that is printed, and give it with --expect the next time.

    \b
    Examples:
      docgemma audit verify
      docgemma audit verify --expect "$(cat last-head)" --json

    Exit codes: 0 when the log is whole, 5 when it is not, 4 when it cannot be read.
    """
    progress: Progress | None = None

    def on_rows(rows: int, total: int) -> None:
        nonlocal progress
        progress = progress or Progress(sys.stderr, total, quiet=not sys.stderr.isatty(), unit="rows")
        progress.done(rows)

    verdict = await log.verify(expect_head=expect, progress=on_rows)
    if progress is not None:
        progress.finish()
    code = 0 if verdict.ok else Conflict.exit_code
    return Output({"ok": verdict.ok, **asdict(verdict)}, _verdict_lines(verdict), code)


def _verdict_lines(verdict: Verdict) -> Iterator[str]:
    if not verdict.ok:
        raise Conflict(f"The audit log does not match its own chain. {verdict.problem}")
    yield f"The audit log is whole: {verdict.rows} row{'' if verdict.rows == 1 else 's'}."
    if verdict.head:
        yield f"Head: {verdict.head}"


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
@limit_option(100_000, 50, "The last N of them.")
@reports(services.audit_log, "Print one JSON object a line.")
async def show(
    log: AuditLog, patient: str | None, session: str | None, who: str | None, since: datetime | None, limit: int
) -> Output:
    """List accesses to charts, the newest last.

    \b
    Examples:
      docgemma audit show --patient abc-123
      docgemma audit show --since 2026-03-01 --limit 1000 --json

    Rows that were changed are marked. Only `docgemma audit verify` tells whether rows are missing.

    Exit codes: 0, or 5 when a row that is shown was changed.
    """
    moment = None if since is None else since.replace(tzinfo=UTC)
    found = await log.entries(patient=patient, session=session, who=who, since=moment, limit=limit)
    changed = Conflict("rows of the audit log were changed. Run `docgemma audit verify`.")
    return Output(iter(found), _table(found), error=None if all(entry.intact for entry in found) else changed)


def _table(entries: tuple[Entry, ...]) -> Iterator[Line]:
    if not entries:
        return iter([Line("No access is recorded that fits.")])
    rows = table(("row", "when (UTC)", "who", "why", "what", "outcome", "patients"), map(_cells, entries))
    intact = [True, *(entry.intact for entry in entries)]
    marked = (text if whole else f"{text}  CHANGED" for text, whole in zip(rows, intact, strict=True))
    return styled(marked, ("plain" if entry.intact else "warning" for entry in entries))


def _cells(entry: Entry) -> tuple[str, ...]:
    why = f"{entry.why} {entry.turn_id}".strip()
    what = f"{entry.action} {entry.kind}".strip() + (f"/{entry.resource_id}" if entry.resource_id else "")
    return (
        str(entry.position),
        entry.at[:19].replace("T", " "),
        one_line(entry.who, _WHO),
        one_line(why, _WHAT),
        one_line(what, _WHAT),
        f"{entry.outcome} ({entry.count})",
        one_line(", ".join(entry.patients), _PATIENTS),
    )


@audit.command()
@click.argument("turn_id")
@click.option("--full", is_flag=True, help="Also the words of every prompt, and everything that came back.")
@reports(services.store, "Print one JSON object.")
async def replay(store: Store, turn_id: str, full: bool) -> Output:
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
    from docgemma.cli.audit_replay import lines, recorded_turn

    turn = await recorded_turn(store, turn_id)
    return Output(turn.facts(), lines(turn, full=full), Conflict.exit_code if turn.replayed.same is False else 0)
