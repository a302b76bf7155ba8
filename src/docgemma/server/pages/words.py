"""How grave a notice is, and what the page calls things. English here; templates pass each through `_`.

Severity is a word before it is a colour. A notice of no known kind is a warning: unknown is never harmless.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from docgemma.agent.answer.gaps import CONFLICT
from docgemma.agent.answer.notices import DEMONSTRATION, DIRECT, IMAGE
from docgemma.agent.consulting import NOTES
from docgemma.agent.session import NOT_KEPT
from docgemma.agent.telling import CONFIDENCE
from docgemma.clinical import By, Origin, SourceKind, Status
from docgemma.knowledge.consult.phrases import phrase
from docgemma.orders.carding import TITLES
from docgemma.orders.model import Kind, State
from docgemma.orders.standing import MARKS, WORDS
from docgemma.tools.handlers import SPECIALIST

Grade = Literal["danger", "gap", "warning", "note"]
GRADES: tuple[Grade, ...] = ("danger", "gap", "warning", "note")
"""The gravest first. A note stands below the answer, everything else above it."""

NOT_ON_CARD = "NOT ON THE CARD"
NOTICE = "Notice"
_BEGINNINGS: tuple[tuple[str, Grade, str], ...] = (
    (CONFLICT, "danger", "ALLERGY CONFLICT"),
    ("Boxed warning", "danger", "BOXED WARNING"),
    ("Contraindicated", "danger", "CONTRAINDICATED"),
    ("Interaction:", "warning", "INTERACTION"),
    ("The label on this pair:", "note", "Interaction check"),
    (NOT_ON_CARD, "gap", NOT_ON_CARD),
    ("Not checked", "gap", "NOT CHECKED"),
    (DIRECT, "gap", "NOT CHECKED"),
    ("Nothing was done about", "gap", "NOT DONE"),
    (NOT_KEPT, "gap", "NOT KEPT"),
    ("The attached image was not", "gap", "IMAGE NOT READ"),
    ("An earlier image of this conversation", "gap", "IMAGE NOT READ"),
    ("There is no earlier image", "gap", "IMAGE NOT READ"),
    ("This is about the image", "note", "IMAGE"),
    ("The message names somebody other", "warning", "IMAGE"),
    ("This image was sent while", "warning", "IMAGE"),
    ("Writing in the image", "warning", "IMAGE"),
    (SPECIALIST, "warning", "IMAGE"),
    ("Allergies on record:", "warning", "ALLERGIES ON RECORD"),
    (IMAGE, "warning", "IMAGE"),
    (DEMONSTRATION, "note", "Demonstration data"),
    (NOTES["demonstration"]["vi"], "note", "Demonstration data"),
    ("This is a fictional record", "note", "Demonstration data"),
    (NOTES["general"]["en"], "note", "General information"),
    (NOTES["general"]["vi"], "note", "General information"),
    (phrase("no_model", "en"), "note", "General information"),
    (phrase("no_model", "vi"), "note", "General information"),
)
_SUBJECT = re.compile(r"\A(?:Boxed warning|Contraindicated|Allergy conflict) \((?P<about>.{1,200}?)\): ")
_PAIR = re.compile(
    r"\AInteraction: (?P<about>[^“:]{1,300}?) \((?P<severity>contraindicated|major|moderate|minor)\): ", re.DOTALL
)
_PAIR_WORDS: dict[str, tuple[Grade, str]] = {
    "contraindicated": ("danger", "INTERACTION, CONTRAINDICATED"),
    "major": ("danger", "INTERACTION, MAJOR"),
    "moderate": ("warning", "INTERACTION, MODERATE"),
    "minor": ("warning", "INTERACTION, MINOR"),
}
_SAID_BY_WORD = re.compile(
    rf"\A(?:Interaction: |The label on this pair: |Not checked: |Allergies on record: |{NOT_ON_CARD}, )"
)


@dataclass(frozen=True, slots=True)
class Graded:
    """A notice by its word. `about` is the drug that it names; `text` is the rest, word for word."""

    grade: Grade
    word: str
    about: str
    text: str


def graded(notice: str) -> Graded:
    """The notice with its severity. Its word takes the place of the same word in the text."""
    grade, word = next(
        ((grade, word) for beginning, grade, word in _BEGINNINGS if notice.startswith(beginning)),
        ("gap", "NOT CHECKED") if " was not available" in notice else ("warning", NOTICE),
    )
    found = _PAIR.match(notice) or _SUBJECT.match(notice)
    if found is None:
        return Graded(grade, word, "", _SAID_BY_WORD.sub("", notice))
    grade, word = _PAIR_WORDS.get(found.groupdict().get("severity", ""), (grade, word))
    return Graded(grade, word, found["about"], notice[found.end() :])


ORIGINS: dict[Origin, str] = {
    "live": "live",
    "cache": "kept copy",
    "pack": "local data pack",
    "ehr": "chart",
    "model": "language model",
}
STATUSES: dict[Status, str] = {
    "found": "found",
    "none": "nothing found in full sources",
    "not_found": "not found",
    "unavailable": "not available",
    "invalid": "could not be asked",
    "proposed": "waits for approval",
    "written": "written",
    "declined": "declined",
}
KINDS: dict[SourceKind, str] = {
    "label": "Drug label",
    "article": "Article",
    "trial": "Trial",
    "chart": "Chart",
    "knowledge": "Knowledge base",
    "image": "Image",
}
BY: dict[By, str] = {"code": "code", "model": "model", "tool": "look-up", "person": "person"}
SHORT: dict[State, str] = {
    "proposed": "Waits for you",
    "approved": "Not in the chart yet",
    "writing": "Being written",
    "unknown": "OUTCOME UNKNOWN",
    "written": "In the chart",
    "differs": "NOT AS APPROVED",
    "refused": "REFUSED",
    "rejected": "Rejected",
    "expired": "Expired",
    "withdrawn": "Withdrawn",
    "undoing": "Being undone",
    "undone": "Undone",
}
"""What the badge of a card says; the sentence beside it is `orders.standing.WORDS`."""

HEADINGS: dict[Kind, str] = {kind: f"Approve: {title}" for kind, title in TITLES.items()}
TAKEN_FROM = ("this message", "an earlier message", "the patient on screen", "a pick", "a look-up", "the model")

SPOKEN: tuple[str, ...] = tuple(
    dict.fromkeys(
        (
            *(word for _, _, word in _BEGINNINGS),
            *(word for _, word in _PAIR_WORDS.values()),
            NOTICE,
            "URGENT",
            *ORIGINS.values(),
            *STATUSES.values(),
            *KINDS.values(),
            *BY.values(),
            *SHORT.values(),
            *HEADINGS.values(),
            *TITLES.values(),
            *MARKS.values(),
            *WORDS.values(),
            *CONFIDENCE.values(),
            *TAKEN_FROM,
        )
    )
)
"""Every text of this module that a template translates: a dictionary of another language has to hold them."""

_FOR_THE_PAGE = (
    (" Only a typed reason releases it: --override REASON.", " Only a typed reason releases it."),
    ("Approving needs to acknowledge that: --acknowledge.", "Approving needs your tick that you have seen this."),
    ("`docgemma orders reconcile` looks it up", "“Check again” looks it up"),
    ("or by `docgemma orders reconcile`", "or by “Check again”"),
    (
        "`docgemma orders reconcile` finishes it; then approve this one again.",
        "Press “Check again” on the card of that entry; then approve this one again.",
    ),
)


def for_the_page(sentence: str) -> str:
    """A sentence of the order desk where it names what is typed in a terminal, in the words of this page."""
    for terminal, page in _FOR_THE_PAGE:
        sentence = sentence.replace(terminal, page)
    return sentence
