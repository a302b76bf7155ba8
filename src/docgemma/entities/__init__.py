"""What exact code reads in a text: drugs by the dictionary, amounts, ids, dates; and how mentions are written down."""

from docgemma.entities.model import Entities, Mention, WriteRequest

__all__ = ["Entities", "Mention", "WriteRequest"]
