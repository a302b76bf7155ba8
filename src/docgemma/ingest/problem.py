"""How a file's mistake is told: which file, which row, one sentence on what is wrong and what to do."""

from __future__ import annotations

from dataclasses import dataclass

from docgemma.entities.printable import printable
from docgemma.errors import BadInput

_LONGEST_NAME = 200


@dataclass(frozen=True, slots=True)
class Problem:
    """`row` is a line of the file or a row of the sheet, 0 for the whole file. `file` is empty where one is read."""

    file: str
    row: int
    text: str

    def __str__(self) -> str:
        row = str(self.row) if self.row else ""
        if not self.file:
            return f"line {row}: {self.text}" if row else self.text
        return f"{self.file}:{row}: {self.text}" if row else f"{self.file}: {self.text}"


def shown(name: str) -> str:
    """A name from outside as a message may show it, cut from the front.

    It may hold line ends, colours for a terminal, letters that turn the direction, or bytes that are no text.
    """
    seen = "".join(char if char.isprintable() and printable(char) else "?" for char in name[-2 * _LONGEST_NAME :])
    return seen if len(seen) <= _LONGEST_NAME else f"…{seen[1 - _LONGEST_NAME :]}"


def unreadable(name: str) -> BadInput:
    return BadInput(f"{name} cannot be read. Check that it exists and that you may read it.")


def no_ordinary_file(name: str) -> BadInput:
    return BadInput(f"{name} is no ordinary file. Copy its contents into one and name that.")


def not_utf8(name: str, line: int = 0) -> BadInput:
    where = f" (line {line})" if line else ""
    return BadInput(f"{name} is not text in UTF-8{where}. Save it as UTF-8 and read it again.")
