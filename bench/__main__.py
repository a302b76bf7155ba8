"""`python -m bench [PART…] [--growth | --page] [--json]`: everything that is measured, in one table.

It leaves with 0 whatever comes out, and with 1 when a part could not be measured to its end.
"""

from __future__ import annotations

import argparse
import json
import sys

from bench.gathering import PARTS, What, gathered
from bench.growth import HEAD
from bench.keeping import keep, kept, last
from bench.page import PAGE, page
from bench.report import columns, table


def main() -> int:
    names = [part.name for part in PARTS]
    parser = argparse.ArgumentParser(prog="bench", description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"all where none is named: {', '.join(names)}")
    parser.add_argument("--growth", action="store_true", help="how each figure grows, at sizes tenfold apart")
    parser.add_argument(
        "--page", action="store_true", help=f"measure nothing; write {PAGE} from what was measured last"
    )
    parser.add_argument("--json", action="store_true", help="print the figures as one JSON object")
    options = parser.parse_args()
    if unknown := sorted(set(options.parts) - set(names)):
        parser.error(f"there is no part {', '.join(unknown)}; there are {', '.join(names)}")
    if options.page:
        return write_page()
    what: What = "growth" if options.growth else "rows"
    chosen = tuple(
        part
        for part in PARTS
        if (part.name in options.parts or not options.parts) and (part.grows or not options.growth)
    )
    told, broken = [], 0
    for part, outcome in gathered(chosen, what):
        told.append(kept(part, what, outcome))
        keep(what, told[-1])
        broken += bool(outcome.failed)
    if options.json:
        print(json.dumps({each.part: each.figures for each in told}, ensure_ascii=False))
    elif what == "rows":
        print(table([row for each in told for row in each.rows()]))
    else:
        print(columns(HEAD, (curve.cells() for each in told for curve in each.curves())))
    return 1 if broken else 0


def write_page() -> int:
    PAGE.write_text(page(last("rows"), last("growth")), encoding="utf-8")
    sys.stderr.write(f"{PAGE}: written\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
