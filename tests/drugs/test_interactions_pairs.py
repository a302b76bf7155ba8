"""The shipped table of pairs, and the same thing taken twice."""

from __future__ import annotations

import pytest

from docgemma.drugs.interactions.duplicates import duplicates, shared_class
from docgemma.drugs.interactions.pairs import curated, graver, parsed
from docgemma.drugs.model import Drug
from tests.drugs.pairs_of import drug

HEAD = "# a comment\nid\tone\tother\tseverity\tmechanism\tmeaning\tbasis\n"


def test_a_pair_of_classes_serves_each_of_their_members() -> None:
    best = curated(drug("isosorbide mononitrate"), drug("Viagra"))[0]
    assert best.severity == "contraindicated"
    assert best.drugs == ("isosorbide mononitrate", "Viagra")
    assert best.statement is None
    assert "isosorbide mononitrate is an organic nitrate" in best.via
    assert "Viagra (sildenafil) is a PDE5 inhibitor" in best.via
    assert best.mechanism
    assert best.meaning
    assert best.basis


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("warfarin", "ibuprofen"),
        ("simvastatin", "clarithromycin"),
        ("atorvastatin", "gemfibrozil"),
        ("haloperidol", "amiodarone"),
        ("lisinopril", "spironolactone"),
        ("tramadol", "sertraline"),
        ("digoxin", "amiodarone"),
        ("methotrexate", "Bactrim"),
        ("morphine", "diazepam"),
        ("sildenafil", "riociguat"),
    ],
)
def test_what_nobody_may_overlook_is_in_the_table(one: str, other: str) -> None:
    assert curated(drug(one), drug(other))


@pytest.mark.parametrize(
    ("one", "other"), [("levothyroxine", "amoxicillin"), ("metformin", "acetaminophen"), ("zorbexol", "warfarin")]
)
def test_what_the_table_does_not_have_is_not_made_up(one: str, other: str) -> None:
    assert not curated(drug(one), drug(other))


def test_the_gravest_comes_first() -> None:
    order = ["contraindicated", "major", "moderate", "minor"]
    found = [order.index(each.severity or "") for each in curated(drug("clarithromycin"), drug("simvastatin"))]
    assert found == sorted(found)


def test_one_ingredient_with_itself_is_no_pair() -> None:
    assert not curated(drug("amiodarone"), Drug("Pacerone", ("amiodarone",)))
    assert curated(drug("amiodarone"), drug("sotalol"))


def test_the_graver_word_holds() -> None:
    assert graver("moderate", "contraindicated") == "contraindicated"
    assert graver(None, "minor") == "minor"
    assert graver(None, None) is None


def test_the_table_is_read_line_by_line() -> None:
    row = parsed(HEAD + "a-b\ta\t=b\tmajor\thow\twhat\twhy\n\n")[0]
    assert (row.one, row.other, row.severity, row.basis) == ("a", "=b", "major", "why")


@pytest.mark.parametrize("line", ["a-b\ta\tb\tgrave\thow\twhat\twhy", "a-b\ta\tb\tmajor"])
def test_a_row_that_does_not_fit_is_a_fault(line: str) -> None:
    with pytest.raises(ValueError, match="a-b"):
        parsed(HEAD + line)


@pytest.mark.parametrize(
    ("names", "sentences"),
    [
        (["Tylenol", "Percocet"], ("Tylenol and Percocet both contain acetaminophen.",)),
        (["acetaminophen", "Percocet", "Vicodin"], ("acetaminophen, Percocet and Vicodin all contain acetaminophen.",)),
        (["Coumadin", "warfarin"], ("Coumadin and warfarin both contain warfarin.",)),
        (["warfarin", "warfarin"], ("warfarin is named twice.",)),
        (["warfarin", "ibuprofen"], ()),
        ([], ()),
    ],
)
def test_an_ingredient_in_two_of_them_is_named(names: list[str], sentences: tuple[str, ...]) -> None:
    assert duplicates([drug(name) for name in names]) == sentences


def test_two_of_one_kind_share_the_narrowest_class() -> None:
    shared = shared_class(drug("ibuprofen"), drug("naproxen"))
    assert shared is not None
    assert shared.is_ == "an NSAID"


@pytest.mark.parametrize(("one", "other"), [("clarithromycin", "itraconazole"), ("haloperidol", "sotalol")])
def test_one_enzyme_or_effect_in_common_is_no_duplication(one: str, other: str) -> None:
    assert shared_class(drug(one), drug(other)) is None
