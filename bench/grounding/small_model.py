"""`python -m bench.grounding.small_model [--limit 30] [--cases FILE] [--json]`: grounding with a small real model.

Qwen2.5-Coder-0.5B-Instruct (`python -m scripts.fetch_small_model` brings it) behind llama.cpp's own server, asked over
real HTTP as any configured model is: with hints from the dictionary, without them, and rules alone beside it.
"""

from __future__ import annotations

import argparse
import asyncio
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from docgemma.cli.eval_lines import grounding_lines
from docgemma.config import Settings
from docgemma.evals.casefiles import select
from docgemma.evals.grounding import Grounding
from docgemma.evals.running import run_suite
from docgemma.evals.suite import Variant
from docgemma.evals.summary import Report, summarize
from scripts.fetch_small_model import FILE_NAME, FOLDER

HOME = Path(".cache/grounding-bench")
WAYS = ("rules", "hints", "no-hints")
_START_S = 120
_READY = "listening on "
_CONTEXT = 8192


def serve(gguf: str, threads: int) -> None:
    """The child's whole life: load, announce, wait for the parent to let go."""
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = gguf
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.n_ctx = _CONTEXT
    params.n_parallel = 1
    params.cpuparams.n_threads = threads
    params.cpuparams_batch.n_threads = threads
    server = xllamacpp.Server(params)
    sys.stdout.write(f"{_READY}{server.listening_address}\n")
    sys.stdout.flush()
    sys.stdin.read()


@contextmanager
def served(gguf: Path, threads: int) -> Iterator[str]:
    """The address of a server of our own: http://127.0.0.1:PORT/v1."""
    command = [sys.executable, "-m", "bench.grounding.small_model", "--serve", str(gguf), "--threads", str(threads)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        timer = threading.Timer(_START_S, process.kill)
        timer.start()
        try:
            assert process.stdout is not None
            ready = next((line for line in process.stdout if line.startswith(_READY)), None)
            timer.cancel()
            if ready is None:
                raise SystemExit("The model server did not start.")
            yield f"{ready.removeprefix(_READY).strip()}/v1"
        finally:
            timer.cancel()
            process.kill()


def main() -> None:
    parser = argparse.ArgumentParser(prog="bench.grounding.small_model", description=__doc__)
    parser.add_argument("--limit", type=int, default=30, help="how many criteria")
    parser.add_argument("--cases", type=Path, help="criteria of your own with their entities")
    parser.add_argument("--gguf", type=Path, default=FOLDER / FILE_NAME, help="another model")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--json", action="store_true", help="one report a line")
    parser.add_argument("--misses", action="store_true", help="list every miss")
    parser.add_argument(
        "--ways", nargs="+", choices=["rules", "hints", "no-hints"], default=["rules", "hints", "no-hints"]
    )
    parser.add_argument("--serve", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        serve(options.serve, options.threads)
        return
    if not options.gguf.is_file():
        raise SystemExit(f"{options.gguf} is not there: run `python -m scripts.fetch_small_model`.")
    gold = select(Grounding().load(options.cases), limit=options.limit)
    with served(options.gguf, options.threads) as url:
        model = {"model": "openai", "model_url": url, "model_name": options.gguf.stem, "model_timeout_s": 600}
        ways = {
            "rules": {"model": "rules"},
            "hints": model,
            "no-hints": model,
        }
        for way in options.ways:
            settings = Settings.model_validate({"home": HOME, **ways[way]})
            variant = Variant(configuration="no_hints" if way == "no-hints" else "standard")
            (report,) = summarize(Grounding(), asyncio.run(run_suite(Grounding(), settings, gold, [variant])))
            _show(way, report, as_json=options.json, misses=options.misses)


def _show(way: str, report: Report, *, as_json: bool, misses: bool) -> None:
    if as_json:
        shown = report if misses else report.model_copy(update={"misses": ()})
        print(f'{{"way": "{way}", "report": {shown.model_dump_json()}}}', flush=True)
        return
    print(f"== {way}: {report.totals.cases} criteria with {report.model}")
    for line in grounding_lines(report.figures):
        print(line.text)
    print(f"Model calls a criterion: {report.model_calls_per_turn:.2f}. Seconds in all: {report.seconds:.1f}.")
    for miss in report.misses if misses else ():
        print(f"{miss.id} ({miss.kind}): {miss.say}")
        for one in miss.differences:
            print(f"  {one.column}: expected {one.expected}, got {one.got}")
    print(flush=True)


if __name__ == "__main__":
    main()
