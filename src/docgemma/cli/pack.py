"""`docgemma pack`: drug labels, articles and trials on this machine, for work without internet."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, date, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from docgemma.cli.options import ANY_PATH, settings_of
from docgemma.cli.progress import Renewed, left
from docgemma.cli.render import Output, counted, reports, table
from docgemma.errors import Unavailable

if TYPE_CHECKING:
    from docgemma.sources.pack.build import Built
    from docgemma.sources.pack.intake import Heard, Step
    from docgemma.sources.pack.manifest import Kind
    from docgemma.sources.pack.verify import Listed, Verdict

_MANY = {"openfda": "labels", "europepmc": "articles", "ctgov": "trials"}
_DROPPED = {"openfda": "left out for better labels of the same drug", "europepmc": "retracted or deleted"}


@click.group()
def pack() -> None:
    """Drug labels, articles and trials on this machine: snapshots with a date, for work without internet.

    A pack is built from files that a public service offers for download. Until one of drug labels is there, a small
    starter pack answers: a demonstration, not reviewed by a clinician. Without one of articles or trials, those are
    not searched offline.
    """


@pack.command()
@click.argument("kind", type=click.Choice(["openfda", "europepmc", "ctgov"]))
@click.option(
    "--from",
    "paths",
    metavar="FILE",
    multiple=True,
    required=True,
    type=ANY_PATH,
    help="A downloaded file, also zipped or gzipped, or a folder of them; may be repeated.",
)
@click.argument("more", metavar="[FILE]…", nargs=-1, type=ANY_PATH)
@click.option("--out", type=ANY_PATH, metavar="FOLDER", help="Where packs are kept, if elsewhere.")
@click.option(
    "--keep",
    type=click.IntRange(0, 100_000),
    metavar="N",
    help="openfda only: labels for each set of ingredients and route, the best ones; 0 keeps all.  [default: 10]",
)
@reports()
def build(kind: str, paths: tuple[Path, ...], more: tuple[Path, ...], out: Path | None, keep: int | None) -> Output:
    """Build a pack from downloaded files.

    \b
    openfda    drug labels: the parts of openFDA's drug/label download
    europepmc  articles: search pages of Europe PMC (resultType=core) and PubMed's
               baseline and update files (XML)
    ctgov      trials: the JSON download of ClinicalTrials.gov, or pages of its API

    Interrupted, the same command goes on where it was. The pack appears when it is finished, never half. An older
    one stays where it is, and the newest is used; one of the same date is replaced.

    \b
    Examples:
      docgemma pack build openfda --from downloads/
      docgemma pack build openfda --from drug-label-*.json.zip --keep 0
      docgemma pack build europepmc --from pubmed26n*.xml.gz
      docgemma pack build ctgov --from ctg-studies.json.zip
    """
    if keep is not None and kind != "openfda":
        raise click.UsageError("--keep is for drug labels alone: all articles and trials are kept.")
    with Renewed(sys.stderr, build_text, logs=True) as progress:
        built = _built(kind, [*paths, *more], out or _folder(make=True), keep, progress)
    facts = {"name": built.place.name, "start": built.start, "replaces": built.replaces}
    return Output({**facts, **built.manifest.model_dump(mode="json")}, _build_lines(built))


def _built(kind: str, paths: list[Path], folder: Path, keep: int | None, heard: Heard) -> Built:
    if kind == "openfda":
        from docgemma.sources.pack.labels.build import KEEP, build

        return build(paths, folder, keep=KEEP if keep is None else keep, heard=heard)
    from docgemma.sources.pack.documents.articles import Articles
    from docgemma.sources.pack.documents.recipe import build as build_documents
    from docgemma.sources.pack.documents.trials import Trials

    return build_documents(Articles() if kind == "europepmc" else Trials(), paths, folder, heard)


@pack.command("list")
@reports()
def list_() -> Output:
    """The packs on this machine, of each kind the newest first, and how old they are."""
    from docgemma.sources.pack.verify import interrupted, listed

    today, folder = datetime.now(UTC).date(), _folder()
    found = [*listed(folder, today), _starter(today)]
    return Output(found, _list_lines(found, interrupted(folder)))


@pack.command()
@click.argument("names", metavar="[NAME]…", nargs=-1)
@reports()
def verify(names: tuple[str, ...]) -> Output:
    """Check that packs are what was built: checksum of the file, soundness of the database, every row.

    \b
    Examples:
      docgemma pack verify
      docgemma pack verify openfda-2026-08-11 ctgov-2026-08-10 --json

    Exit codes: 0 when all are sound, 4 when one is damaged, 3 when there is none of that name.
    """
    from docgemma.sources.pack.verify import verify as verify_packs

    with Renewed(sys.stderr, verify_text, logs=True) as progress:
        verdicts = verify_packs(_folder(), names, progress)
    code = 0 if all(verdict.ok for verdict in verdicts) else Unavailable.exit_code
    return Output(verdicts, _verdict_lines(verdicts), code)


def _folder(*, make: bool = False) -> Path:
    """Where packs are kept. The home around them is for its owner alone: it also holds charts."""
    settings = settings_of({})
    if make:
        try:
            settings.home.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise Unavailable(f"The data folder cannot be made: {error.strerror}. Set DOCGEMMA_HOME.") from error
    return settings.packs_folder


def build_text(spent: float, step: Step) -> str:
    """For example: 310 of 1,640 MB, 42,000 records read, 38.5 MB/s, 35 s left. What was done before has no speed."""
    if step.writing:
        return f"Writing the pack: {step.records:,} records"
    rate = (step.done - step.before) / spent
    size = f"{step.done / 1e6:,.0f} of {step.total / 1e6:,.0f} MB"
    return f"{size}, {step.records:,} records read, {rate / 1e6:.1f} MB/s{left(rate, step.done, step.total)}"


def verify_text(_: float, name: str, rows: int, total: int) -> str:
    return f"{name}: {rows:,} of {total:,} rows"


def _build_lines(built: Built) -> Iterator[str]:
    """What there is now first, then everything that somebody should look at."""
    manifest, counts = built.manifest, built.manifest.counts
    verb = "was there already, from the same files" if built.start == "there_before" else "is built"
    size = (manifest.database_size + manifest.index_size) / 1e6
    holds = _holding(counts.kept, manifest.kind, counts.drugs)
    yield f"{built.place.name} {verb}: {holds}, data of {manifest.data_date}, {size:,.1f} MB."
    went = [
        f"{counts.kept:,} kept",
        *([f"{counts.dropped:,} {_DROPPED[manifest.kind]}"] if manifest.kind in _DROPPED else []),
        f"{counts.replaced:,} older versions",
        f"{sum(counts.skipped.values()):,} skipped",
    ]
    yield f"{counts.records:,} records read: {', '.join(went)}."
    for reason, many in counts.skipped.items():
        yield f"  skipped, {reason}: {many:,}"
    if built.start == "resumed":
        yield "An interrupted build was carried on."
    if built.start == "restarted":
        yield "An interrupted build had begun with other files or options, and was not used."
    if built.replaces:
        yield f"It replaces {', '.join(built.replaces)}."
    if manifest.missing_parts:
        yield f"NOT given: part {', '.join(manifest.missing_parts)}. What is in them is missing from this pack."


def _starter(today: date) -> Listed:
    """The pack that ships with DocGemma, which is always there and always last."""
    from docgemma.sources.pack.verify import Listed, age_days
    from docgemma.sources.starter import STARTER_DATE, STARTER_NAME, medicines

    many, age = len(medicines()), age_days(STARTER_DATE, today)
    return Listed(STARTER_NAME, STARTER_DATE, age, records=many, labels=many, drugs=many, demonstration=True)


def _list_lines(found: Sequence[Listed], interrupted: Mapping[Kind, int]) -> Iterator[str]:
    yield from table(("name", "data of", "age", "holds", "size", ""), map(_cells, found))
    there = {one.kind for one in found if one.in_use}
    if "openfda" not in there:
        yield "No pack of drug labels is built: without internet only the starter pack answers for drugs."
    missing = [many for kind, many in _MANY.items() if kind != "openfda" and kind not in there]
    if missing:
        yield f"No pack of {' or of '.join(missing)} is built: without internet they are not searched."
    if len(there) < len(_MANY):
        yield "See `docgemma pack build --help`."
    for kind, size in interrupted.items():
        name = f"A build of {_MANY[kind]} is not finished ({size / 1e6:,.1f} MB)"
        yield f"{name}. Unless it is running, the same command carries it on."


def _cells(one: Listed) -> tuple[str, ...]:
    from docgemma.sources.starter import MARK

    age = "unknown" if one.age_days is None else f"{one.age_days} day{'' if one.age_days == 1 else 's'}"
    notes = [
        f"demonstration, {MARK}" if one.demonstration else "in use" if one.in_use else "older, not used",
        f"part {', '.join(one.missing_parts)} missing" if one.missing_parts else "",
        one.problem,
    ]
    holds = "" if one.problem else _holding(one.records, one.kind, one.drugs)
    size = "" if one.problem or one.demonstration else f"{one.bytes / 1e6:,.1f} MB"
    return (one.name, one.data_date, age, holds, size, "; ".join(filter(None, notes)))


def _holding(many: int, kind: Kind, drugs: int = 0) -> str:
    """For example: 1 article; 12,000 labels of 900 drugs."""
    return counted(many, _MANY[kind].removesuffix("s")) + (f" of {drugs:,} drugs" if drugs else "")


def _verdict_lines(verdicts: Sequence[Verdict]) -> Iterator[str]:
    if not verdicts:
        yield "There is no built pack to verify."
    for verdict in verdicts:
        if verdict.ok:
            yield f"{verdict.name}: sound, {_holding(verdict.records, verdict.kind)}."
        else:
            yield f"{verdict.name}: NOT sound. {verdict.problem}"
