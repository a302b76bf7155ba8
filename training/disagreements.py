"""Where two readings of a message differ about an entry: `python -m training.disagreements OTHER.json OUT.tsv`

OTHER.json is what another way of understanding made of the messages: a list of {"id", "rules": [tools]}. Each line
of OUT has the message, what the marks ask for, what either made of it, and who agrees with the marks.
"""

from __future__ import annotations

import csv
import json
import sys
from collections import Counter
from pathlib import Path

from docgemma.reader.contract import OpenQuestion
from docgemma.reader.labels import CARDS
from docgemma.reader.loading import LazyReader
from training.marks import read_all


def main(other: Path, out: Path) -> None:
    rules = {line["id"]: set(line["rules"]) & CARDS for line in json.loads(other.read_text(encoding="utf-8"))}
    reader, count = LazyReader(), Counter[str]()
    with out.open("w", encoding="utf-8", newline="") as file:
        sink = csv.writer(file, delimiter="\t", lineterminator="\n")
        sink.writerow(["id", "message", "marked", "rules", "reader", "offered", "right"])
        for message in read_all():
            if message.id not in rules:
                continue
            request = reader.request(
                message.text,
                before=message.before,
                asked=OpenQuestion(*message.question) if message.question else None,  # type: ignore[arg-type]
                patient_on_screen=message.on_screen,
            )
            sure = set(request.sure()) & CARDS
            offered = {asked.ask for asked in request.asks if asked.certainty == "offered"} & CARDS
            wanted = set(message.asks) & CARDS
            if sure == rules[message.id]:
                continue
            right = "both wrong" if wanted not in (sure, rules[message.id]) else "reader" if wanted == sure else "rules"
            count[right] += 1
            told = [" ".join(sorted(one)) for one in (wanted, rules[message.id], sure, offered)]
            sink.writerow([message.id, " ".join(message.text.split()), *told, right])
    sys.stdout.write(f"{sum(count.values())} disagreements: {dict(count)}\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
