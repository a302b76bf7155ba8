"""`python -m bench [--json] [--rounds N] [--quick | --full]`: measures and prints; leaves with 0 whatever comes out."""

from __future__ import annotations

import argparse
import json

from bench.ehr import ehr_rows
from bench.extraction import extraction_rows
from bench.packs.labels import pack_rows
from bench.reading import reading_rows
from bench.report import Row, call_rows, table, turn_rows
from bench.rounds import measure
from bench.start_up import help_cpu_s, import_cpu_s, install_mb


def main() -> None:
    parser = argparse.ArgumentParser(prog="bench", description=__doc__)
    parser.add_argument("--json", action="store_true", help="print the figures as one JSON object")
    parser.add_argument("--rounds", type=int, default=5, help="interleaved rounds (default 5)")
    parser.add_argument(
        "--quick", action="store_true", help="leave out the size of a default install and of a large store"
    )
    parser.add_argument("--full", action="store_true", help="charts of 300,000 resources, packs of 100,000 labels")
    options = parser.parse_args()

    results, imports = measure(options.rounds)
    rows = [
        *turn_rows(results),
        *call_rows(results),
        Row("docgemma --help, CPU", help_cpu_s(), "s", goal=0.3),
        Row("import docgemma.wiring.app, CPU", import_cpu_s(), "s"),
        *(Row(f"Imports, {name}, CPU", spent, "s") for name, spent in imports.items()),
        *extraction_rows(options.rounds),
        *reading_rows(options.rounds),
        *ehr_rows(full=options.full, quick=options.quick),
        *pack_rows(rounds=min(options.rounds, 3), full=options.full),
    ]
    if not options.quick:
        rows.append(Row("Default install", install_mb(), "MB", goal=250))
    if options.json:
        print(json.dumps({"rounds": options.rounds, "figures": [row.as_json() for row in rows]}))
    else:
        print(table(rows))


if __name__ == "__main__":
    main()
