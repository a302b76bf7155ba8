"""What is done to the desk. Each scenario ends in a count of what the chart holds."""

from __future__ import annotations

from collections.abc import Sequence

from docgemma.orders.model import Kind
from tests.torture.control import Life, one, several, together
from tests.torture.counting import Heard, NaiveTally, tally_naive
from tests.torture.killing import Death
from tests.torture.messages import Job, Order, Verb, Work
from tests.torture.stage import KINDS, Person, Result, Stage
from tests.torture.worlds import DEADLINE_S, World

NEEDED = ("decide", "claim", "extend", "transact", "read", "settle", "append_turn", "noted")
NEEDED_AFTER = ("claim", "identified", "settle", "noted")
NEEDED_UNDO = ("begin_undo", "claim", "transact", "settle", "noted")
"""What must be among the steps: a step that is renamed in the product must not silently drop out."""

_SPREAD_S = 0.5
_ODDS = 0.05
_PATIENCE = (1, 2, 60)
_WISHES: tuple[tuple[Verb, ...], ...] = (
    ("approve",),
    ("approve",),
    ("approve",),
    ("approve", "undo"),
    ("approve", "undo"),
    ("reject",),
    (),
)


async def every_step(world: World, seed: int, *, stride: int = 1, cold: bool = True) -> Result:
    """Die once at each step of an approval, of the recovery from the worst of them, and of an undo."""
    stage = Stage("every step", world, seed)
    steps = await _rehearsed(stage, "approve")
    _expect(stage, steps, NEEDED)
    chosen = range(1, len(steps) + 1, stride)
    for count, (at, order) in enumerate(zip(chosen, await stage.proposed(len(chosen)), strict=True)):
        await _die(stage, Job("approve", order), at, steps)
        # Half of the people ask again, and half have gone home.
        again = [Job("approve", order)] if count % 2 else []
        if cold and count % 4 == 0:
            await stage.recovered_cold()
        stage.recovered(await stage.work(again))
    await _die_while_recovering(stage, steps, stride)
    await _die_while_undoing(stage, stride)
    return await stage.result()


async def _die_while_recovering(stage: Stage, steps: tuple[str, ...], stride: int) -> None:
    """The worst moment: the entry is in the chart, and nobody but the record system knows."""
    sent = steps.index("after transact") + 1
    (order,) = await stage.proposed(1)
    await _die(stage, Job("approve", order), sent, steps)
    recovery = (await stage.work()).steps
    _expect(stage, recovery, NEEDED_AFTER)
    chosen = range(1, len(recovery) + 1, stride)
    for at, order in zip(chosen, await stage.proposed(len(chosen)), strict=True):
        await _die(stage, Job("approve", order), sent, steps)
        life = await stage.work(death=Death(at=at))
        stage.deaths[f"recovering: {recovery[at - 1]}"] += life.killed
        stage.recovered(await stage.work())


async def _die_while_undoing(stage: Stage, stride: int) -> None:
    steps = await _rehearsed(stage, "undo")
    _expect(stage, steps, NEEDED_UNDO)
    chosen = range(1, len(steps) + 1, stride)
    orders = await stage.proposed(len(chosen))
    await stage.work([Job("approve", order) for order in orders])
    for count, (at, order) in enumerate(zip(chosen, orders, strict=True)):
        await _die(stage, Job("undo", order), at, steps)
        again = [Job("undo", order)] if count % 2 else []
        stage.recovered(await stage.work(again))


async def _rehearsed(stage: Stage, verb: Verb) -> tuple[str, ...]:
    """The steps that one job takes when nobody dies."""
    (order,) = await stage.proposed(1)
    if verb == "undo":
        await stage.work([Job("approve", order)])
    return (await stage.work([Job(verb, order)])).steps


async def _die(stage: Stage, job: Job, at: int, steps: tuple[str, ...]) -> None:
    life = await stage.work([job], death=Death(at=at))
    stage.deaths[f"{job.verb}: {steps[at - 1]}"] += life.killed
    if not life.killed:
        stage.faults.append(f"{job.order.id}: nobody died at step {at} ({steps[at - 1]}): {life.done}")


