"""Building a pack: what goes in, what stays out, and what is said about it."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from docgemma.errors import BadInput, Conflict, Unavailable
from docgemma.sources.pack.build import building
from docgemma.sources.pack.labels.build import build
from docgemma.sources.pack.manifest import places, read
from docgemma.store.snapshot import resumable
from tests.sources.pack_files import ask, built, database_of, part, shelf
from tests.support.labels import derived, record, set_id


def titles(labels: object) -> list[str]:
    return [label.title for label in getattr(labels, "labels", ())]


@pytest.mark.parametrize("names", [("a.json",), ("a.json.zip",), ("a.json.gz",), ("a.json", "b.json.zip", "c.json.gz")])
def test_the_way_a_file_is_packed_makes_no_difference(tmp_path: Path, names: tuple[str, ...]) -> None:
    records = shelf()
    plain = built(tmp_path / "plain" / "packs", records)
    share = len(records) // len(names)
    for number, name in enumerate(names):
        last = number == len(names) - 1
        part(tmp_path / "in" / name, records[number * share :] if last else records[number * share :][:share])
    made = build([tmp_path / "in"], tmp_path / "packs")
    assert made.manifest.database_sha256 == plain.manifest.database_sha256
    assert made.manifest.counts == plain.manifest.counts
    assert [fact.name for fact in made.manifest.parts] == list(names)


async def test_the_newest_version_of_a_label_is_kept_whatever_the_order(tmp_path: Path) -> None:
    old = record("alpha", warnings="The old text.", effective="20200101") | {"version": "2"}
    new = record("alpha", warnings="The new text.", effective="20200101") | {"version": "10"}
    for number, records in enumerate([[old, new], [new, old], [new, new, old, old]]):
        folder = tmp_path / str(number) / "packs"
        made = built(folder, records)
        found = await ask(folder, "alpha")
        assert found is not None
        assert [label.sections["warnings"] for label in found.labels] == [("The new text.",)]
        assert made.manifest.counts.replaced == len(records) - 1
        assert made.manifest.counts.dropped == 0


async def test_the_best_labels_of_a_drug_are_kept(tmp_path: Path) -> None:
    records = [
        record("alpha", brand="Old Original", original=True, effective="20110101"),
        record("alpha", brand="New Original", original=True, effective="20240101"),
        record("alpha", brand="Newest Copy", effective="20250101"),
        record("alpha", brand="Counter", original=True, effective="20260101", kind="HUMAN OTC DRUG"),
        record("alpha", brand="Silent", original=True, effective="20260101", indications_and_usage="For pain."),
        record("beta", brand="Alone", effective="19990101"),
    ]
    random.Random(1).shuffle(records)
    made = built(tmp_path / "packs", records, keep=3)
    found = await ask(tmp_path / "packs", "alpha")
    assert found is not None
    assert [label.brands[0] for label in found.labels] == ["New Original", "Old Original", "Newest Copy"]
    assert await ask(tmp_path / "packs", "beta") is not None
    counts = made.manifest.counts
    assert (counts.records, counts.kept, counts.dropped, counts.drugs) == (6, 4, 2, 2)
    everything = built(tmp_path / "all" / "packs", records, keep=0).manifest.counts
    assert (everything.kept, everything.dropped) == (6, 0)


async def test_a_gel_does_not_push_out_the_tablets(tmp_path: Path) -> None:
    def by(route: str, day: str) -> dict[str, object]:
        made = record("alpha", brand=f"{route} {day}", effective=day)
        made["openfda"]["route"] = [route]
        return made

    records = [by("TOPICAL", f"2025010{day}") for day in range(1, 8)] + [by("ORAL", "20010101")]
    built(tmp_path / "packs", records, keep=2)
    found = await ask(tmp_path / "packs", "alpha")
    assert found is not None
    assert {label.brands[0] for label in found.labels} == {"TOPICAL 20250107", "TOPICAL 20250106", "ORAL 20010101"}


async def test_the_name_of_a_label_that_was_left_out_leads_to_the_same_ingredients(tmp_path: Path) -> None:
    records = [record("alpha", brand=f"Brand{day}", effective=f"202401{day}") for day in range(10, 20)]
    built(tmp_path / "packs", [*records, record("beta", brand="Other")], keep=2)
    found = await ask(tmp_path / "packs", "brand10")
    assert found is not None
    assert [label.brands[0] for label in found.labels] == ["Brand19", "Brand18"]
    own = await ask(tmp_path / "packs", "Brand19")
    assert own is not None and [label.brands[0] for label in own.labels] == ["Brand19"]


async def test_a_label_that_changes_its_drug_leaves_no_gap(tmp_path: Path) -> None:
    """The only label kept of a drug turns out to be another drug's: the next best is there."""
    best = record("alpha", brand="Best", effective="20250101")
    moved = record("beta", brand="Best", effective="20250601") | {"version": "4"}
    built(tmp_path / "packs", [best, record("alpha", brand="Second", effective="20200101"), moved], keep=1)
    found = await ask(tmp_path / "packs", "alpha")
    assert found is not None and [label.brands[0] for label in found.labels] == ["Second"]


