"""Roles inside one transaction. A row that is not what was written is no role: its tone would be anybody's."""

from __future__ import annotations

import json

from pydantic import ValidationError

from docgemma.errors import Unavailable
from docgemma.knowledge.library.letters import read, selected, storable
from docgemma.knowledge.roles import SHIPPED, Role, unknown_role
from docgemma.seal import CONTENT
from docgemma.store.database import Cursor, Row

_COLUMNS = ("id", "audience", "name_en", "name_vi", "persona")
_SAVE = """INSERT INTO knowledge_roles (id, position, audience, name_en, name_vi, persona, digest)
    SELECT ?, COALESCE(MAX(position), 0) + 1, ?, ?, ?, ?, ? FROM knowledge_roles WHERE 1 = 1
    ON CONFLICT (id) DO UPDATE SET audience = excluded.audience, name_en = excluded.name_en,
        name_vi = excluded.name_vi, persona = excluded.persona, digest = excluded.digest"""


def save(cursor: Cursor, role: Role) -> None:
    """Add it, or put it in the place of the one of its name."""
    texts = tuple(str(getattr(role, name)) for name in _COLUMNS)
    storable(f"The role '{role.id}'", texts)
    cursor.execute(_SAVE, (*texts, CONTENT.of(_sealed(role))))


def missing(cursor: Cursor) -> tuple[Role, ...]:
    """Those that ship and are not there. One that an operator changed is there."""
    known = names(cursor)
    return tuple(role for role in SHIPPED if role.id not in known)


def names(cursor: Cursor) -> frozenset[str]:
    return frozenset(text for row in _rows(cursor) if (text := read(row["id"])) is not None)


def roles(cursor: Cursor) -> tuple[Role, ...]:
    """In the order in which they were added, without damaged ones."""
    return tuple(role for row in _rows(cursor) if (role := _opened(row)) is not None)


def role(cursor: Cursor, id_: str) -> Role:
    found = roles(cursor)
    for each in found:
        if each.id == id_:
            return each
    if id_ in names(cursor):
        raise Unavailable(f"The role '{id_}' of the knowledge base is damaged. Set it again, or restore a backup.")
    raise unknown_role(id_, tuple(each.id for each in found))


def damaged(cursor: Cursor) -> tuple[str, ...]:
    return tuple(f"role {read(row['id']) or 'without a name'}" for row in _rows(cursor) if _opened(row) is None)


def _rows(cursor: Cursor) -> list[Row]:
    columns = selected(cursor.dialect, (*_COLUMNS, "digest"))
    return cursor.rows(f"SELECT {columns} FROM knowledge_roles ORDER BY position, id")  # noqa: S608


def _opened(row: Row) -> Role | None:
    texts = {name: read(row[name]) for name in _COLUMNS}
    try:
        found = Role.model_validate(texts)
    except ValidationError:
        return None
    return found if CONTENT.fits(read(row["digest"]), _sealed(found)) else None


def _sealed(role: Role) -> str:
    return json.dumps({name: getattr(role, name) for name in _COLUMNS}, sort_keys=True)
