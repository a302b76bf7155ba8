"""What the chart really holds, against what the ledger says and what people were told. Every difference is a fault."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from docgemma.audit.entries import Entry
from docgemma.audit.log import AuditLog
from docgemma.orders.ledger.ledger import Ledger
from docgemma.orders.model import UNFINISHED, Row
from docgemma.orders.resources import KINDS, is_undone
from docgemma.store.sessions import Store, open_store
from tests.torture.messages import ORDER_SYSTEM, Told
from tests.torture.worlds import World

Resource = dict[str, Any]

_ALL = 1_000_000
_DECIDED_AGAINST = ("rejected", "expired", "withdrawn")


@dataclass(slots=True)
class Heard:
    """What the person at the desk was told, by order id."""

    asked: set[str] = field(default_factory=set)
    undone: set[str] = field(default_factory=set)
    receipts: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    accepted: set[str] = field(default_factory=set)
    """Acknowledged in whatever way; the naive client does so before it writes."""

    def note(self, told: Iterable[Told]) -> None:
        for one in told:
            if one.job is None:
                continue
            if one.what == "accepted":
                self.accepted.add(one.job.order.id)
            elif one.what == "done" and one.job.verb == "approve" and not one.error:
                self.accepted.add(one.id)
                if one.status == "written":
                    self.receipts[one.id].add(one.receipt)
            elif one.what == "done" and one.job.verb == "undo" and one.status == "undone":
                self.undone.add(one.id)


@dataclass(slots=True)
class Tally:
    """`faults` names every difference with its order; the numbers are what the goals speak of."""

    orders: int = 0
    in_chart: int = 0
    duplicates: int = 0
    lost: int = 0
    unapproved: int = 0
    faults: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Chart:
    """Everything on the server that an order could have put there."""

    entries: Mapping[str, list[Resource]]
    tags: Mapping[str, list[Resource]]
    strangers: tuple[str, ...]


async def chart_of(world: World) -> Chart:
    """Read whole and counted here: the server's own search by identifier is not trusted with this."""
    entries: dict[str, list[Resource]] = defaultdict(list)
    tags: dict[str, list[Resource]] = defaultdict(list)
    strangers: list[str] = []
    for kind in (*KINDS.values(), "Provenance"):
        for resource in await _everything(world, kind):
            into = tags if kind == "Provenance" else entries
            names = list(_names(resource))
            for name in names:
                into[name].append(resource)
            if len(names) != 1:
                strangers.append(f"{kind}/{resource['id']}")
    return Chart(entries, tags, tuple(strangers))


async def _everything(world: World, kind: str) -> list[Resource]:
    found: dict[str, Resource] = {}
    path = f"{kind}?_count=500&_sort=_lastUpdated"
    offset = 0
    while True:
        reply = await world.server.send("GET", f"{path}&_offset={offset}" if offset else path)
        assert reply.status_code == 200, reply.text[:500]
        page = [entry["resource"] for entry in reply.json().get("entry", ())]
        found |= {resource["id"]: resource for resource in page}
        if len(page) < 500:
            return list(found.values())
        offset += 500


def _names(resource: Resource) -> Iterator[str]:
    if resource["resourceType"] == "Provenance":
        marks = [(tag.get("system"), tag.get("code")) for tag in resource.get("meta", {}).get("tag", ())]
    else:
        marks = [(one.get("system"), one.get("value")) for one in resource.get("identifier", ())]
    yield from (str(value) for system, value in marks if system == ORDER_SYSTEM)


async def open_orders(world: World) -> int:
    """How many are decided and neither done nor noted where they came from."""
    async with open_store(world.address) as store:
        ledger = Ledger(store.database, AuditLog(store.database))
        return len(await ledger.unfinished()) + len(await ledger.unnoted())


async def tally(world: World, heard: Heard) -> Tally:
    """Count, once everything has settled."""
    chart, result = await chart_of(world), Tally()
    async with open_store(world.address) as store:
        log = AuditLog(store.database)
        ledger = Ledger(store.database, log)
        rows = {row.id: row for row in await ledger.listed(limit=_ALL)}
        result.orders = len(rows)
        result.in_chart = sum(len(found) for found in chart.entries.values())
        result.faults += [f"{id_}: its ledger row is damaged" for id_ in await ledger.damaged()]
        for row in rows.values():
            _weigh(row, chart, heard, result)
            result.faults += await _receipts_in_session(row, store)
        result.faults += _audited(rows.values(), await log.entries(limit=_ALL))
        verdict = await log.verify()
        if not verdict.ok:
            result.faults.append(f"audit: {verdict.problem}")
    known = {*rows, *(f"{id_}-undo" for id_ in rows)}
    result.faults += [f"{id_}: in the chart without a ledger row" for id_ in {*chart.entries, *chart.tags} - known]
    result.faults += [f"{place}: in the chart and nobody's" for place in chart.strangers]
    missing = heard.accepted - set(rows)
    result.lost += len(missing)
    result.faults += [f"{id_}: acknowledged, and not in the ledger" for id_ in missing]
    return result


