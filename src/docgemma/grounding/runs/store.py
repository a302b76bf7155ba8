"""Where results, protocols and decisions are kept: an SQLite file or PostgreSQL, for any number of processes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from pydantic import ValidationError

from docgemma.errors import Unavailable
from docgemma.grounding.contract import Criterion, Grounded
from docgemma.grounding.review import rows as review_rows
from docgemma.grounding.review.applying import Decisions, applied
from docgemma.grounding.runs import rows, schema
from docgemma.grounding.runs.rows import Kept, Met
from docgemma.store.database import Cursor, Database
from docgemma.store.ids import unknown
from docgemma.store.opened import Opened
from docgemma.store.rows import stamp
from docgemma.store.sessions import Clock, utc_now

_CACHE_MIB = 16
_MOST_SHOWN = 20_000
NOT_YET = "Not grounded yet."


class GroundingStore(Opened):
    """A result is kept once, under everything that it was made from, and never changed."""

    def __init__(self, database: Database, *, clock: Clock = utc_now) -> None:
        self.database = database
        self.clock = clock

    async def open(self) -> None:
        if not await self.database.run(schema.is_ready, write=False):
            await self.database.run(schema.prepare)

    async def close(self) -> None:
        await self.database.close()

    async def records(self, keys: Sequence[str]) -> dict[str, str]:
        """The results that there are for these keys, as they are stored."""
        return await self.database.run(lambda cursor: rows.records(cursor, keys), write=False)

    async def save(
        self, made: Mapping[str, tuple[str, Grounded]], met: Sequence[Met], *, run: str, source: str
    ) -> dict[str, str]:
        """Keep results (key → content and line) and the criteria that a run came by, in one transaction.

        Gives back what is stored under the keys now: a result that was kept before, by whomever, stays.
        """
        now = stamp(self.clock())
        fresh = {key: to_record(line) for key, (_, line) in made.items()}

        def work(cursor: Cursor) -> dict[str, str]:
            rows.alone(cursor)
            stored = rows.add(cursor, fresh, now)
            review_rows.note(cursor, {made[key][0]: from_record(record) for key, record in stored.items()})
            rows.register(cursor, met, run, source, now)
            return stored

        return await self.database.run(work) if fresh or met else {}

    async def decisions(self) -> Decisions:
        """What experts decided, as it holds now."""
        return await self.database.run(review_rows.decisions, write=False)

    async def protocol(self, name: str) -> list[Grounded]:
        """The criteria of a protocol as its last run has them, with what experts decided since. UnknownId."""

        def work(cursor: Cursor) -> tuple[list[Kept], Decisions] | None:
            found = rows.protocol(cursor, name)
            if found is None:
                return None
            return rows.criteria(cursor, name, found["run"], most=_MOST_SHOWN), review_rows.decisions(cursor)

        found = await self.database.run(work, write=False)
        if found is None:
            raise unknown("grounded protocol", name)
        kept, decided = found
        return [applied(_shown(each), decided) for each in kept]

    async def protocols(self) -> list[tuple[str, int]]:
        """Names with numbers of criteria, last used first."""
        return await self.database.run(rows.protocols, write=False)

    async def waiting(self) -> int:
        """How many items wait for an expert."""

        def work(cursor: Cursor) -> int:
            return review_rows.waiting_count(cursor, tuple(review_rows.decisions(cursor)))

        return await self.database.run(work, write=False)


def to_record(line: Grounded) -> str:
    """Without ids: they belong to the file, and the result to the words."""
    return line.model_copy(update={"criterion_id": "", "protocol_id": "", "batch_id": ""}).model_dump_json()


def from_record(record: str) -> Grounded:
    try:
        return Grounded.model_validate_json(record)
    except ValidationError:
        raise Unavailable(
            "A result in the grounding store is damaged. Run the same command with --fresh, or restore a backup."
        ) from None


def line_of(record: str, criterion: Criterion, batch_id: str) -> Grounded:
    """A stored result as the line of this criterion."""
    ids = {"criterion_id": criterion.criterion_id, "protocol_id": criterion.protocol_id, "batch_id": batch_id}
    return from_record(record).model_copy(update=ids)


def _shown(kept: Kept) -> Grounded:
    criterion = Criterion.model_validate(
        {"criterion_id": kept.criterion_id, "protocol_id": kept.protocol_id, "type": kept.type, "text": kept.text}
    )
    if kept.record is not None:
        return line_of(kept.record, criterion, kept.batch_id)
    return Grounded(**criterion.model_dump(exclude={"context"}), batch_id=kept.batch_id, error=NOT_YET)


def open_store(path_or_url: str, *, clock: Clock = utc_now) -> GroundingStore:
    """A `postgresql://` address, or else the path of an SQLite file. Nothing is opened before `open()`."""
    if path_or_url.startswith(("postgresql://", "postgres://")):
        from docgemma.store.postgres import PostgresDatabase

        return GroundingStore(PostgresDatabase(path_or_url), clock=clock)
    from docgemma.store.sqlite import SqliteDatabase

    database = SqliteDatabase(Path(path_or_url), what="grounding store", durable=True, cache_mib=_CACHE_MIB)
    return GroundingStore(database, clock=clock)
