"""Names, ids, doses and requests in a sentence, found by rules."""

from docgemma.entities.extract import extract
from docgemma.entities.model import Entities, Mention, WriteRequest

__all__ = ["Entities", "Mention", "WriteRequest", "extract"]
