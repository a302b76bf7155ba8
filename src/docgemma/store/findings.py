"""What was seen in images, kept so that the same model is not asked the same thing twice.

A finding belongs to one image (or a pair), one question, one model and one wording of the prompts: another model would
see something else, and must.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from docgemma.seal import CONTENT
from docgemma.store.database import Cursor, Database, changes, reads
from docgemma.store.rows import pack, unpack

ANY = ""
"""In place of a question: what was seen first, whatever was asked."""


@dataclass(frozen=True, slots=True)
class Eyes:
    """Who looks: the model, and which wording of the prompts it was asked with."""

    model: str
    prompts: str


class FindingsStore:
    """Rows beside the sessions, in the same database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @changes
    def keep(
        self, cursor: Cursor, eyes: Eyes, image_id: str, prior_id: str, question: str, found: dict[str, Any], now: str
    ) -> None:
        """Under its question, and as what was seen first where nothing was. A repeat changes nothing."""
        sql = "INSERT INTO findings (key, image_id, body, created_at) VALUES (?, ?, ?, ?) ON CONFLICT (key) DO NOTHING"
        for asked in dict.fromkeys((question, ANY)):
            cursor.execute(sql, (_key(eyes, image_id, prior_id, asked), image_id, pack(found), now))

    @reads
    def find(
        self, cursor: Cursor, eyes: Eyes, image_id: str, prior_id: str, question: str = ANY
    ) -> dict[str, Any] | None:
        """What was seen for this question; without one, what was seen first."""
        row = cursor.row("SELECT body FROM findings WHERE key = ?", (_key(eyes, image_id, prior_id, question),))
        return None if row is None else unpack(row["body"])

    @reads
    def has_image(self, cursor: Cursor, session_id: str) -> bool:
        """Whether the session ever got an image: most did not, and need not be searched for one."""
        return cursor.row("SELECT id FROM images WHERE session_id = ? LIMIT 1", (session_id,)) is not None


def _key(eyes: Eyes, *parts: str) -> str:
    """Of a fixed length, whatever the question's."""
    return CONTENT.of("\0".join((eyes.model, eyes.prompts, *parts)))
