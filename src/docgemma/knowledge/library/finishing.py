"""The end of an import: one transaction after which everybody sees all of it. Before, nobody sees any of it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace

from docgemma.errors import Unavailable
from docgemma.knowledge.library import claims
from docgemma.store.database import Cursor, Value
from docgemma.store.ids import unknown

_DAMAGED = "The knowledge base is damaged. Restore a backup, or move it away and import it again."
_RANGE = 5_000  # rows that one statement touches: a server ends what takes too long
_COUNT_ANEW = {
    "sqlite": (),
    # A server that believes a table to be empty as it was a minute ago reads all of it for each row.
    "postgresql": ("ANALYZE knowledge_entries", "ANALYZE knowledge_imported"),
}
_BROUGHT = """SELECT 1 FROM knowledge_imported AS brought
    WHERE brought.import_id = ? AND brought.id = knowledge_entries.id"""
_REPLACE = f"""UPDATE knowledge_entries SET state = 'replaced' WHERE state = 'current' AND id > ? AND id <= ?
    AND EXISTS ({_BROUGHT} AND brought.outcome = 'changed')"""  # noqa: S608
_REVEAL = f"""UPDATE knowledge_entries SET state = 'current', import_id = ?, added_at = ?
    WHERE state = 'staged' AND id > ? AND id <= ?
    AND EXISTS ({_BROUGHT} AND brought.version = knowledge_entries.version)"""  # noqa: S608
_WITHDRAW = f"""UPDATE knowledge_entries SET state = 'withdrawn', withdrawn_at = ?, withdrawn_by = ?, reason = ?
    WHERE state = 'current' AND {{}} AND NOT EXISTS ({_BROUGHT})"""  # noqa: S608
_MISSING = _WITHDRAW.format("role = ? AND language = ?")
_DEMONSTRATION = _WITHDRAW.format("demonstration = 1")
_KEEP_OUT = """INSERT INTO knowledge_imported (import_id, id, version, outcome)
    SELECT import_id, ?, 0, 'withdrawn' FROM knowledge_state WHERE import_id <> ''
    ON CONFLICT (id, import_id) DO UPDATE SET version = 0, outcome = 'withdrawn'"""
_PAIRS = """SELECT DISTINCT entry.role AS role, entry.language AS language FROM knowledge_imported AS brought
    JOIN knowledge_entries AS entry ON entry.id = brought.id AND entry.state = 'current' WHERE brought.import_id = ?"""


@dataclass(frozen=True, slots=True)
class Imported:
    """What an import did.

    `kept_out`: a person withdrew them while it ran. `withdrawn`: not in a full import. `demonstration`: demonstration
    texts that own knowledge took the place of.
    """

    generation: int
    new: int = 0
    changed: int = 0
    unchanged: int = 0
    brought_back: int = 0
    kept_out: int = 0
    withdrawn: int = 0
    demonstration: int = 0


@dataclass(frozen=True, slots=True)
class Ending:
    """How an import is to end."""

    import_id: str
    now: str
    withdraw_missing: bool = False
    replace_demonstration: bool = False


def finished(cursor: Cursor, import_id: str) -> Imported | None:
    """What an import did that is finished already: asking again is no second import."""
    row = cursor.row("SELECT counts FROM knowledge_imports WHERE id = ? AND finished_at <> ''", (import_id,))
    try:
        return None if row is None else Imported(**json.loads(row["counts"]))
    except (ValueError, TypeError):
        raise Unavailable(_DAMAGED) from None


def finish(cursor: Cursor, ending: Ending) -> Imported:
    """Make what was staged current, take out what has to go, and remove what dead imports left behind."""
    begun = cursor.row("SELECT begun_by FROM knowledge_imports WHERE id = ?", (ending.import_id,))
    by: str = begun["begun_by"] if begun else ""
    _count_anew(cursor)
    counts = _counts(cursor, ending.import_id)
    _reveal(cursor, ending, counts)
    cursor.execute("DELETE FROM knowledge_entries WHERE state = 'staged'")
    if ending.withdraw_missing:
        counts = replace(counts, withdrawn=_withdraw_missing(cursor, ending, by))
    if ending.replace_demonstration:
        reason = "own knowledge took the place of the demonstration texts"
        gone = cursor.execute(_DEMONSTRATION, (ending.now, by, reason, ending.import_id))
        counts = replace(counts, demonstration=gone)
    if any((counts.new, counts.changed, counts.brought_back, counts.withdrawn, counts.demonstration)):
        counts = replace(counts, generation=claims.advance(cursor))
    cursor.execute("DELETE FROM knowledge_imported")
    cursor.execute(
        "UPDATE knowledge_imports SET finished_at = ?, counts = ? WHERE id = ?",
        (ending.now, json.dumps(asdict(counts)), ending.import_id),
    )
    claims.let_go(cursor, ending.import_id)
    _count_anew(cursor)
    return counts


def withdraw(cursor: Cursor, id_: str, now: str, by: str, reason: str) -> None:
    """What a person takes out in the middle of an import stays out: the import read its file before."""
    sql = """UPDATE knowledge_entries SET state = 'withdrawn', withdrawn_at = ?, withdrawn_by = ?, reason = ?
        WHERE state = 'current' AND id = ?"""
    if not cursor.execute(sql, (now, by, reason, id_)):
        raise unknown("entry", id_)
    cursor.execute("DELETE FROM knowledge_entries WHERE state = 'staged' AND id = ?", (id_,))
    cursor.execute(_KEEP_OUT, (id_,))
    claims.advance(cursor)


def _count_anew(cursor: Cursor) -> None:
    for statement in _COUNT_ANEW[cursor.dialect]:
        cursor.execute(statement)


def _counts(cursor: Cursor, import_id: str) -> Imported:
    sql = "SELECT outcome, COUNT(*) AS entries FROM knowledge_imported WHERE import_id = ? GROUP BY outcome"
    found: dict[str, int] = {row["outcome"]: row["entries"] for row in cursor.rows(sql, (import_id,))}
    return Imported(
        generation=claims.generation(cursor),
        new=found.get("new", 0),
        changed=found.get("changed", 0),
        unchanged=found.get("unchanged", 0),
        brought_back=found.get("brought_back", 0),
        kept_out=found.get("withdrawn", 0),
    )


def _reveal(cursor: Cursor, ending: Ending, counts: Imported) -> None:
    replaced = revealed = 0
    for after, upto in _ranges(cursor, ending.import_id):
        replaced += cursor.execute(_REPLACE, (after, upto, ending.import_id))
        revealed += cursor.execute(_REVEAL, (ending.import_id, ending.now, after, upto, ending.import_id))
    if (replaced, revealed) != (counts.changed, counts.new + counts.changed + counts.brought_back):
        raise Unavailable("Some of what was staged is no longer there. Run the import again: nothing was changed.")


def _ranges(cursor: Cursor, import_id: str) -> Iterator[tuple[str, str]]:
    """The import's ids cut into ranges, so that neither memory nor one statement grows with it."""
    after = ""
    within = "SELECT id FROM knowledge_imported WHERE import_id = ? AND id > ? ORDER BY id"
    while True:
        row = cursor.row(f"{within} LIMIT 1 OFFSET {_RANGE - 1}", (import_id, after))
        row = row or cursor.row(f"{within} DESC LIMIT 1", (import_id, after))
        if row is None:
            return
        if row["id"] <= after:
            raise Unavailable(_DAMAGED)
        yield after, row["id"]
        after = row["id"]


def _withdraw_missing(cursor: Cursor, ending: Ending, by: str) -> int:
    """Only of the people and languages that the import has something for: a file for nurses empties no other shelf."""
    said: tuple[Value, ...] = (ending.now, by, "not in a full import of what it was part of")
    pairs = [(row["role"], row["language"]) for row in cursor.rows(_PAIRS, (ending.import_id,))]
    return sum(cursor.execute(_MISSING, (*said, *pair, ending.import_id)) for pair in pairs)
