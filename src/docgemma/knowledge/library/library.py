"""The library as the rest of the program sees it.

An entry is answered from only while it is current, and only while its text is the one that was stored. Whoever keeps
something made from the entries (an index, a cache) keeps the generation with it: another number means other entries.
"""

from __future__ import annotations

import re
import secrets
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from functools import partial
from pathlib import Path

from docgemma.entities.printable import printable
from docgemma.errors import BadInput, Conflict
from docgemma.knowledge.contract import Topic
from docgemma.knowledge.entry import ID, Entry, Language
from docgemma.knowledge.library import claims, finishing, reading, role_rows, schema, staging
from docgemma.knowledge.library.finishing import Ending, Imported
from docgemma.knowledge.library.rows import VersionRow
from docgemma.knowledge.library.staging import Outcome
from docgemma.knowledge.roles import Role
from docgemma.store.database import Cursor, Database
from docgemma.store.ids import unknown
from docgemma.store.leases import make_holder
from docgemma.store.opened import Opened
from docgemma.store.rows import stamp
from docgemma.store.sessions import Clock, utc_now

__all__ = ["Imported", "Library", "VersionRow", "open_library"]

_ID = re.compile(ID)
_LONGEST_WORDS = 500
_CACHE_MIB = 16


class Library(Opened):
    """Several processes may open the same database. Entries come in by imports, one import at a time."""

    def __init__(self, database: Database, *, clock: Clock = utc_now) -> None:
        self._database = database
        self._clock = clock
        self._trees: dict[tuple[str, Language], tuple[int, tuple[Topic, ...]]] = {}

    async def open(self) -> None:
        if not await self._database.run(schema.is_ready, write=False):
            await self._database.run(schema.prepare)

    async def close(self) -> None:
        await self._database.close()

    async def generation(self) -> int:
        """One more with every change of what is current."""
        return await self._database.run(claims.generation, write=False)

    async def begin_import(self, *, by: str, origin: str = "") -> str:
        """The name of a new import. `by` whom and from where is kept with the entries. Conflict while another runs."""
        import_id, holder, now = f"imp-{secrets.token_hex(8)}", make_holder(), self._clock()

        def work(cursor: Cursor) -> str:
            claims.alone(cursor)
            claims.take(cursor, import_id, holder, now)
            cursor.execute("DELETE FROM knowledge_imported")
            cursor.execute(
                """INSERT INTO knowledge_imports (id, begun_at, begun_by, origin, finished_at, counts)
                   VALUES (?, ?, ?, ?, '', '')""",
                (import_id, stamp(now), _words(by), _words(origin)),
            )
            return import_id

        return await self._database.run(work)

    async def stage(self, import_id: str, entries: Sequence[Entry]) -> Counter[Outcome]:
        """Bring in a batch that nobody sees yet; what is to become of each, counted. All of it, or nothing.

        BadInput for a role that is not there and for two texts under one id; Conflict once another import has begun.
        """
        batch, now = tuple(entries), self._clock()

        def work(cursor: Cursor) -> Counter[Outcome]:
            claims.alone(cursor)
            claims.keep(cursor, import_id, now)
            return staging.stage(cursor, import_id, batch, stamp(now))

        return await self._database.run(work)

    async def finish_import(
        self, import_id: str, *, withdraw_missing: bool = False, replace_demonstration: bool = False
    ) -> Imported:
        """Make the import current, for everybody at one moment. Asked again it says again what it did.

        `withdraw_missing`: it is all there is for its roles and languages, and what is not in it is withdrawn.
        `replace_demonstration`: demonstration texts that are not in it are withdrawn.
        """
        now = self._clock()
        ending = Ending(import_id, stamp(now), withdraw_missing, replace_demonstration)

        def work(cursor: Cursor) -> Imported:
            claims.alone(cursor)
            done = finishing.finished(cursor, import_id)
            if done is not None:
                return done
            claims.keep(cursor, import_id, now)
            return finishing.finish(cursor, ending)

        return await self._database.run(work)

    async def abandon_import(self, import_id: str) -> None:
        """Let another import begin at once. What was staged waits for one that brings the same texts."""

        def work(cursor: Cursor) -> None:
            claims.alone(cursor)
            claims.let_go(cursor, import_id)

        await self._database.run(work)

    async def withdraw(self, id_: str, *, by: str, reason: str) -> None:
        """Take an entry out, also out of an import that is just bringing it in. UnknownId when it is not current."""
        if not reason.strip():
            raise BadInput("Say why the entry is withdrawn.")
        if not _ID.fullmatch(id_):
            raise unknown("entry", id_)
        now, who, why = stamp(self._clock()), _words(by), _words(reason)

        def work(cursor: Cursor) -> None:
            claims.alone(cursor)
            finishing.withdraw(cursor, id_, now, who, why)

        await self._database.run(work)

    async def entries(self, ids: Sequence[str]) -> dict[str, Entry]:
        """The current text of these, in this order; what is withdrawn, unknown or damaged is left out."""
        known = tuple(dict.fromkeys(id_ for id_ in ids if _ID.fullmatch(id_)))
        return await self._database.run(lambda cursor: reading.entries(cursor, known), write=False) if known else {}

    async def each_current(
        self,
        *,
        batch: int = 1_000,
        role: str | None = None,
        language: Language | None = None,
        generation: int | None = None,
    ) -> AsyncIterator[tuple[Entry, ...]]:
        """All current entries in the order of their ids, without damaged ones: of one generation, or Conflict.

        `generation` names the one that is meant; otherwise it is that of the first batch.
        """
        after: str | bytes | None = ""
        while after is not None:
            work = partial(reading.page, after=after, most=batch, role=role, language=language)
            page = await self._database.run(work, write=False)
            generation = page.generation if generation is None else generation
            if page.generation != generation:
                raise Conflict("The knowledge base was changed while it was being read. Start again.")
            if page.entries:
                yield page.entries
            after = page.upto

    async def topics(self, role: str, language: Language) -> tuple[Topic, ...]:
        """The role's tree, in the order in which its branches first came in. Empty when nothing is there."""
        kept = self._trees.get((role, language), (-1, ()))

        def work(cursor: Cursor) -> tuple[int, tuple[Topic, ...]]:
            now = claims.generation(cursor)
            return kept if kept[0] == now else (now, reading.topics(cursor, role, language))

        found = await self._database.run(work, write=False)
        if found[1]:
            self._trees[role, language] = found
        return found[1]

    async def counts(self) -> dict[tuple[str, str], int]:
        """How many entries are current, by role and language."""
        return await self._database.run(reading.counts, write=False)

    async def history(self, id_: str) -> tuple[VersionRow, ...]:
        """Every version that was ever current, oldest first. UnknownId when there never was one."""
        if not _ID.fullmatch(id_):
            raise unknown("entry", id_)
        return await self._database.run(lambda cursor: reading.history(cursor, id_), write=False)

    async def damaged(self) -> tuple[str, ...]:
        """The names of entries and roles that are not what was stored. Looks at every row."""
        return await self._database.run(
            lambda cursor: (*role_rows.damaged(cursor), *reading.damaged(cursor)), write=False
        )

    async def roles(self) -> tuple[Role, ...]:
        return await self._database.run(role_rows.roles, write=False)

    async def role(self, role: str) -> Role:
        """UnknownId, naming those that there are."""
        return await self._database.run(lambda cursor: role_rows.role(cursor, role), write=False)

    async def set_role(self, role: Role) -> None:
        """Add a role, or change the one of this name."""

        def work(cursor: Cursor) -> None:
            claims.alone(cursor)
            role_rows.save(cursor, role)

        await self._database.run(work)


def open_library(path_or_url: str, *, clock: Clock = utc_now) -> Library:
    """A `postgresql://` address, or else the path of an SQLite file. Nothing is opened before `open()`."""
    if path_or_url.startswith(("postgresql://", "postgres://")):
        from docgemma.store.postgres import PostgresDatabase

        return Library(PostgresDatabase(path_or_url), clock=clock)
    from docgemma.store.sqlite import SqliteDatabase

    # Settled: of a side file in which a byte was damaged SQLite drops the rest and says nothing, and what was withdrawn
    # would be current again.
    return Library(
        SqliteDatabase(Path(path_or_url), what="knowledge base", durable=True, settled=True, cache_mib=_CACHE_MIB),
        clock=clock,
    )


def _words(text: str) -> str:
    """What a person or a file name says, as any database takes it."""
    return printable(text)[:_LONGEST_WORDS]
