"""Reading the files of a build into its staging file, and carrying on where an interrupted build had come to."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice

from docgemma.errors import BadInput
from docgemma.sources.pack.document import Unreadable
from docgemma.sources.pack.kinds import CALLED
from docgemma.sources.pack.parts import Part, opened, same, sha256_of
from docgemma.sources.pack.progress import Progress, Reached
from docgemma.sources.pack.recipe import Recipe
from docgemma.store.snapshot import Handle

_COMMIT_EVERY = 500


@dataclass(frozen=True, slots=True)
class Step:
    """How far a build has come: bytes of the files as they lie on the disk, and records.

    `before`: of the bytes, those that an interrupted build had done.
    """

    done: int
    total: int
    records: int
    before: int = 0
    writing: bool = False


Heard = Callable[[Step], None]


@dataclass(frozen=True, slots=True)
class _Offset:
    """Tells how far all files together are, when one of them has come so far."""

    heard: Heard
    at: int
    total: int
    records: int
    before: int

    def __call__(self, position: int, records: int) -> None:
        self.heard(Step(self.at + position, self.total, self.records + records, self.before))


def look_into(given: Sequence[Part], recipe: Recipe) -> None:
    """The beginning of every file, before the first is read: a download that went wrong shows here in most cases."""
    for part in given:
        with opened(part, recipe.kind) as feed, _named(part):
            for record in islice(recipe.records(feed, Reached()), 1):
                recipe.recognise(record)


def read_all(given: Sequence[Part], recipe: Recipe, handle: Handle, progress: Progress, heard: Heard) -> list[Reached]:
    """Every file to its end, in the order given."""
    total, done, records, before = sum(part.size for part in given), 0, 0, 0
    reached: list[Reached] = []
    for number, part in enumerate(given):
        one = progress.reached(number)
        if one.sha256:
            before += part.size
        else:
            told = _Offset(heard, done, total, records, before)
            _read_part(number, part, recipe, handle, progress, one, told)
        reached.append(one)
        done += part.size
        records += one.records
    return reached


def _read_part(
    number: int,
    part: Part,
    recipe: Recipe,
    handle: Handle,
    progress: Progress,
    reached: Reached,
    heard: _Offset,
) -> None:
    """One file to its end. Records that an interrupted build had committed are passed over."""
    done = reached.records
    with opened(part, recipe.kind) as feed, _named(part):
        progress.open()
        for place, record in enumerate(recipe.records(feed, reached)):
            if place < done:
                continue
            reached.records += 1
            recipe.take(handle, record, reached)
            if reached.records % _COMMIT_EVERY == 0:
                progress.commit(number, part.mark, reached)
                heard(feed.position, reached.records)
                progress.open()
    reached.sha256 = sha256_of(part.path)
    if not same(part):
        raise BadInput(f"{part.name} was changed while it was read. Run the same command again.")
    called = CALLED[recipe.kind]
    if reached.records == reached.skipped.total() and not (called.may_be_empty and not reached.records):
        raise BadInput(f"{part.name} holds no {called.many}. Give {called.files}.")
    progress.commit(number, part.mark, reached)
    heard(part.size, reached.records)


@contextmanager
def _named(part: Part) -> Iterator[None]:
    try:
        yield
    except Unreadable as reason:
        raise BadInput(f"{part.name} {reason}. {reason.mend}") from None
