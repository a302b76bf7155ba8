"""Roles: those that ship are there from the first day, and an operator's word counts more."""

from __future__ import annotations

import pytest

from docgemma.errors import BadInput, Unavailable, UnknownId
from docgemma.knowledge.library.library import Library, open_library
from docgemma.knowledge.library.schema import STEPS
from docgemma.knowledge.roles import SHIPPED, Role
from tests.knowledge.library.conftest import Sql
from tests.knowledge.library.entries import bring, entry

MIDWIFE = Role(id="midwife", audience="professional", name_en="Midwife", name_vi="Hộ sinh", persona="a calm midwife")


async def test_a_new_library_has_the_roles_that_ship(library: Library) -> None:
    assert await library.roles() == SHIPPED
    assert await library.role("nurse") == SHIPPED[2]


async def test_an_unknown_role_is_told_with_those_that_there_are(library: Library) -> None:
    with pytest.raises(UnknownId, match=r"no role 'midwife'. The roles are: patient_diabetes, .*general_practitioner"):
        await library.role("midwife")


async def test_a_role_of_ones_own_can_have_entries(library: Library) -> None:
    import_id = await library.begin_import(by="lan")
    with pytest.raises(BadInput, match=r"entry e1 is for nobody. There is no role 'midwife'"):
        await library.stage(import_id, [entry("e0"), entry("e1", role="midwife")])
    await library.set_role(MIDWIFE)
    await library.stage(import_id, [entry("e1", role="midwife")])
    assert (await library.finish_import(import_id)).new == 1
    assert await library.roles() == (*SHIPPED, MIDWIFE)


async def test_what_an_operator_changed_stays_when_it_is_opened_again(library: Library, address: str) -> None:
    changed = SHIPPED[2].model_copy(update={"persona": "a ward nurse of our hospital"})
    await library.set_role(changed)
    async with open_library(address) as again:
        assert await again.role("nurse") == changed
        assert [role.id for role in await again.roles()] == [role.id for role in SHIPPED]


async def test_a_role_that_ships_later_is_added_to_what_is_there(library: Library, sql: Sql, address: str) -> None:
    await sql("DELETE FROM knowledge_roles WHERE id = 'nurse'")
    async with open_library(address) as again:
        assert await again.role("nurse") == SHIPPED[2]


async def test_a_role_that_is_not_what_was_written_is_told_and_not_used(library: Library, sql: Sql) -> None:
    await sql("UPDATE knowledge_roles SET persona = 'a pirate' WHERE id = 'nurse'")
    assert "nurse" not in [role.id for role in await library.roles()]
    with pytest.raises(Unavailable, match="role 'nurse' of the knowledge base is damaged"):
        await library.role("nurse")
    assert await library.damaged() == ("role nurse",)
    await library.set_role(SHIPPED[2])
    assert await library.role("nurse") == SHIPPED[2]


async def test_a_role_with_a_nul_is_refused(library: Library) -> None:
    with pytest.raises(BadInput, match="NUL"):
        await library.set_role(MIDWIFE.model_copy(update={"persona": "a\0"}))


async def test_opening_again_keeps_everything_and_needs_no_writing(library: Library, address: str) -> None:
    await bring(library, [entry("a")])
    async with open_library(address) as again:
        assert await again.entries(["a"]) == {"a": entry("a")}
        rows = await again._database.run(lambda cursor: cursor.rows("SELECT version FROM knowledge_schema"))
        assert [row["version"] for row in rows] == list(range(1, len(STEPS) + 1))


async def test_a_library_of_a_newer_version_is_left_alone(library: Library, sql: Sql, address: str) -> None:
    await sql("INSERT INTO knowledge_schema VALUES (?)", len(STEPS) + 1)
    with pytest.raises(Unavailable, match="made by a newer DocGemma"):
        async with open_library(address):
            pass
