"""Dialogues with digressions: an order, something else in between, the answer. No card may be of the digression.

    python -m scripts.dialogues CASES.jsonl … --between MARKED.jsonl … [--count 5000]

Orders are cases of `docgemma eval turns` that expect a card or a question for it; between them come messages that ask
for no entry. Counted are cards whose drug, substance or patient the order itself does not name, and cards that nobody
asked for.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import sys
from collections import Counter
from pathlib import Path

from docgemma.agent.record import TurnRecord
from docgemma.agent.session import Question, Sessions
from docgemma.config import Settings
from docgemma.entities.drugs.names import same_drug
from docgemma.evals import clinic
from docgemma.evals.conversation import OWNER
from docgemma.evals.suite import Variant
from docgemma.evals.turns import Case, Turns
from docgemma.reader.labels import WRITES
from training.marks import Marked, read

ANSWERS = (
    "500 mg",
    "twice daily",
    "once daily",
    "yes",
    "the first one",
    "2",
    "10 mg",
    "rash",
    "nursing",
    "the older one",
)


async def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cases", nargs="+", type=Path)
    parser.add_argument("--between", nargs="+", type=Path, required=True)
    parser.add_argument("--count", type=int, default=5000)
    options = parser.parse_args()
    cases = [case for path in options.cases for case in Turns().load(path) if _orders(case)]
    between = [message for path in options.between for message in read(path) if not set(message.asks) & WRITES]
    between = [message for message in between if not message.before and not message.question]
    dice = random.Random(5)  # noqa: S311
    seen: Counter[str] = Counter()
    wrong: list[str] = []
    async with _clinic() as app:
        for number in range(options.count):
            case, other = dice.choice(cases), dice.choice(between)
            await _dialogue(app.sessions, case, other, dice.choice(ANSWERS), seen, wrong)
            if sys.stderr.isatty() and number % 50 == 0:
                sys.stderr.write(f"\r{number} dialogues")
    sys.stdout.write("".join(f"{line}\n" for line in wrong))
    told = ", ".join(f"{count} {name}" for name, count in sorted(seen.items()))
    sys.stdout.write(f"{options.count} dialogues: {told}; wrong cards: {len(wrong)}\n")
    return 1 if wrong else 0


def _clinic():  # type: ignore[no-untyped-def]
    from docgemma.evals.conversation import open_apart

    return open_apart(Settings(model="rules"), Variant(), tools=clinic.handlers(), who=clinic.Desk())


def _orders(case: Case) -> bool:
    return any(call.tool in WRITES for call in case.expect.calls) or case.expect.asks is not None


async def _dialogue(
    sessions: Sessions, case: Case, other: Marked, answer: str, seen: Counter[str], wrong: list[str]
) -> None:
    session_id, records = None, list[TurnRecord]()
    for message in (*case.before, case.say, other.text, answer):
        record = await sessions.ask(Question(message, session_id=session_id, patient_id=case.patient, owner=OWNER))
        session_id = record.session_id
        records.append(record)
    said = " ".join((*case.before, case.say))
    digression = records[-2]
    seen["questions put"] += records[-3].clarification is not None
    seen["cards"] += sum(len(record.cards) for record in records)
    waited = records[-3].clarification
    text_wanted = waited is not None and waited.pending is not None and "note_text" in waited.pending.missing
    if digression.cards and not text_wanted:  # asked for the text of a note, whatever is said is its text
        wrong.append(f"{case.id} + {other.id}: a card for “{other.text[:80]}”")
    offered = {
        option.value.casefold() for record in records if record.clarification for option in record.clarification.options
    }
    for card in records[-1].cards:
        drug = str(card.args.get("medication_name") or card.args.get("substance") or "")
        named = [word.strip(".,;:()") for word in said.split()]
        if (
            drug
            and drug.casefold() not in (said.casefold() + " ".join(offered))
            and not any(same_drug(drug, word) for word in named)
        ):
            wrong.append(f"{case.id} + {other.id} + “{answer}”: {drug} is not the order's")


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
