"""What a door hands in, and what cannot be asked."""

from __future__ import annotations

from dataclasses import dataclass

from docgemma.clinical import GraphName
from docgemma.errors import BadInput
from docgemma.knowledge.entry import Language

MAX_CHARACTERS = 20_000


@dataclass(frozen=True, slots=True)
class Question:
    """One question. Without a session a new one is opened."""

    text: str
    session_id: str | None = None
    patient_id: str | None = None
    image: bytes | None = None
    prior: bytes | None = None
    """An earlier image, to compare `image` with."""
    id: str | None = None
    owner: str = ""
    why: str = "turn"
    """`batch`: its cards are for reading only."""
    role: str | None = None
    """Given: a consultation of the knowledge base in this role, and nothing else."""
    language: Language | None = None
    turn_id: str = ""
    """Chosen by a door that must know the turn before it begins; the same one twice is the same turn."""
    image_id: str | None = None
    """An image that this session holds already."""
    kept: bool = False
    """Only as a stored turn: a door that shows it from the store has nothing to show of another."""
    graph: GraphName | None = None
    """Which graph answers; else the one that is set for all."""

    @property
    def with_image(self) -> bool:
        return self.image is not None or self.image_id is not None


def check_text(text: str) -> str:
    """The question as the graph may have it; a clear word when it cannot be one."""
    clean = text.strip()
    if not clean:
        raise BadInput("The question is empty. Ask something, for example: Check FDA warnings for dofetilide.")
    if "\x00" in clean or any("\ud800" <= letter <= "\udfff" for letter in clean):
        raise BadInput("The question holds binary data. Give plain text.")
    if len(clean) > MAX_CHARACTERS:
        raise BadInput(
            f"The question has {len(clean):,} characters; at most {MAX_CHARACTERS:,} are read. Shorten it, or split it."
        )
    return clean
