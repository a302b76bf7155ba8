"""A built pack as a source of labels: the same names are found in it as by asking openFDA itself."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Sequence

from docgemma.sources.contract import Label, Labels
from docgemma.sources.openfda.record import is_about
from docgemma.sources.openfda.texts import words
from docgemma.sources.pack.asking import asked
from docgemma.sources.pack.labels import database
from docgemma.sources.pack.labels.candidate import phrases_to_ask
from docgemma.sources.pack.manifest import Manifest, Place, read
from docgemma.sources.pack.rows import damage, described
from docgemma.store.snapshot import Damaged, Handle, Snapshot

MOST = 10
"""Labels of one answer, the best ones. `total` says how many there are."""
_MOST_WORDS = 12
_WORTH_SEARCHING = 20


class LabelPack:
    """One pack. It is opened on the first question; one that cannot be read says so at every question."""

    def __init__(self, place: Place) -> None:
        self._place = place
        self._database = Snapshot(place.database, what=f"database of the pack {place.name}")
        self._manifest: Manifest | None = None

    @property
    def name(self) -> str:
        return self._place.source

    async def labels(self, drug: str, *, ends_at: float) -> Labels | None:
        async with asked(self.name, ends_at):
            found, total = await self._database.run(lambda handle: self._look_up(handle, drug))
        if not found:
            return None
        return Labels(found, self.name, "pack", data_date=self._place.date, total=total)

    async def close(self) -> None:
        await self._database.close()

    def _look_up(self, handle: Handle, drug: str) -> tuple[tuple[Label, ...], int]:
        if self._manifest is None:
            self._manifest = proved(self._place, handle)
        return look_up(handle, drug)


def proved(place: Place, handle: Handle) -> Manifest:
    """The manifest, once it and the database have been seen to belong together."""
    manifest = read(place)
    about = described(handle)
    same = (manifest.format, manifest.data_date, manifest.counts.kept, manifest.counts.drugs)
    if (about.get("format"), about.get("data_date"), about.get("labels"), about.get("drugs")) != same:
        raise Damaged("The database and the description of the pack do not belong together.")
    return manifest


def look_up(handle: Handle, drug: str) -> tuple[tuple[Label, ...], int]:
    """The best labels for a name, and how many there are. The first way of finding any is the one that counts."""
    asked = words(drug)
    if not asked or len(asked) > _MOST_WORDS:
        return (), 0
    name = " ".join(asked)
    if own := database.numbers(handle, "name", name):
        return _read(handle, own, drug), len(own)
    if others := database.numbers(handle, "alias", name):
        return _read(handle, others), len(others)
    found = _with_all(handle, "word", asked) or _with_all(handle, "lead", phrases_to_ask(asked))
    return _read(handle, found, drug), len(found)


def _with_all(handle: Handle, kind: database.Kind, terms: Sequence[str]) -> Sequence[int]:
    """Labels that every one of these leads to; the rarest first, so that little is compared."""
    lists: list[array[int]] = []
    for term in dict.fromkeys(terms):
        found = database.numbers(handle, kind, term)
        if not found:
            return ()
        lists.append(found)
    lists.sort(key=len)
    common: Sequence[int] = lists[0]
    for found in lists[1:]:
        common = _in_both(common, found)
    return common


def _in_both(few: Sequence[int], many: array[int]) -> list[int]:
    """Both are sorted. A common word leads to tens of thousands of labels, which are not gone through one by one."""
    if len(few) * _WORTH_SEARCHING > len(many):
        return sorted(set(few).intersection(many))
    places = ((number, bisect_left(many, number)) for number in few)
    return [number for number, place in places if place < len(many) and many[place] == number]


def _read(handle: Handle, numbers: Sequence[int], drug: str = "") -> tuple[Label, ...]:
    """The first of these. A label that does not have the asked name was not led to by what was written."""
    labels = tuple(database.label(handle, number) for number in numbers[:MOST])
    if drug and not all(is_about(label, drug) for label in labels):
        raise damage()
    return labels
