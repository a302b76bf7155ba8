"""The card that lies beside the weights: what they are, what they were trained on, how sure is sure."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from docgemma.errors import Unavailable
from docgemma.seal import CONTENT

CARD, MODEL, VOCABULARY = "card.json", "request.onnx", "vocab.txt"
FORMAT = "docgemma-reader-1"
MEND = "Install DocGemma again, or train with `make reader` and name the folder in DOCGEMMA_READER."


class Thresholds(BaseModel):
    """Probabilities from which a request counts as sure or is offered, chosen on sources that were left out."""

    model_config = ConfigDict(frozen=True)

    read_sure: float
    read_offered: float
    write_sure: float
    write_offered: float
    later_sure: float  # of what no tool does yet: it is only said
    urgent: float
    conditional: float


class Card(BaseModel):
    """`files` are sha256 by name; `data` is the hash of the training messages; `scores` are told, never used."""

    model_config = ConfigDict(frozen=True)

    format: str
    files: dict[str, str]
    data: str
    messages: int
    thresholds: Thresholds
    scores: dict[str, Any]


def read_card(folder: Path) -> Card:
    """The card of a folder whose files are the ones it names; Unavailable in one sentence otherwise."""
    try:
        card = Card.model_validate(json.loads((folder / CARD).read_bytes()))
    except OSError:
        raise Unavailable(f"The reader's weights are not in {folder}. {MEND}") from None
    except (ValueError, ValidationError):
        raise Unavailable(f"The reader in {folder} is not used: its {CARD} is damaged. {MEND}") from None
    if card.format != FORMAT:
        raise Unavailable(f"The reader in {folder} is of another version ({card.format}, not {FORMAT}). {MEND}")
    for name in (MODEL, VOCABULARY):
        try:
            whole = CONTENT.fits(card.files.get(name), folder / name)
        except OSError:
            whole = False
        if not whole:
            raise Unavailable(f"The reader in {folder} is not used: {name} is missing or damaged. {MEND}")
    return card
