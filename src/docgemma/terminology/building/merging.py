"""From the records of many vocabularies to concepts: what is the same thing becomes one.

Vocabularies are taken in a fixed order, the verified core first. A record joins a group that is already there or
starts one of its own; groups are never joined with each other, so a loose reference cannot chain unrelated things
together. A record joins

1. the core entry that has its preferred name, if the kinds agree (one record of a vocabulary for each core entry);
   then, of any other group, the one whose first record is called the same. Namesakes go before all references, so that
   "Budd-Chiari syndrome" does not take the place of "hepatic vein thrombosis";
2. the one group that it refers to, or that refers to it. Where one side names several, a shared name must decide. A
   phenotype must always be called the same: MONDO refers from epilepsy to the phenotype seizure;
3. a group with the same CUI or the same MeSH id that has its preferred name;
4. a group of its kind whose preferred name is its own;
5. for a medicine that found nothing of these: the group that it is a salt or the plural of.

At the end a record that joined by a reference moves to the group that is called what it is called, if there is one by
then and it has room: HPO's "Depression" leaves the depressive disorder for MeSH's "Depression".
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator

from docgemma.terminology.building.groups import Group, spelled
from docgemma.terminology.building.weak import weak_names
from docgemma.terminology.contract import Concept
from docgemma.terminology.sources.core import CORE
from docgemma.terminology.sources.drugs import MORE_NAMES
from docgemma.terminology.sources.record import MESH, UMLS, Record

ORDER = (CORE, "MONDO", "DOID", "EFO", "HP", "MESH", "DRUGBANK", "MEDLINEPLUS", "DRUGS", "MESH supplementary", "HGNC")
ONLY_JOINS = frozenset({"ICD10CM", MORE_NAMES})
"""Vocabularies that lend ids and names but start no concept: their entries carry neither CUI nor SNOMED code."""
_SHARED = (UMLS, MESH)
_PHENOTYPES = "HP"
_SALTS = """acetate besylate bromide calcium chloride citrate dihydrochloride dimesylate disodium disoproxil etexilate
    fumarate hemifumarate hydrobromide hydrochloride maleate malate medoxomil mesylate methanesulfonate nitrate
    phosphate potassium sodium succinate sulfate tartrate tosylate trihydrate"""
SALTS = frozenset(_SALTS.split())
_SHORTEST_DRUG = 5


def merge(records: Iterable[Record]) -> list[Concept]:
    """The concepts, in the order of their first records."""
    merging = _merged(records)
    weak = weak_names(merging.groups)
    taken: dict[str, str] = {}
    return [group.concept(names, merging.preferred, taken) for group, names in zip(merging.groups, weak, strict=True)]


def grouped(records: Iterable[Record]) -> list[Group]:
    """What belongs together, in the order and with the content of `merge`'s concepts."""
    return _merged(records).groups


def _merged(records: Iterable[Record]) -> _Merging:
    sources: dict[str, list[Record]] = defaultdict(list)
    for record in records:
        sources[record.source].append(record)
    ranked = sorted(sources, key=lambda source: (source in ONLY_JOINS, _rank(source), source))
    merging = _Merging()
    for source in ranked:
        merging.take(sources[source])
    merging.gather()
    return merging


def _rank(source: str) -> int:
    return ORDER.index(source) if source in ORDER else len(ORDER)


