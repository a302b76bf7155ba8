"""`python -m bench.packs [--articles N] [--json]`: a large pack of articles beside SQLite's plain full-text index."""

from __future__ import annotations

import argparse
import json

from bench.packs.literature import FULL, rows


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.packs", description=__doc__)
    parser.add_argument("--articles", type=int, default=FULL, help=f"how many ({FULL:,})")
    parser.add_argument("--json", action="store_true", help="one line of JSON for each figure")
    options = parser.parse_args()
    for row in rows(options.articles):
        print(json.dumps(row.as_json()) if options.json else "  ".join(filter(None, row.cells())), flush=True)


if __name__ == "__main__":
    main()