def _expect(stage: Stage, steps: tuple[str, ...], names: tuple[str, ...]) -> None:
    missing = [name for name in names if f"before {name}" not in steps or f"after {name}" not in steps]
    if missing:
        stage.faults.append(f"these steps were never taken, so nobody died there: {missing}; taken: {steps}")


async def random_kills(
    world: World, seed: int, *, kills: int, orders: int = 0, faults: bool = False, ahead: int = 24
) -> Result:
    """Two workers beside each other, both dying again and again, at any step and at any moment."""
    stage = Stage("kills and faults" if faults else "kills", world, seed)
    people: list[Person] = []
    died = False
    while True:
        waiting = [person for person in people if person.waits]
        if len(waiting) < ahead // 2 and (stage.kills < kills or len(people) < orders):
            new = await stage.proposed(ahead)
            people += [Person(order, stage.chance.choice(_WISHES), stage.chance.choice(_PATIENCE)) for order in new]
            continue
        if not waiting:
            return await stage.result()
        world.faults(faults)
        dying = stage.kills < kills
        works = [_share(stage, waiting, dying=dying) for _ in range(2)]
        lives = await several(works, [stage.moment() if dying else None for _ in works])
        for life in lives:
            _told(stage, life, people)
            if died and not faults:
                stage.recovered(life)
        died = any(life.killed for life in lives)


def _share(stage: Stage, waiting: list[Person], *, dying: bool) -> Work:
    """Some of the open wishes: workers overlap, so that two of them reach for one order."""
    some = stage.chance.sample(waiting, min(6, len(waiting)))
    jobs = [person.asks() for person in some]
    stage.asked(jobs)
    death = Death(odds=_ODDS, seed=stage.chance.getrandbits(32)) if dying else None
    return stage.order(jobs, death, at_once=3)


def _told(stage: Stage, life: Life, people: list[Person]) -> None:
    stage.took_note(life)
    by_id = {person.order.id: person for person in people}
    for told in life.done:
        if told.job is not None:
            by_id[told.job.order.id].hears(told.job.verb, told.status)


async def parallel(world: World, seed: int, *, kinds: Sequence[Kind] = KINDS, times: int = 100) -> Result:
    """One card, approved over and over from two processes: half at one moment, half while the first is at it."""
    stage = Stage("parallel", world, seed)
    for order in await stage.proposed(len(kinds), kinds):
        await _all_the_same(stage, Job("approve", order), "written", times)
        await _all_the_same(stage, Job("undo", order), "undone", times // 5)
    return await stage.result()


async def _all_the_same(stage: Stage, job: Job, status: str, times: int) -> None:
    stage.asked([job])
    # A hundred charts read at one moment take their time: nobody is to give up on that.
    patient = {**stage.world.settings, "tool_deadline_s": 30.0}
    work = Work(patient, (job,), at_once=times, times=times // 2, spread_s=_SPREAD_S, together=True)
    told = [one for life in await together([work, work]) for one in stage.took_note(life).done]
    receipts, ends = {one.receipt for one in told}, {one.status for one in told}
    if (len(told), len(receipts), ends) != (times, 1, {status}):
        stage.faults.append(f"{job.order.id}: {job.verb} {len(told)} times gave {len(receipts)} receipts, {ends}")


async def naive_client(world: World, seed: int, *, count: int = 40) -> NaiveTally:
    """The same faults and deaths for a client that posts, posts again, and notes it down afterwards."""
    stage = Stage("naive", world, seed)
    orders = [Order(number, "note", id=f"naive-{number}") for number in range(count)]
    await world.admit(orders)
    done, heard = world.folder / "naive.txt", Heard()
    signed = world.server.http.headers.get("authorization")
    settings = {
        "url": world.settings["fhir_url"],
        "headers": {"authorization": signed} if signed else {},
        "timeout_s": DEADLINE_S,
        "done": str(done),
    }
    world.faults(True)
    noted: set[str] = set()
    while left := [order for order in orders if order.id not in noted | heard.accepted]:
        death = Death(odds=0.05, seed=stage.chance.getrandbits(32))
        jobs = tuple(Job("approve", order) for order in left)
        life = await one(Work({}, jobs, death, at_once=4, naive=settings))
        heard.note(life.told)
        stage.kills += life.killed
        noted = set(done.read_text().split()) if done.exists() else set()
    world.faults(False)
    await world.quiet()
    return await tally_naive(world, heard, count, stage.kills)