def _weigh(row: Row, chart: Chart, heard: Heard, result: Tally) -> None:
    entries = chart.entries.get(row.id, [])
    made, unmade = len(chart.tags.get(row.id, [])), len(chart.tags.get(f"{row.id}-undo", []))
    said = f"{row.id} ({row.card.draft.kind}, {row.state}, {row.attempts} attempts)"
    result.duplicates += max(0, len(entries) - 1)
    approved = row.decision is not None and row.state not in _DECIDED_AGAINST
    expected = 1 if approved and row.state != "refused" else 0
    if approved and not entries:
        result.lost += 1
    if entries and (not approved or row.id not in heard.asked):
        result.unapproved += len(entries)
    if (len(entries), made) != (expected, expected):
        result.faults.append(f"{said}: {len(entries)} entries and {made} provenances, not {expected} of each")
    targets = {one["target"][0].get("reference") for one in chart.tags.get(row.id, [])}
    if targets and targets != {f"{one['resourceType']}/{one['id']}" for one in entries}:
        result.faults.append(f"{said}: its provenance speaks of {targets}")
    if unmade != (row.state == "undone"):
        result.faults.append(f"{said}: {unmade} provenances of an undo")
    result.faults += [f"{said}: {problem}" for problem in _state_problems(row, entries, heard)]


def _state_problems(row: Row, entries: list[Resource], heard: Heard) -> Iterator[str]:
    if row.state in UNFINISHED:
        yield "still not settled"
    if row.state in ("differs", "refused"):
        yield f"ended as {row.state}: {row.receipt.text if row.receipt else ''}"
    if row.id in heard.asked and row.id in heard.accepted and row.state in ("proposed", *_DECIDED_AGAINST):
        yield "acknowledged as approved, and the ledger says otherwise"
    if row.id in heard.undone and row.state != "undone":
        yield "acknowledged as undone, and the ledger says otherwise"
    if len(heard.receipts[row.id]) > 1:
        yield f"{len(heard.receipts[row.id])} different receipts"
    for entry in entries:
        if is_undone(entry) != (row.state == "undone"):
            yield "entered in error in the chart or in the ledger, not in both"
        if row.state in ("written", "undone") and entry["id"] != row.resource_id:
            yield "the ledger points to another entry"


def _audited(rows: Iterable[Row], entries: Iterable[Entry]) -> Iterator[str]:
    """One audit row for each approval and for each entry: what happened in the ledger happened there too."""
    noted = Counter((entry.action, entry.outcome, entry.resource_id) for entry in entries)
    for row in rows:
        approved = row.decision is not None and row.state not in _DECIDED_AGAINST
        if noted["approve", "asked", row.id] != approved:
            yield f"{row.id} ({row.state}): {noted['approve', 'asked', row.id]} audit rows for its approval"
        if row.state in ("written", "undone") and noted["write", "written", row.resource_id] != 1:
            yield f"{row.id} ({row.state}): {noted['write', 'written', row.resource_id]} audit rows for its entry"


async def _receipts_in_session(row: Row, store: Store) -> list[str]:
    """One turn of a person for what was written, and one more for its undoing."""
    if not row.card.session_id or row.state in ("proposed", "expired", "withdrawn"):
        return []
    turns = Counter(
        str((turn.record or {}).get("receipt", {}).get("status"))
        for turn in await store.turns(row.card.session_id)
        if ((turn.record or {}).get("receipt") or {}).get("order_id") == row.id
    )
    twice = [f"{row.id}: {count} receipts '{status}' in its session" for status, count in turns.items() if count > 1]
    last = "undone" if row.state == "undone" else "rejected" if row.state == "rejected" else "written"
    absent = [f"{row.id} ({row.state}): no receipt '{last}' in its session"] if not turns[last] else []
    return twice + absent


@dataclass(frozen=True, slots=True)
class NaiveTally:
    orders: int
    kills: int
    duplicates: int
    lost: int


async def tally_naive(world: World, heard: Heard, orders: int, kills: int) -> NaiveTally:
    chart = await chart_of(world)
    return NaiveTally(
        orders,
        kills,
        sum(max(0, len(found) - 1) for found in chart.entries.values()),
        sum(id_ not in chart.entries for id_ in heard.accepted),
    )
