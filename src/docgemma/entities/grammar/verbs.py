"""The verbs of requests, by what they ask for. Hand-written; whether one is a request is for grammar to say."""

from __future__ import annotations

from functools import cache

from docgemma.entities.words import word_set

PRESCRIBING = frozenset({"prescribe", "rx"})
"""Say by themselves that a prescription is wanted."""

BEGINNING = word_set("order reorder start begin initiate restart commence dispense")
GIVING = word_set("give administer bolus inject infuse load")
PLACING = word_set("put get try trial have want like need needs place keep pop throw stick")
"""Order only as "put her on …"."""

CHOOSING = word_set("do go make use")
"""Order only as "let's do …", "go with …", "make it …"."""

ISSUING = word_set("issue supply")
"""Order when the drug and its amount follow: "an issue with …" and "in short supply" are nouns."""

REPEATING = word_set("refill renew repeat reissue")
WRITING_UP = word_set("write chart")
"""British wards: "write him up for paracetamol", "chart 40 mg furosemide"."""

SCRIPTING = word_set(
    "get write create send make put enter add place submit draft issue give do sort need needs call raise"
)
"""Order together with "a prescription": "do a script for …"."""

RECORDING = word_set(
    "add record document note log enter chart register update save put list mark flag create make tag pop stick"
)
NOTING = word_set(
    "write save document add record create draft enter file make put log leave take submit chart start jot dictate "
    "update upload type post pop"
)

ENDING = word_set(
    "stop hold discontinue dc pause suspend withdraw withhold omit taper wean resume continue bin ditch scrap cease"
)
REMOVING = word_set("cancel remove delete undo revoke erase approve reject void rescind")
EDITING = word_set("amend edit correct rewrite overwrite fix print close merge sign archive export")
"""Do something with an entry or a chart that no tool does."""

CHANGING = word_set("double increase decrease reduce halve raise titrate change adjust switch replace modify update")
SHIFTING = word_set("up knock bump swap cut drop lower crank exchange bring convert")
"""Change a dose in everyday words; only with a medicine or a dose after them."""

REACHING = word_set(
    "call phone email e-mail fax notify ring bleep page text message contact inform forward ping beep alert"
)
ARRANGING = word_set(
    "schedule refer admit book arrange organize request discharge transfer chase reschedule rebook crossmatch transfuse"
)
TESTING = word_set("get do run send repeat take order perform collect draw")
"""Ask for an examination when one is named after them."""

LOOKING = word_set(
    "find search look check verify confirm review show open pull list tell summarise summarize explain describe "
    "compare analyse analyze interpret read translate screen calculate pick help let ask watch monitor remind set"
)

ACTIONS = (
    PRESCRIBING
    | BEGINNING
    | GIVING
    | PLACING - {"want", "like", "need", "needs", "keep"}
    | CHOOSING - {"do"}
    | ISSUING
    | REPEATING
    | WRITING_UP
    | SCRIPTING - {"need", "needs", "do"}
    | RECORDING
    | NOTING
    | ENDING
    | REMOVING
    | EDITING
    | CHANGING
    | SHIFTING - {"up"}
    | REACHING
    | ARRANGING
    | TESTING - {"do"}
    | LOOKING
    | {"advise"}
)
"""Verbs that ask for something wherever a clause begins with them. "Do", "need" and "up" need more: see `speech`."""


@cache
def _forms() -> dict[str, str]:
    """Gerunds and regular participles."""
    stems = {verb: verb.removesuffix("e") if not verb.endswith("ee") else verb for verb in ACTIONS}
    endings = ("ing", "ed")
    forms = {f"{stem}{ending}": verb for verb, stem in stems.items() for ending in endings}
    return forms | {f"{verb}{verb[-1]}{ending}": verb for verb in ACTIONS for ending in endings} | {"given": "give"}


def base_form(low: str) -> str:
    """ "prescribing" and "prescribed" → "prescribe", as after "would you mind" and "to be"; others as they are."""
    return low if low in ACTIONS else _forms().get(low, low)
