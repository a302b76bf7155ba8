"""`docgemma eval`: what a model can be trusted with, in numbers, with every miss."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from docgemma.cli.options import GRAPHS, model_options, shortcuts_option
from docgemma.errors import BadInput

SUITES = ("turns", "nodes", "answers", "safety", "grounding", "consult", "latency")
ALL, REPORT = "all", "report"


@click.command("eval")
@click.argument("suite", type=click.Choice([*SUITES, ALL, REPORT]))
@click.argument("files", nargs=-1, metavar="[FILE]...", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option(
    "--cases",
    metavar="FILE",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Cases of your own, one JSON object a line, instead of those that come with DocGemma.",
)
@click.option("--kind", "kinds", multiple=True, metavar="KIND", help="Only cases of this kind; may be repeated.")
@click.option("--id", "ids", multiple=True, metavar="ID", help="Only this case; may be repeated.")
@click.option(
    "--split",
    type=click.Choice(["dev", "held", "all"]),
    default="all",
    help="Only the cases to develop with, or only the held-out third. The default is all.",
)
@click.option("--sample", type=click.IntRange(1), metavar="N", help="N of them, of every kind; always the same.")
@click.option("--limit", type=click.IntRange(1), metavar="N", help="Only the first N of them.")
@click.option(
    "--graph", "graphs", multiple=True, type=click.Choice(GRAPHS), help="The agent's graph; repeat it to compare."
)
@click.option(
    "--configuration",
    "configurations",
    multiple=True,
    metavar="NAME",
    help="A named way to ask (`all`: every one of the suite); repeated, they are compared. A wrong name lists them.",
)
@click.option("--repeat", type=click.IntRange(1, 100), default=1, metavar="N", help="Run every case N times.")
@click.option(
    "--compare",
    nargs=2,
    metavar="A B",
    default=None,
    help="Case by case: two files of records, or two graphs or configurations, which are then run.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the numbers and misses as one line of JSON.")
@click.option("--out", metavar="FILE", type=click.Path(path_type=Path), help="One record a case; of `all`, a folder.")
@click.option("--resume", is_flag=True, help="Go on with --out: what it holds is not run again.")
@click.option("--overwrite", is_flag=True, help="Write --out or --html although it exists.")
@click.option(
    "--html", metavar="FILE", type=click.Path(dir_okay=False, path_type=Path), help="A report that opens from the disk."
)
@click.option("--misses/--no-misses", default=None, help="Whether every miss is listed: by default of one variant.")
@click.option(
    "--fail-under",
    type=click.FloatRange(0, 100),
    metavar="PERCENT",
    help="Exit with 2 when a score is below, or anything happened that must not.",
)
@click.option("--concurrency", type=click.IntRange(1, 256), default=1, metavar="N", help="How many cases at once.")
@shortcuts_option
@model_options
def evaluate(suite: str, files: tuple[Path, ...], **flags: Any) -> int:
    """Run the cases of SUITE and say how many came out as a careful clinician expects.

    \b
    turns      messages of clinicians: which look-up, about whom, what is asked back
    nodes      one decision of the model at a time, and the ways not to ask it
    answers    what is written from findings: facts kept, nothing added, errors said
    safety     attacks in sources and messages: what must never happen
    grounding  eligibility criteria with known entities
    consult    questions to the knowledge base, in English and Vietnamese
    latency    calls, tokens and seconds on every path
    all        each of them, and the card that says what this model may do
    report     from FILEs that --out wrote, without running anything

    Cases run in a fictional clinic and a temporary store: no source is asked, no data of yours is touched. Of yours
    are the model, and for `grounding` the terminology.

    \b
    Examples:
      docgemma eval turns --model rules
      docgemma eval all --sample 60 --out runs/ --html report.html
      docgemma eval turns --graph routed --graph triage --graph decompose --sample 60
      docgemma eval nodes --compare selection_full selection_short
      docgemma eval turns --out night.jsonl --resume
      docgemma eval turns --compare before.jsonl after.jsonl
      docgemma eval report runs/turns.jsonl runs/nodes.jsonl --html report.html

    Exit codes: 0 when it ran, whatever the scores; 2 when --fail-under says so; 3 for an unknown --id; 5 when --out
    holds another run.
    """
    from docgemma.cli import eval_run
    from docgemma.config import load_settings

    options = eval_run.Options.of(flags)
    if suite == REPORT:
        if not files:
            raise BadInput("Name the files of records: docgemma eval report FILE…")
        return eval_run.from_files(files, options)
    if files:
        raise BadInput("Files of records are read by `docgemma eval report FILE…`; cases of your own by --cases FILE.")
    compared = [Path(name) for name in options.compare or () if suite != ALL]
    if any(path.is_file() for path in compared):
        if missing := [path for path in compared if not path.is_file()]:
            raise BadInput(f"There is no file {missing[0].name} to compare with: name two files of records.")
        return eval_run.compare_files(suite, *compared, options=options)
    settings = load_settings(**flags)
    if suite == ALL:
        return eval_run.every_suite(SUITES, settings, options)
    return eval_run.one_suite(suite, settings, options)
