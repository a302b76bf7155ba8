"""`python -m bench.web [--json] [--streams N] [--sessions N] [--workers N]`: the page's weight, start and load."""

from __future__ import annotations

import argparse
import json

from bench.report import table
from bench.web.load import session_rows, start_rows, stream_rows


def main() -> None:
    parser = argparse.ArgumentParser(prog="bench.web", description=__doc__)
    parser.add_argument("--json", action="store_true", help="print the figures as one JSON object")
    parser.add_argument("--streams", type=int, default=400)
    parser.add_argument("--sessions", type=int, default=1000)
    parser.add_argument("--at-once", type=int, default=100)
    parser.add_argument("--pace", type=float, default=2.0, help="seconds between two sentences of the model")
    parser.add_argument("--spread", type=float, default=1.0, help="seconds within which all streams begin")
    parser.add_argument("--workers", type=int, default=2, help="processes of the server")
    options = parser.parse_args()
    rows = start_rows()
    if options.streams:
        rows += stream_rows(options.streams, options.pace, options.spread, options.workers)
    if options.sessions:
        rows += session_rows(options.sessions, options.at_once)
    print(json.dumps({"figures": [row.as_json() for row in rows]}) if options.json else table(rows))


if __name__ == "__main__":
    main()
