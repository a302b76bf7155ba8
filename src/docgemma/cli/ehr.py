"""`docgemma ehr`: the charts that DocGemma keeps itself, in and out, listed and served."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

import click

from docgemma.cli.ehr_audit import Charts, audited, batches, noted
from docgemma.cli.files import written_whole
from docgemma.cli.options import ANY_PATH, announces, serving_options, settings_of, token_of
from docgemma.cli.progress import Renewed, left
from docgemma.cli.render import Output, counted, one_line, reports, table
from docgemma.cli.services import needs, within
from docgemma.errors import BadInput

if TYPE_CHECKING:
    from docgemma.ehr.embedded.rest.access import Access as Served
    from docgemma.ehr.transfer.exporting import Listed, Write
    from docgemma.ehr.transfer.importing import Report, Step

_MOST_REFUSED = 20
_WIDEST = 40


@click.group()
def ehr() -> None:
    """The embedded health record: FHIR R4 charts in one file of the data folder.

    With DOCGEMMA_FHIR_URL set, charts are on that server, and these commands say so and do nothing.
    """


@ehr.command("import")
@click.argument("paths", metavar="PATH…", nargs=-1, required=True, type=ANY_PATH)
@click.option("--strict", is_flag=True, help="Take a file as a whole or not at all.")
@reports(audited("ehr import"))
async def import_(charts: Charts, paths: tuple[Path, ...], strict: bool) -> Output:
    """Import FHIR R4 bundles, single resources and NDJSON; folders are searched for .json, .ndjson and .jsonl.

    Ids are kept, so that importing a file again changes nothing. Each file is one transaction. A resource that is not
    valid R4 is refused with its place and the reason, and the rest of its file is taken, unless --strict is given.
    An id that belongs to another patient's entry is never overwritten.

    \b
    Examples:
      docgemma ehr import synthea/output/fhir
      docgemma ehr import Patient.ndjson.gz Observation.ndjson.gz --strict

    Exit codes: 0 when everything was taken, 2 when something was refused.
    """
    from docgemma.ehr.demo import present
    from docgemma.ehr.transfer.importing import import_files

    with Renewed(sys.stderr, import_text) as progress:
        async with charts.writing() as writing:
            report = await import_files(charts.store, paths, progress, strict=strict, wrote=writing.wrote)
    fictional = await present(charts.store)
    return Output(report, _report_lines(report, fictional), BadInput.exit_code if report.refused else 0)


@ehr.command()
@click.option("--patient", metavar="ID", help="One patient's chart, with what it refers to.")
@click.option("--kind", "kinds", metavar="KIND", multiple=True, help="Only this kind of resource; may be repeated.")
@click.option("--out", type=ANY_PATH, metavar="PATH", help="A new .ndjson file, or a new folder.")
def export(patient: str | None, kinds: tuple[str, ...], out: Path | None) -> None:
    """Write charts as NDJSON: to standard output, to one file, or to a folder with a file for each kind.

    \b
    Examples:
      docgemma ehr export > charts.ndjson
      docgemma ehr export --patient abc-123 --out abc-123.ndjson
      docgemma ehr export --kind Patient --kind AllergyIntolerance --out export/
    """
    from docgemma.audit.entries import Access
    from docgemma.ehr.transfer.exporting import export as export_charts
    from docgemma.ehr.transfer.exporting import patients
    from docgemma.ehr.validation import is_kind

    if not all(map(is_kind, kinds)):
        raise BadInput("--kind takes a resource type of FHIR R4, such as AllergyIntolerance.")

    async def work(charts: Charts) -> dict[str, int]:
        ids = [one.id for one in await patients(charts.store, only=patient)]
        if ids or patient is None:
            # A row also where nobody is named: entries whose patient is not in the store leave with the rest.
            named = list(batches(ids)) or [()]
            await charts.log.append(*(Access("export", "found", ",".join(kinds), patients=some) for some in named))
        return await export_charts(charts.store, write, patient=patient, kinds=kinds)

    settings = settings_of({})
    with _lines_to(out) as write:
        done = within(audited("ehr export"), work, settings)
    click.echo(f"{sum(done.values()):,} resources written.", err=True)


@contextmanager
def _lines_to(out: Path | None) -> Iterator[Write]:
    """A place for lines: standard output, one new file, or a new file for each kind in a folder."""
    if out is None:
        yield lambda _, line: _put(sys.stdout.buffer, line)
        sys.stdout.buffer.flush()
        return
    one = out.suffix.lower() in (".ndjson", ".jsonl")
    if out.exists() and (one or not out.is_dir() or any(out.iterdir())):
        raise BadInput("--out is there already. Give a new file name, or an empty or new folder.")
    with written_whole(new=True) as stream:  # opened before anything is read: what cannot be written need not be made
        if one:
            stream(out)
        else:
            out.mkdir(mode=0o700, parents=True, exist_ok=True)
        yield lambda kind, line: _put(stream(out if one else out / f"{kind}.ndjson"), line)


def _put(stream: BinaryIO, line: str) -> None:
    stream.write(line.encode() + b"\n")


@ehr.command("list")
@reports(audited("ehr list"))
async def list_(charts: Charts) -> Output:
    """The patients in the embedded store."""
    from docgemma.audit.entries import Access
    from docgemma.ehr.transfer.exporting import patients

    found = await patients(charts.store)
    ids = batches([one.id for one in found])
    await charts.log.append(*(Access("search", "found", "Patient", patients=some, count=len(some)) for some in ids))
    heading = ("id", "name", "born", "sex", "MRN", "entries", "")
    nobody = "The embedded store has no patients. `docgemma ehr import` or `docgemma ehr demo` brings some."
    return Output(found, table(heading, map(_row, found), empty=nobody))


def _row(one: Listed) -> tuple[str, ...]:
    tail = f"…{one_line(one.mrn_tail)}" if one.mrn_tail else ""
    mark = "fictional" if one.fictional else ""
    return (one.id, one_line(one.name, _WIDEST), one.born, one.sex, tail, f"{one.resources:,}", mark)


@ehr.command()
@serving_options(8104)
@needs(audited("ehr serve"))
async def serve(charts: Charts, host: str, port: int) -> None:
    """Serve the embedded store as a FHIR R4 server, for other programs.

    \b
    Examples:
      docgemma ehr serve                 at http://127.0.0.1:8104/fhir
      DOCGEMMA_TOKEN=… docgemma ehr serve --host 0.0.0.0
    """
    from docgemma.ehr.embedded.rest.serving import serve

    async def note(accesses: Sequence[Served]) -> None:
        await charts.log.append(*map(noted, accesses))

    await serve(charts.store, host, port, token_of(charts.settings), ready=announces("FHIR R4"), on_access=note)


@ehr.command()
@click.option("--remove", is_flag=True, help="Take them out again, with everything written about them.")
@needs(audited("ehr demo"))
async def demo(charts: Charts, remove: bool) -> None:
    """Load the fictional demonstration patients, or take them out again. Nobody else's chart is touched."""
    from docgemma.ehr import demo

    async with charts.writing() as writing:
        if remove:
            there, gone = await demo.who(charts.store), await demo.remove(charts.store)
            await writing.wrote(there, gone)
            click.echo(f"{gone:,} entries of the fictional patients were removed.")
        else:
            done = await demo.load(charts.store)
            new = done.created + done.updated
            await writing.wrote(await demo.who(charts.store), new)
            click.echo(
                f"{len(demo.patients())} fictional patients are in the embedded store ({new:,} entries new, "
                f"{done.unchanged:,} there before). `docgemma ehr list` shows them."
            )