class _Merging:
    def __init__(self) -> None:
        self.groups: list[Group] = []
        self.preferred: dict[tuple[str, str], str] = {}
        self._core: list[Group] = []
        self._by_id: dict[tuple[str, str], list[Group]] = defaultdict(list)
        self._by_preferred: dict[tuple[str, str], Group] = {}
        self._by_first: dict[tuple[str, str], Group] = {}

    def take(self, records: list[Record]) -> None:
        """One vocabulary. What fits exactly goes first, so that a salt does not take the place of its medicine."""
        claimed = self._claims(records)
        self._namesakes(records, claimed)
        for record in records:
            if record.id:
                self.preferred.setdefault((record.system, record.id), spelled(record.name))
            if id(record) in claimed:
                self._join(claimed[id(record)], record)
        left: list[Record] = []
        for record in records:
            group = None if id(record) in claimed else self._fitting(record)
            if group is not None:
                self._join(group, record)
            elif id(record) not in claimed and record.type is not None and record.source not in ONLY_JOINS:
                left.append(record)
        for record in left:
            group = self._loosely(record)
            if group is None:
                self._start(record)
            else:
                self._join(group, record)

    def _claims(self, records: list[Record]) -> dict[int, Group]:
        """For each core entry the record that has its name, else its first synonym, and so on."""
        named: dict[str, list[Record]] = defaultdict(list)
        for record in records:
            if record.source != CORE:
                named[spelled(record.name)].append(record)
        claimed: dict[int, Group] = {}
        for group in self._core:
            candidates = (record for name in group.records[0].names for record in named.get(spelled(name), ()))
            fitting = (record for record in candidates if _has_room(group, record) and _agrees(group, record))
            first = next((record for record in fitting if id(record) not in claimed), None)
            if first is not None:
                claimed[id(first)] = group
        return claimed

    def _namesakes(self, records: list[Record], claimed: dict[int, Group]) -> None:
        """Add to the claims the groups whose first record is called as a record is."""
        full = {id(group) for group in claimed.values()}
        for record in records:
            group = self._by_first.get((str(record.type), spelled(record.name))) if record.source != CORE else None
            if group is None or id(record) in claimed or id(group) in full or not _has_room(group, record):
                continue
            claimed[id(record)] = group
            if record.id:
                full.add(id(group))

    def gather(self) -> None:
        """Move records to their namesakes."""
        for group in self.groups:
            for record in group.records[1:]:
                key = spelled(record.name)
                other = self._by_first.get((group.type, key))
                if other is None or other is group or group.is_core or not _has_room(other, record):
                    continue
                if key != spelled(group.records[0].name):
                    group.records.remove(record)
                    group.keys = {key for held in group.records for key in map(spelled, held.names)}
                    other.add(record)

    def _fitting(self, record: Record) -> Group | None:
        if record.type is None or record.source == CORE:
            return None
        return self._referred(record) or self._sharing(record) or self._same_name(record)

    def _referred(self, record: Record) -> Group | None:
        """The group of a direct reference, in either direction."""
        toward = (group for ref in record.xrefs if ref[0] not in _SHARED for group in self._by_id.get(ref, ()))
        toward = (group for group in toward if any(held in group.own(system) for system, held in record.xrefs))
        back = self._by_id.get((record.system, record.id), []) if record.id else []
        linked = list({id(group): group for group in (*toward, *back)}.values())
        linked = [group for group in linked if _has_room(group, record)]
        if record.source == _PHENOTYPES:
            return _so_called(linked, record)
        if len(linked) == 1 and set(linked[0].referred(record.system)) <= {record.id}:
            return linked[0]
        return _so_called(linked, record) or _alike(linked, record)

    def _sharing(self, record: Record) -> Group | None:
        groups = [group for ref in record.xrefs if ref[0] in _SHARED for group in self._by_id.get(ref, ())]
        return _so_called([group for group in groups if _has_room(group, record)], record)

    def _same_name(self, record: Record) -> Group | None:
        return self._named(record, spelled(record.name))

    def _loosely(self, record: Record) -> Group | None:
        plain = plain_drug(record.name) if record.type == "Medication" and record.source != CORE else None
        return None if plain is None else self._named(record, plain)

    def _named(self, record: Record, key: str) -> Group | None:
        group = self._by_preferred.get((str(record.type), key))
        return group if group is not None and _has_room(group, record) else None

    def _start(self, record: Record) -> None:
        if record.type is None:
            return
        group = Group(record.type, [])
        self.groups.append(group)
        if record.source == CORE:
            self._core.append(group)
        self._by_first.setdefault((record.type, spelled(record.name)), group)
        self._join(group, record)

    def _join(self, group: Group, record: Record) -> None:
        group.add(record)
        for ref in _references(record):
            if all(known is not group for known in self._by_id[ref]):
                self._by_id[ref].append(group)
        key = spelled(record.name)
        if key:
            self._by_preferred.setdefault((group.type, key), group)


def _references(record: Record) -> Iterator[tuple[str, str]]:
    if record.id:
        yield record.system, record.id
    yield from record.xrefs


def _has_room(group: Group, record: Record) -> bool:
    """Two entries of one vocabulary are two things. One without a type may join any kind: only the core asks for it."""
    return record.type in (group.type, None) and not (record.id and group.own(record.system))


def _agrees(group: Group, record: Record) -> bool:
    """Whether a record may join a core entry: by the entry's very name, or by a synonym with no other CUI.

    A condition needs the very name: the core's "allergy" lists drug allergy, which the ontologies know better.
    """
    if spelled(group.records[0].name) == spelled(record.name):
        return True
    cuis = {ref for system, ref in record.xrefs if system == UMLS}
    return group.type != "Condition" and (not cuis or not cuis.isdisjoint(group.referred(UMLS)))


def _so_called(groups: list[Group], record: Record) -> Group | None:
    """The first group that has the record's preferred name."""
    own = spelled(record.name) if groups else ""
    return next((group for group in groups if own in group.keys), None)


def _alike(groups: list[Group], record: Record) -> Group | None:
    """The first group that has any of the record's names."""
    if not groups:
        return None
    names = set(map(spelled, record.synonyms)) - {""}
    return next((group for group in groups if not names.isdisjoint(group.keys)), None)


def plain_drug(name: str) -> str | None:
    """The spelling of the medicine without its salt or plural; nothing where the name has neither.

    MeSH files venlafaxine under "Venlafaxine Hydrochloride" and gentamicin under "Gentamicins".
    """
    words = name.casefold().split()
    kept = list(words)
    while len(kept) > 1 and kept[-1] in SALTS:
        kept.pop()
    if len(kept) == 1 and len(words) == 1 and kept[0].endswith("s") and not kept[0].endswith(("ss", "us", "is")):
        kept = [kept[0][:-1]]
    key = spelled(" ".join(kept))
    return key if kept != words and len(key) >= _SHORTEST_DRUG else None
