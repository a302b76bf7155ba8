"""The reader on first use: nothing is loaded by a program that reads no message."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from threading import Lock

from docgemma.entities.drugs.names import drugs_in
from docgemma.reader.contract import OpenQuestion, Reader, Request


class LazyReader:
    """Opens the weights when the first message comes. Unavailable, in one sentence, where they cannot be used."""

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder
        self._opened: Reader | None = None
        self._lock = Lock()

    def request(
        self,
        message: str,
        *,
        before: Sequence[str] = (),
        asked: OpenQuestion | None = None,
        patient_on_screen: bool = False,
    ) -> Request:
        return self.opened().request(message, before=before, asked=asked, patient_on_screen=patient_on_screen)

    def opened(self) -> Reader:
        """The reader with its weights in memory."""
        with self._lock:
            if self._opened is None:
                from docgemma.reader.encoder import open_reader

                self._opened = open_reader(_drug_places, self._folder)
            return self._opened


PACKAGED = LazyReader()
"""The one that ships, shared by everybody in this process."""


def _drug_places(text: str) -> list[tuple[int, int]]:
    return [(drug.start, drug.end) for drug in drugs_in(text)]
