"""Items, who waits for them, and what was decided, in the tables. Each function is a part of one transaction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from docgemma.grounding.contract import Entity, Grounded
from docgemma.grounding.review.decision import Choice, Decision, Example, Item, item_key
from docgemma.store.database import Cursor, Row, Value
from docgemma.store.rows import pack, unpack

_ITEM = """INSERT INTO grounding_items (item, text, entity_type, body) VALUES (?, ?, ?, ?)
    ON CONFLICT (item) DO UPDATE SET text = excluded.text, body = excluded.body"""
_WAITING = "INSERT INTO grounding_waiting (item, content) VALUES (?, ?) ON CONFLICT (item, content) DO NOTHING"
_LAST = """SELECT d.body FROM grounding_decisions d
    JOIN (SELECT item, MAX(position) AS position FROM grounding_decisions GROUP BY item) AS last
    ON last.position = d.position"""
_LISTED = """SELECT i.item, i.text, i.entity_type, i.body, COALESCE(w.waiting, 0) AS waiting FROM grounding_items i
    {join} JOIN (SELECT item, COUNT(*) AS waiting FROM grounding_waiting GROUP BY item) AS w ON w.item = i.item
    {where} ORDER BY waiting DESC, i.item LIMIT ?"""

_CHUNK = 400


def note(cursor: Cursor, lines: Mapping[str, Grounded]) -> None:
    """What these results ask of an expert, by the content of their criteria. Earlier results of the same are over."""
    contents = sorted(lines)
    items: dict[str, Entity] = {}
    waiting: set[tuple[Value, ...]] = set()
    for content in contents:
        for entity in lines[content].entities:
            item = item_key(entity.text, entity.entity_type)
            if item not in items or _urgency(entity) >= _urgency(items[item]):
                items[item] = entity
            if entity.status == "expert_review":
                waiting.add((item, content))
    cursor.many("DELETE FROM grounding_waiting WHERE content = ?", [(content,) for content in contents])
    cursor.many(
        _ITEM, [(item, pack(each.text), each.entity_type, pack(_body(each))) for item, each in sorted(items.items())]
    )
    cursor.many(_WAITING, sorted(waiting, key=str))


def _urgency(entity: Entity) -> tuple[bool, float]:
    """Of an item that was met several times the expert is shown what needs them most."""
    return entity.status == "expert_review", -entity.grounding_confidence


def _body(entity: Entity) -> dict[str, object]:
    found = Choice(
        umls_cui=entity.umls_cui, snomed_code=entity.snomed_code, preferred_term=entity.preferred_term
    ).model_dump()
    candidates = [each.model_dump(mode="json") for each in entity.candidates]
    return {
        "reason": entity.reason,
        "confidence": entity.grounding_confidence,
        "found": found,
        "candidates": candidates,
    }


def decisions(cursor: Cursor) -> dict[str, Decision]:
    """What holds now, by item. An item whose last decision was undone is not in it."""
    found = [Decision.model_validate(unpack(row["body"])) for row in cursor.rows(_LAST)]
    return {each.item: each for each in found if each.action != "undo"}


def history(cursor: Cursor, item: str | None, *, most: int) -> list[Decision]:
    """Oldest first: of one item, or the last ones of all."""
    where, params = ("WHERE item = ?", (item, most)) if item else ("", (most,))
    sql = f"SELECT body FROM grounding_decisions {where} ORDER BY position DESC LIMIT ?"  # noqa: S608
    return [Decision.model_validate(unpack(row["body"])) for row in reversed(cursor.rows(sql, params))]


def append(cursor: Cursor, made: Sequence[Decision]) -> None:
    """Each on its own, in this order."""
    last = cursor.row("SELECT COALESCE(MAX(position), 0) AS position FROM grounding_decisions")
    first: int = (last["position"] if last else 0) + 1
    cursor.many(
        "INSERT INTO grounding_decisions (position, item, action, who, at, body) VALUES (?, ?, ?, ?, ?, ?)",
        [
            (position, each.item, each.action, each.who, each.at, pack(each.model_dump()))
            for position, each in enumerate(made, first)
        ],
    )


def listed(cursor: Cursor, *, everything: bool, entity_type: str | None, most: int) -> list[Item]:
    """Most frequent first: those that wait and are not decided on, or all that were ever met."""
    decided = decisions(cursor)
    where, params = ("WHERE i.entity_type = ?", (entity_type,)) if entity_type else ("", ())
    sql = _LISTED.format(join="LEFT" if everything else "", where=where)
    rows = cursor.rows(sql, (*params, most if everything else most + len(decided)))
    items = [_item(row, decided.get(row["item"])) for row in rows]
    return [each for each in items if everything or each.decision is None][:most]


def item(cursor: Cursor, name: str) -> Item | None:
    sql = _LISTED.format(join="LEFT", where="WHERE i.item = ?")
    row = cursor.row(sql, (name, 1))
    last = history(cursor, name, most=1)
    holding = last[0] if last and last[0].action != "undo" else None
    return None if row is None else _item(row, holding)


def some(cursor: Cursor, names: Sequence[str]) -> list[Item]:
    """These items, in this order."""
    found: dict[str, Item] = {}
    for start in range(0, len(names), _CHUNK):
        part = tuple(names[start : start + _CHUNK])
        marks = ", ".join("?" * len(part))
        last = [unpack(row["body"]) for row in cursor.rows(f"{_LAST} WHERE d.item IN ({marks})", part)]
        decided = {each["item"]: Decision.model_validate(each) for each in last if each["action"] != "undo"}
        sql = _LISTED.format(join="LEFT", where=f"WHERE i.item IN ({marks})")
        for row in cursor.rows(sql, (*part, _CHUNK)):
            found[row["item"]] = _item(row, decided.get(row["item"]))
    return [found[name] for name in names if name in found]


def examples(cursor: Cursor, name: str, *, most: int) -> list[Example]:
    sql = """SELECT c.protocol_id, c.criterion_id, c.type, c.body FROM grounding_waiting w
        JOIN grounding_criteria c ON c.content = w.content WHERE w.item = ?
        ORDER BY c.protocol_id, c.position LIMIT ?"""
    return [
        Example(
            protocol_id=unpack(row["protocol_id"]),
            criterion_id=unpack(row["criterion_id"]),
            type=row["type"],
            text=unpack(row["body"])["text"],
        )
        for row in cursor.rows(sql, (name, most))
    ]


def waiting_count(cursor: Cursor, decided: Sequence[str] = ()) -> int:
    """How many items wait for an expert."""
    rows = cursor.rows("SELECT DISTINCT item FROM grounding_waiting")
    return len({row["item"] for row in rows} - set(decided))


def _item(row: Row, decision: Decision | None) -> Item:
    return Item(
        item=row["item"],
        text=unpack(row["text"]),
        entity_type=row["entity_type"],
        waiting=row["waiting"],
        decision=decision,
        **unpack(row["body"]),
    )
