"""`docgemma pack`: drug labels, articles and trials on this machine, for work without internet."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from docgemma.errors import Unavailable

if TYPE_CHECKING:
    from docgemma.sources.pack.build import Built
    from docgemma.sources.pack.intake import Heard

as_json_option = click.option("--json", "as_json", is_flag=True, help="Print the result as one line of JSON.")


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
    type=click.Path(path_type=Path),
    help="A downloaded file, also zipped or gzipped, or a folder of them; may be repeated.",
)
@click.argument("more", metavar="[FILE]…", nargs=-1, type=click.Path(path_type=Path))
@click.option("--out", type=click.Path(path_type=Path), metavar="FOLDER", help="Where packs are kept, if elsewhere.")
@click.option(
    "--keep",
    type=click.IntRange(0, 100_000),
    metavar="N",
    help="openfda only: labels for each set of ingredients and route, the best ones; 0 keeps all.  [default: 10]",
)
@as_json_option
def build(
    kind: str, paths: tuple[Path, ...], more: tuple[Path, ...], out: Path | None, keep: int | None, as_json: bool
) -> int:
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
    from docgemma.cli.pack_output import BuildProgress, build_lines

    if keep is not None and kind != "openfda":
        raise click.UsageError("--keep is for drug labels alone: all articles and trials are kept.")
    progress = BuildProgress(sys.stderr)
    try:
        built = _built(kind, [*paths, *more], out or _folder(make=True), keep, progress)
    finally:
        progress.finish()
    if as_json:
        facts = {"name": built.place.name, "start": built.start, "replaces": built.replaces}
        click.echo(json.dumps({**facts, **built.manifest.model_dump(mode="json")}))
    else:
        for line in build_lines(built):
            click.echo(line)
    return 0


def _built(kind: str, paths: list[Path], folder: Path, keep: int | None, heard: Heard) -> Built:
    if kind == "openfda":
        from docgemma.sources.pack.labels.build import KEEP, build

        return build(paths, folder, keep=KEEP if keep is None else keep, heard=heard)
    from docgemma.sources.pack.documents.recipe import build as build_documents

    if kind == "europepmc":
        from docgemma.sources.pack.documents.articles import Articles

        return build_documents(Articles(), paths, folder, heard)
    from docgemma.sources.pack.documents.trials import Trials

    return build_documents(Trials(), paths, folder, heard)


@pack.command("list")
@as_json_option
def list_(as_json: bool) -> int:
    """The packs on this machine, of each kind the newest first, and how old they are."""
    from docgemma.cli.pack_output import list_lines, starter
    from docgemma.sources.pack.verify import interrupted, listed

    today, folder = datetime.now(UTC).date(), _folder()
    found = [*listed(folder, today), *starter(today)]
    if as_json:
        click.echo(json.dumps([asdict(one) for one in found], ensure_ascii=False))
    else:
        for line in list_lines(found, interrupted(folder)):
            click.echo(line)
    return 0


@pack.command()
@click.argument("names", metavar="[NAME]…", nargs=-1)
@as_json_option
def verify(names: tuple[str, ...], as_json: bool) -> int:
    """Check that packs are what was built: checksum of the file, soundness of the database, every row.

    \b
    Examples:
      docgemma pack verify
      docgemma pack verify openfda-2026-08-11 ctgov-2026-08-10 --json

    Exit codes: 0 when all are sound, 4 when one is damaged, 3 when there is none of that name.
    """
    from docgemma.cli.pack_output import VerifyProgress, verdict_lines
    from docgemma.sources.pack.verify import verify as verify_packs

    progress = VerifyProgress(sys.stderr)
    try:
        verdicts = verify_packs(_folder(), names, progress)
    finally:
        progress.finish()
    if as_json:
        click.echo(json.dumps([asdict(verdict) for verdict in verdicts]))
    else:
        for line in verdict_lines(verdicts):
            click.echo(line)
    return 0 if all(verdict.ok for verdict in verdicts) else Unavailable.exit_code


def _folder(*, make: bool = False) -> Path:
    """Where packs are kept. The home around them is for its owner alone: it also holds charts."""
    from docgemma.config import load_settings

    settings = load_settings()
    if make:
        try:
            settings.home.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise Unavailable(f"The data folder cannot be made: {error.strerror}. Set DOCGEMMA_HOME.") from error
    return settings.packs_folder