def test_records_that_are_no_labels_are_skipped_and_counted(tmp_path: Path) -> None:
    nameless = record("x", harmonised=False) | {"spl_product_data_elements": []}
    odd: list[object] = [1, "text", None, [], {}, {"set_id": 5}, {"set_id": ["  "]}, nameless, float("nan")]
    made = built(tmp_path / "packs", [*odd, *shelf(5), {"set_id": set_id("y"), "x": float("inf")}])
    counts = made.manifest.counts
    assert counts.kept == 5
    assert counts.skipped == {"not a record": 6, "no set id": 3, "no name": 1}
    assert counts.records == counts.kept + counts.dropped + counts.replaced + sum(counts.skipped.values())


async def test_a_section_of_the_wrong_type_makes_a_label_that_is_not_full(tmp_path: Path) -> None:
    built(tmp_path / "packs", [record("alpha") | {"drug_interactions": {"text": 5}}, record("beta")])
    found = await ask(tmp_path / "packs", "alpha")
    assert found is not None and not found.labels[0].full


def test_the_data_date_is_the_latest_of_the_parts(tmp_path: Path) -> None:
    part(tmp_path / "in" / "1.json", shelf(3), "2026-08-11")
    part(tmp_path / "in" / "2.json", shelf(3), "2026-08-12")
    made = build([tmp_path / "in"], tmp_path / "packs")
    assert made.place.name == "openfda-2026-08-12"
    assert made.manifest.data_date == "2026-08-12"


def test_parts_that_were_not_given_are_named(tmp_path: Path) -> None:
    for number in (1, 4):
        part(tmp_path / "in" / f"drug-label-000{number}-of-0004.json.zip", shelf(3))
    assert build([tmp_path / "in"], tmp_path / "packs").manifest.missing_parts == ("2 of 4", "3 of 4")


class TestAgain:
    def test_the_same_files_are_not_read_again(self, tmp_path: Path) -> None:
        first = built(tmp_path / "packs", shelf())
        again = build([tmp_path / "in" / "2026-08-11.json"], tmp_path / "packs")
        assert (again.start, again.manifest) == ("there_before", first.manifest)

    def test_another_choice_replaces_the_pack_of_the_same_date(self, tmp_path: Path) -> None:
        built(tmp_path / "packs", shelf())
        second = built(tmp_path / "packs", shelf(), keep=1)
        assert second.replaces == ("openfda-2026-08-11",)
        assert [place.name for place in places(tmp_path / "packs", "openfda")] == ["openfda-2026-08-11.2"]

    def test_a_pack_of_another_date_stays(self, tmp_path: Path) -> None:
        built(tmp_path / "packs", shelf())
        built(tmp_path / "packs", shelf(), updated="2026-09-01")
        assert [place.date for place in places(tmp_path / "packs", "openfda")] == ["2026-09-01", "2026-08-11"]

    def test_a_damaged_pack_is_built_again(self, tmp_path: Path) -> None:
        first = built(tmp_path / "packs", shelf())
        file = database_of(first)
        file.write_bytes(file.read_bytes()[:-1])
        again = build([tmp_path / "in" / "2026-08-11.json"], tmp_path / "packs")
        assert again.start == "new"
        assert again.manifest.database_sha256 == first.manifest.database_sha256
        assert [read(place) for place in places(tmp_path / "packs", "openfda")] == [again.manifest]

    def test_two_builds_at_once_do_not_mix(self, tmp_path: Path) -> None:
        work = tmp_path / "packs" / building("openfda")
        work.mkdir(parents=True)
        with resumable(work / "staging.sqlite", "pack"), pytest.raises(Conflict, match="another process"):
            built(tmp_path / "packs", shelf(3))

    def test_a_damaged_beginning_is_told_with_what_to_do(self, tmp_path: Path) -> None:
        work = tmp_path / "packs" / building("openfda")
        work.mkdir(parents=True)
        (work / "staging.sqlite").write_bytes(b"no database" * 100)
        with pytest.raises(Unavailable, match=r"Delete the folder \.building-openfda"):
            built(tmp_path / "packs", shelf(3))


def test_nothing_is_left_beside_the_pack(tmp_path: Path) -> None:
    made = built(tmp_path / "packs", shelf())
    assert [path.name for path in (tmp_path / "packs").iterdir()] == [made.place.name]
    assert sorted(path.name for path in made.place.folder.iterdir()) == ["labels.sqlite", "pack.json"]


def test_a_folder_without_parts(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(BadInput, match=r"no \.json"):
        build([tmp_path / "empty"], tmp_path / "packs")


async def test_real_labels_of_the_past(tmp_path: Path) -> None:
    names = ("cough", "haloperidol_legacy", "lipitor-orig", "lipitor-repack", "viagra")
    built(tmp_path / "packs", [derived(name) for name in names])
    folder = tmp_path / "packs"
    lipitor = await ask(folder, "Lipitor")
    assert lipitor is not None
    assert [label.effective for label in lipitor.labels] == ["2014-01-13", "2012-02-29"]
    assert lipitor.labels[0].full and "drug_interactions_table" in lipitor.labels[0].sections
    assert titles(await ask(folder, "haloperidol")) and titles(await ask(folder, "sildenafil citrate"))
    assert await ask(folder, "lactose monohydrate") is None
