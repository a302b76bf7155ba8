"""Which of many labels is read first."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from docgemma.drugs.labels.composition import composition
from docgemma.drugs.labels.ranking import about, ranked
from docgemma.sources.contract import Label
from tests.drugs.written import real

RX, OTC = "HUMAN PRESCRIPTION DRUG", "HUMAN OTC DRUG"


def product(name: str, *substances: str, **facts: Any) -> Label:
    made = {"product_type": RX, "effective": "2020-01-01", "sections": {"warnings": ("Take care.",)}, **facts}
    return Label(title=name, brands=(name,), substances=substances, **made)


def order(labels: list[Label], ingredients: tuple[str, ...], asked: str, *, otc: bool = False) -> list[str]:
    """The titles as ranked; the same whatever order they came in."""
    ways = {
        tuple(label.title for label in ranked(way, ingredients, asked, otc=otc))
        for way in itertools.permutations(labels)
    }
    assert len(ways) == 1
    return list(ways.pop())


def test_a_drug_alone_comes_before_a_combination() -> None:
    labels = [product("Both", "ATORVASTATIN", "AMLODIPINE"), product("Alone", "ATORVASTATIN CALCIUM", effective="2010")]
    assert order(labels, ("atorvastatin",), "atorvastatin") == ["Alone", "Both"]


def test_the_combination_comes_first_when_it_is_asked_for() -> None:
    labels = [
        product("Both", "SACUBITRIL", "VALSARTAN"),
        product("Alone", "VALSARTAN"),
        product("Three", "SACUBITRIL", "VALSARTAN", "AMLODIPINE"),
    ]
    assert order(labels, ("sacubitril", "valsartan"), "sacubitril and valsartan") == ["Both", "Three", "Alone"]


def test_another_drug_is_left_out() -> None:
    """A search for two words has brought labels of neither."""
    labels = [product("Other", "OFLOXACIN"), product("Right", "OBETICHOLIC ACID")]
    assert order(labels, ("obeticholic acid",), "obeticholic acid") == ["Right"]


@pytest.mark.parametrize(
    ("written", "made_of"),
    [
        (("ATORVASTATIN CALCIUM TRIHYDRATE",), {"atorvastatin"}),
        (("SILDENAFIL CITRATE",), {"sildenafil"}),
        (("DIPHENHYDRAMINE HCL, PHENYLEPHRINE HCL",), {"diphenhydramine", "phenylephrine"}),
        (("METOPROLOL SUCCINATE", "METOPROLOL TARTRATE"), {"metoprolol"}),
        (("UNKNOWNIUM SODIUM",), {"unknownium"}),
        (("ISOSORBIDE MONONITRATE",), {"isosorbide mononitrate"}),
    ],
)
def test_salts_are_one_drug(written: tuple[str, ...], made_of: set[str]) -> None:
    assert composition(Label("x", {}, generics=written)) == made_of


def test_a_salt_that_is_a_drug_of_its_own_stays_one() -> None:
    assert composition(Label("x", {}, substances=("POTASSIUM CHLORIDE",))) != {"potassium"}
    assert not about(Label("x", {}, substances=("SODIUM CHLORIDE",)), ("potassium chloride",))


def test_a_label_without_names_is_known_by_its_title_and_product_data() -> None:
    bare = Label("Heart Pills", {"spl_product_data_elements": ("Heart Pills Digoxin DIGOXIN LACTOSE",)})
    assert about(bare, ("digoxin",))
    assert not about(bare, ("warfarin",))
    assert order([bare, product("Named", "DIGOXIN")], ("digoxin",), "digoxin") == ["Named", "Heart Pills"]


def test_a_drug_that_no_dictionary_has_is_found_by_its_name() -> None:
    assert order([product("Newdrugol", "NEWDRUGOL"), product("Other", "WARFARIN")], (), "newdrugol") == ["Newdrugol"]


def test_prescription_comes_first_unless_the_other_is_asked_for() -> None:
    labels = [product("Shelf", "IBUPROFEN", product_type=OTC, original=True), product("Rx", "IBUPROFEN")]
    assert order(labels, ("ibuprofen",), "ibuprofen") == ["Rx", "Shelf"]
    assert order(labels, ("ibuprofen",), "ibuprofen", otc=True) == ["Shelf", "Rx"]


def test_a_label_that_does_not_say_is_told_by_its_sections() -> None:
    shelf = product("Shelf", "IBUPROFEN", product_type="", sections={"do_not_use": ("Not with ulcers.",)})
    assert order([shelf, product("Rx", "IBUPROFEN")], ("ibuprofen",), "ibuprofen") == ["Rx", "Shelf"]


def test_the_maker_then_the_newest_then_the_most_complete() -> None:
    more = {"warnings": ("Take care.",), "precautions": ("More care.",)}
    labels = [
        product("Repacked", "WARFARIN", manufacturer="Example Repackaging", effective="2024-05-01"),
        product("Old", "WARFARIN", effective="2015-05-01"),
        product("Newest", "WARFARIN", effective="2022-05-01"),
        product("Newest and longer", "WARFARIN", effective="2022-05-01", sections=more),
        product("Maker", "WARFARIN", original=True, effective="2012-05-01"),
        product("Undated", "WARFARIN", effective=None),
    ]
    assert order(labels, ("warfarin",), "warfarin") == [
        "Maker",
        "Newest and longer",
        "Newest",
        "Old",
        "Undated",
        "Repacked",
    ]


def test_the_asked_brand_comes_before_another_of_the_same_drug() -> None:
    labels = [product("Revatio", "SILDENAFIL", original=True), product("Viagra", "SILDENAFIL")]
    assert order(labels, ("sildenafil",), "viagra") == ["Viagra", "Revatio"]


def test_a_full_label_comes_before_a_demonstration_entry() -> None:
    labels = [product("Entry", "WARFARIN", full=False, original=True), product("Label", "WARFARIN", effective=None)]
    assert order(labels, ("warfarin",), "warfarin") == ["Label", "Entry"]


@pytest.mark.parametrize("name", ["Homeopathic Arnica 30C", "Pain Relief Kit", "Belladonna HPUS", "Cosmetic Cream"])
def test_what_is_hardly_a_medicine_comes_last(name: str) -> None:
    labels = [product(name, "LIDOCAINE"), product("Both", "LIDOCAINE", "PRILOCAINE", effective="2001-01-01")]
    assert order(labels, ("lidocaine",), "lidocaine") == ["Both", name]


def test_the_maker_of_a_real_drug_comes_before_its_repackager() -> None:
    labels = [real(name) for name in ("cough", "lipitor-repack", "haloperidol_legacy", "lipitor-orig")]
    found = ranked(labels, ("atorvastatin",), "atorvastatin")
    assert [label.manufacturer for label in found] == ["Parke-Davis Div of Pfizer Inc", "PD-Rx Pharmaceuticals, Inc."]
