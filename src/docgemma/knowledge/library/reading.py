"""What is current, inside one transaction. Damaged rows are left out: no answer is better than half a wrong one."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from docgemma.errors import Unavailable
from docgemma.knowledge.contract import Topic
from docgemma.knowledge.entry import Entry, Language
from docgemma.knowledge.library import claims
from docgemma.knowledge.library.letters import read, selected
from docgemma.knowledge.library.rows import VersionRow, columns, opened, opened_current, state
from docgemma.store.database import Cursor, Row, Value
from docgemma.store.ids import unknown

_CHUNK = 400
_PAGE = 1_000
_FOUND_BY_ITS_INDEX = {
    "sqlite": "PRAGMA integrity_check(knowledge_entries)",
    "postgresql": "SELECT 'ok' AS ok",
}
_DAMAGED = (
    "The knowledge base is damaged, so that entries may be missing from it. Restore a backup, or import it again."
)

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Page:
    """Some of the current entries, of which state of the knowledge base, and where the next ones begin."""

    generation: int
    entries: tuple[Entry, ...]
    upto: str | bytes | None


def entries(cursor: Cursor, ids: Sequence[str]) -> dict[str, Entry]:
    """In the order in which they were asked for."""
    found: dict[str, Entry] = {}
    for start in range(0, len(ids), _CHUNK):
        some = tuple(ids[start : start + _CHUNK])
        marks = ", ".join("?" * len(some))
        sql = f"SELECT {columns(cursor)} FROM knowledge_entries WHERE state = 'current' AND id IN ({marks})"  # noqa: S608
        found.update({entry.id: entry for entry in _whole(cursor.rows(sql, some))})
    return {id_: found[id_] for id_ in dict.fromkeys(ids) if id_ in found}


def page(cursor: Cursor, after: str | bytes, most: int, role: str | None, language: Language | None) -> Page:
    asked: dict[str, Value] = {"role = ?": role, "language = ?": language}
    narrow = {sql: value for sql, value in asked.items() if value is not None}
    where = " AND ".join(("state = 'current'", "id > CAST(? AS TEXT)", *narrow))
    sql = f"SELECT {columns(cursor)} FROM knowledge_entries WHERE {where} ORDER BY knowledge_entries.id LIMIT ?"  # noqa: S608
    rows = cursor.rows(sql, (after, *narrow.values(), most))
    upto = rows[-1]["id"] if rows else None
    if upto is not None and _raw(upto) <= _raw(after):
        raise Unavailable(_DAMAGED)  # an index out of order would be read round and round
    return Page(claims.generation(cursor), tuple(_whole(rows)), upto)


def topics(cursor: Cursor, role: str, language: Language) -> tuple[Topic, ...]:
    """In the order in which they first came in. A name that never came in is a damaged one."""
    names = selected(cursor.dialect, ("topic", "subtopic"), "place")
    rows = cursor.rows(
        f"""SELECT {names}, entries FROM knowledge_topics AS place JOIN (
                SELECT topic, subtopic, COUNT(*) AS entries FROM knowledge_entries
                WHERE state = 'current' AND role = ? AND language = ? GROUP BY topic, subtopic) AS counted
            ON counted.topic = place.topic AND counted.subtopic = place.subtopic
            WHERE place.role = ? AND place.language = ? ORDER BY place.position, place.topic, place.subtopic""",  # noqa: S608
        (role, language, role, language),
    )
    tree: dict[str, dict[str, int]] = {}
    for row in rows:
        topic, subtopic = read(row["topic"]), read(row["subtopic"])
        if topic is not None and subtopic is not None:
            tree.setdefault(topic, {})[subtopic] = row["entries"]
    return tuple(
        Topic(name, sum(below.values()), tuple((sub, count) for sub, count in below.items() if sub))
        for name, below in tree.items()
    )


def counts(cursor: Cursor) -> dict[tuple[str, str], int]:
    names = selected(cursor.dialect, ("role", "language"))
    rows = cursor.rows(
        f"""SELECT {names}, entries FROM (SELECT role, language, COUNT(*) AS entries FROM knowledge_entries
            WHERE state = 'current' GROUP BY role, language) AS counted ORDER BY 1, 2"""  # noqa: S608
    )
    found = {(read(row["role"]), read(row["language"])): row["entries"] for row in rows}
    return {(role, language): number for (role, language), number in found.items() if role and language}


def history(cursor: Cursor, id_: str) -> tuple[VersionRow, ...]:
    """Every version that was ever current, oldest first. UnknownId when there is none."""
    more = ("added_at", "import_id", "withdrawn_at", "withdrawn_by", "reason")
    brought = selected(cursor.dialect, ("begun_by", "origin"), "brought")
    rows = cursor.rows(
        f"""SELECT {columns(cursor, *more)}, {brought} FROM knowledge_entries
            LEFT JOIN knowledge_imports AS brought ON brought.id = knowledge_entries.import_id
            WHERE knowledge_entries.id = ? AND state <> 'staged' ORDER BY knowledge_entries.version""",  # noqa: S608
        (id_,),
    )
    if not rows:
        raise unknown("entry", id_)
    return tuple(_version(row) for row in rows)


def damaged(cursor: Cursor) -> tuple[str, ...]:
    """The names of entries that are not what was stored: all rows are looked at, a page at a time.

    Where every row is whole and yet some are not found by their ids, the table itself is damaged: Unavailable.
    """
    names = tuple(_damaged(cursor))
    told = [each for row in cursor.rows(_FOUND_BY_ITS_INDEX[cursor.dialect]) for each in row.values()]
    if not names and told != ["ok"]:
        raise Unavailable(_DAMAGED)
    return names


def _damaged(cursor: Cursor) -> Iterator[str]:
    sql = f"""SELECT {columns(cursor)} FROM knowledge_entries WHERE (id, version) > (CAST(? AS TEXT), ?)
        ORDER BY knowledge_entries.id, knowledge_entries.version LIMIT ?"""  # noqa: S608
    place: tuple[str | bytes, int] = ("", 0)
    while rows := cursor.rows(sql, (*place, _PAGE)):
        for row in rows:
            if state(row) is None or opened(row) is None:
                yield _name(row) if state(row) == "current" else f"{_name(row)} (version {row['version']})"
        last = (rows[-1]["id"], rows[-1]["version"])
        if (_raw(last[0]), last[1]) <= (_raw(place[0]), place[1]):
            raise Unavailable(_DAMAGED)
        place = last


def _whole(rows: Sequence[Row]) -> Iterator[Entry]:
    damaged = 0
    for row in rows:
        entry = opened_current(row)
        if entry is None:
            damaged += 1
        else:
            yield entry
    if damaged:
        _log.warning("damaged entries of the knowledge base are left out: %d. `docgemma doctor` looks at all", damaged)


def _version(row: Row) -> VersionRow:
    def text(name: str) -> str:
        return read(row[name]) or ""

    return VersionRow(
        version=row["version"],
        state=state(row),
        entry=opened(row),
        digest=text("digest"),
        added_at=text("added_at"),
        added_by=text("begun_by"),
        origin=text("origin"),
        import_id=text("import_id"),
        withdrawn_at=text("withdrawn_at"),
        withdrawn_by=text("withdrawn_by"),
        reason=text("reason"),
    )


def _name(row: Row) -> str:
    return read(row["id"]) or "without a name"


def _raw(id_: str | bytes) -> bytes:
    return id_ if isinstance(id_, bytes) else id_.encode()
