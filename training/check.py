"""Look at new messages before they are trained on: `python -m training.check FILE.jsonl …`

Says which line does not fit the guidelines, and which may hold a real person's data: names, birth dates, record
numbers, telephone numbers, e-mail addresses. Ends with 1 while a line does not fit or has not been looked at; a line
whose people are invented says so itself: "invented": true.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

from docgemma.entities.dates import DATE
from docgemma.entities.ids import find_patient_ids
from training.marks import Marked, near_duplicates, read, read_all

PHONE = re.compile(r"(?<![\w-])\+?\d[\d\s().-]{7,16}\d(?![\w-])")
MAIL = re.compile(r"[\w.+-]+@[\w-]+\.\w+")


def suspicious(message: Marked) -> Iterator[str]:
    """What in a message may be somebody's: each with its words."""
    for text in (message.text, *message.before, *(message.question or ())[1:]):
        yield from (f"date {match.group()}" for match in DATE.finditer(text) if len(match.group()) > 4)
        yield from (f"number {mention.text}" for mention in find_patient_ids(text))
        yield from (f"telephone {match.group()}" for match in PHONE.finditer(text))
        yield from (f"address {match.group()}" for match in MAIL.finditer(text))
    for span in message.spans:
        if span.type in ("person", "birth_date", "patient_id"):
            yield f"{span.type} {message.text[span.start : span.end]}"


def main(paths: list[Path]) -> int:
    known = read_all()
    open_lines = 0
    for path in paths:
        try:
            messages = read(path)
        except (OSError, ValueError) as error:
            sys.stdout.write(f"{error}\n")
            return 1
        others = [message for message in known if message.source not in {one.source for one in messages}]
        again = {message.id for message in near_duplicates(others, messages)}
        for message in messages:
            found = list(dict.fromkeys(suspicious(message)))
            if found and not message.raw.get("invented"):
                open_lines += 1
                sys.stdout.write(f'{message.id}: look at {"; ".join(found)}. Invented? Add "invented": true.\n')
            if message.id in again:
                sys.stdout.write(f"{message.id}: stands in the training data already, but for names and numbers.\n")
        sys.stdout.write(f"{path.name}: {len(messages)} messages fit the guidelines.\n")
    return 1 if open_lines else 0


if __name__ == "__main__":
    sys.exit(main([Path(name) for name in sys.argv[1:]]))