def import_text(spent: float, step: Step) -> str:
    """For example: 12,400 resources, 3,100 a second, 8 s left."""
    speed = f"{step.resources:,} resources, {step.resources / spent:,.0f} a second"
    return speed + left(step.done / spent, step.done, step.total)


def _report_lines(report: Report, fictional: int) -> Iterator[str]:
    """What was done first, then everything that somebody should look at."""
    taken = report.created + report.updated + report.unchanged
    yield (
        f"{counted(taken, 'resource')} of {counted(report.patients, 'patient')} from {counted(report.files, 'file')}: "
        f"{report.created:,} new, {report.updated:,} changed, {report.unchanged:,} there before."
    )
    if report.orphans:
        verb = "is" if report.orphans == 1 else "are"
        yield f"{report.orphans:,} of them {verb} about no patient of the store, and in nobody's chart."
    if report.dangling:
        verb = "leads" if report.dangling == 1 else "lead"
        yield f"{counted(report.dangling, 'reference')} {verb} to something that is not in the store."
    if report.refused:
        yield f"Refused: {len(report.refused):,}. These are NOT in the charts:"
        for each in report.refused[:_MOST_REFUSED]:
            where = f"{each.file}, {each.place}" if each.place else each.file
            yield f"  {one_line(where)}: {one_line(each.reason)}"
        if len(report.refused) > _MOST_REFUSED:
            yield f"  and {len(report.refused) - _MOST_REFUSED:,} more; --json lists them all."
    if fictional:
        yield f"The store also holds {fictional} fictional patients; `docgemma ehr demo --remove` takes them out."
