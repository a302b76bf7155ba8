"""Messages as the packaged reader understands them."""

from __future__ import annotations

from docgemma.agent.understanding.reading import read
from docgemma.entities.model import Entities
from docgemma.reader.loading import PACKAGED


def understood(text: str, *earlier: str, on_screen: bool = False) -> Entities:
    """What a message asks for, with the user's earlier messages before it, oldest first."""
    return read(PACKAGED, text, earlier=earlier, on_screen=on_screen)
