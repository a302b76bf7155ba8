"""Criteria as they come: pasted text, JSON lines, tables, registry files; read as a stream, whatever their size."""

from docgemma.grounding.reading.contract import Format, Problem
from docgemma.grounding.reading.reader import read

__all__ = ["Format", "Problem", "read"]
