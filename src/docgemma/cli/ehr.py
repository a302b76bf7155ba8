"""`docgemma ehr`: the charts that DocGemma keeps itself, in and out, listed and served."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from docgemma.cli.ehr_audit import Writing, audited, batches, noted
from docgemma.errors import BadInput

if TYPE_CHECKING:
    from docgemma.config import Settings
    from docgemma.ehr.embedded.rest.access import Access as Served
    from docgemma.ehr.transfer.exporting import Write
    from docgemma.ehr.transfer.importing import Progress, Report
    from docgemma.ehr.transfer.listing import Listed

as_json_option = click.option("--json", "as_json", is_flag=True, help="Print the result as one line of JSON.")


@click.group()
def ehr() -> None:
    """The embedded health record: FHIR R4 charts in one file of the data folder.

    With DOCGEMMA_FHIR_URL set, charts are on that server, and these commands say so and do nothing.
    """


@ehr.command("import")
@click.argument("paths", metavar="PATH…", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--strict", is_flag=True, help="Take a file as a whole or not at all.")
@as_json_option
def import_(paths: tuple[Path, ...], strict: bool, as_json: bool) -> int:
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
    from docgemma.cli.ehr_report import ImportProgress, report_lines

    settings = _settings()
    progress = ImportProgress(sys.stderr)
    report, fictional = asyncio.run(_import(settings, paths, progress, strict=strict))
    progress.finish()
    if as_json:
        click.echo(json.dumps(asdict(report), ensure_ascii=False))
    else:
        for line in report_lines(report, fictional):
            click.echo(line)
    return BadInput.exit_code if report.refused else 0


@ehr.command()
@click.option("--patient", metavar="ID", help="One patient's chart, with what it refers to.")
@click.option("--kind", "kinds", metavar="KIND", multiple=True, help="Only this kind of resource; may be repeated.")
@click.option("--out", type=click.Path(path_type=Path), metavar="PATH", help="A new .ndjson file, or a new folder.")
def export(patient: str | None, kinds: tuple[str, ...], out: Path | None) -> int:
    """Write charts as NDJSON: to standard output, to one file, or to a folder with a file for each kind.

    \b
    Examples:
      docgemma ehr export > charts.ndjson
      docgemma ehr export --patient abc-123 --out abc-123.ndjson
      docgemma ehr export --kind Patient --kind AllergyIntolerance --out export/
    """
    from docgemma.cli.ehr_output import opened

    settings = _settings()
    _check_kinds(kinds)
    with opened(out) as write:
        done = asyncio.run(_export(settings, write, patient, kinds))
    click.echo(f"{sum(done.values()):,} resources written.", err=True)
    return 0


@ehr.command("list")
@as_json_option
def list_(as_json: bool) -> int:
    """The patients in the embedded store."""
    from docgemma.cli.ehr_report import patient_lines

    found = asyncio.run(_list(_settings()))
    if as_json:
        click.echo(json.dumps([asdict(one) for one in found], ensure_ascii=False))
    else:
        for line in patient_lines(found):
            click.echo(line)
    return 0


@ehr.command()
@click.option("--host", default="127.0.0.1", show_default=True, help="Any other address needs DOCGEMMA_TOKEN.")
@click.option("--port", default=8104, show_default=True, type=click.IntRange(1, 65535))
def serve(host: str, port: int) -> None:
    """Serve the embedded store as a FHIR R4 server, for other programs.

    \b
    Examples:
      docgemma ehr serve                 at http://127.0.0.1:8104/fhir
      DOCGEMMA_TOKEN=… docgemma ehr serve --host 0.0.0.0
    """
    asyncio.run(_serve(_settings(), host, port))


@ehr.command()
@click.option("--remove", is_flag=True, help="Take them out again, with everything written about them.")
def demo(remove: bool) -> None:
    """Load the fictional demonstration patients, or take them out again. Nobody else's chart is touched."""
    click.echo(asyncio.run(_demo(_settings(), remove=remove)))


def _settings() -> Settings:
    from docgemma.config import load_settings

    settings = load_settings()
    if settings.fhir_url is not None:
        raise BadInput(
            "DOCGEMMA_FHIR_URL is set: charts are on that server, and `docgemma ehr` works on the embedded store only. "
            "Unset it for this command, or use the server's own tools."
        )
    return settings


def _check_kinds(kinds: tuple[str, ...]) -> None:
    from docgemma.ehr.validation import is_kind

    for kind in kinds:
        if not is_kind(kind):
            raise BadInput("--kind takes a resource type of FHIR R4, such as AllergyIntolerance.")


async def _import(
    settings: Settings, paths: tuple[Path, ...], progress: Progress, *, strict: bool
) -> tuple[Report, int]:
    from docgemma.ehr.demo import present
    from docgemma.ehr.transfer.importing import import_files

    async with audited(settings, "ehr import") as (store, log):
        writing = Writing(log)
        await writing.begin()
        try:
            report = await import_files(store, paths, progress, strict=strict, wrote=writing.wrote)
        finally:
            # An import that ends early has written the files before.
            await writing.end()
        return report, await present(store)


async def _export(settings: Settings, write: Write, patient: str | None, kinds: tuple[str, ...]) -> dict[str, int]:
    from docgemma.audit.entries import Access
    from docgemma.ehr.transfer.exporting import export
    from docgemma.ehr.transfer.listing import patients

    async with audited(settings, "ehr export") as (store, log):
        ids = [one.id for one in await patients(store, only=patient)]
        if ids or patient is None:
            # A row also where nobody is named: entries whose patient is not in the store leave with the rest.
            named = list(batches(ids)) or [()]
            await log.append(*(Access("export", "found", ",".join(kinds), patients=some) for some in named))
        return await export(store, write, patient=patient, kinds=kinds)


async def _list(settings: Settings) -> list[Listed]:
    from docgemma.audit.entries import Access
    from docgemma.ehr.transfer.listing import patients

    async with audited(settings, "ehr list") as (store, log):
        found = await patients(store)
        ids = batches([one.id for one in found])
        await log.append(*(Access("search", "found", "Patient", patients=some, count=len(some)) for some in ids))
        return found


async def _serve(settings: Settings, host: str, port: int) -> None:
    from docgemma.ehr.embedded.rest.serving import serve

    token = settings.token.get_secret_value() if settings.token else None
    async with audited(settings, "ehr serve") as (store, log):

        async def note(accesses: Sequence[Served]) -> None:
            await log.append(*map(noted, accesses))

        await serve(store, host, port, token, ready=_say_where, on_access=note)


def _say_where(address: str) -> None:
    click.echo(f"FHIR R4 at {address}. Ctrl-C ends it.", err=True)


async def _demo(settings: Settings, *, remove: bool) -> str:
    from docgemma.ehr import demo

    async with audited(settings, "ehr demo") as (store, log):
        writing = Writing(log)
        await writing.begin()
        if remove:
            there = await demo.who(store)
            gone = await demo.remove(store)
            await writing.wrote(there, gone)
            await writing.end()
            return f"{gone:,} entries of the fictional patients were removed."
        done = await demo.load(store)
        new = done.created + done.updated
        await writing.wrote(await demo.who(store), new)
        await writing.end()
        return (
            f"{len(demo.patients())} fictional patients are in the embedded store ({new:,} entries new, "
            f"{done.unchanged:,} there before). `docgemma ehr list` shows them."
        )
