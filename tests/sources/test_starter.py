"""The starter pack: what a user finds in it, and what keeps its content sober."""

from __future__ import annotations

import json
import re
from importlib.resources import files

import pytest

from docgemma.entities.drugs.names import ingredients
from docgemma.sources.contract import Label, Labels, LabelSource
from docgemma.sources.starter import MARK, STARTER_DATE, STARTER_NAME, Medicine, StarterPack, medicines, read
from tests.support.tables import each_of

ENTRIES = list(medicines().values())

DOSE = re.compile(r"\d\s*(?:mg|mcg|µg|g|units?|iu|ml|tablets?|puffs?|drops?)\b(?!/min)", re.IGNORECASE)
FOREIGN = re.compile(
    r"https?:|www\.|\.(?:com|gov|org)\b"
    r"|[0-9a-f]{8}-[0-9a-f]{4}-"
    r"|\b(?:19|20)\d\d\b"
    r"|\b(?:RxCUI|CUI|SNOMED|ATC|NDC|LOINC|set id|setid)\b|§|\[see|\(\s*\d+\.\d+",
    re.IGNORECASE,
)
"""What would claim that a document was looked at: addresses, identifiers, years, a label's cross-references."""

TOGETHER = re.compile(r"(?:use|used|using|give|given|take|taken|together|combine|combined)\b(?! for\b)", re.IGNORECASE)

LINE = {
    "ingredient": "examplol",
    "brands": ["Examplex"],
    "class": "example",
    "boxed_warning": [],
    "contraindications": ["One."],
    "warnings": ["Two.", "Three."],
    "interactions": ["Four."],
    "renal": "",
    "pregnancy": "",
    "basis": "made up",
}


def sentences(entry: Medicine) -> list[str]:
    return [text for texts in entry.sections().values() for text in texts]


async def found(drug: str) -> Labels:
    labels = await StarterPack().labels(drug, ends_at=0.0)
    assert labels is not None, f"{drug} is not found"
    return labels


def said(label: Label, section: str) -> str:
    return " ".join(label.sections.get(section, ()))


def test_covers_what_is_commonly_prescribed() -> None:
    assert len(ENTRIES) >= 120


async def test_is_found_by_ingredient_brand_and_any_case() -> None:
    for name in ("warfarin", "Warfarin", "COUMADIN", " coumadin ", "warfarin sodium"):
        (label,) = (await found(name)).labels
        assert label.title == "warfarin (starter pack, demonstration)"
        assert "bleeding" in said(label, "boxed_warning")


async def test_every_medicine_is_found_by_its_name_and_brands() -> None:
    for entry in ENTRIES:
        for name in (entry.ingredient, *entry.brands):
            labels = (await found(name)).labels
            assert [set(label.substances) for label in labels] == [set(entry.parts)], name


async def test_an_answer_says_what_it_is() -> None:
    pack: LabelSource = StarterPack()
    labels = await found("dofetilide")
    assert pack.name == labels.source == STARTER_NAME
    assert (labels.origin, labels.demonstration, labels.data_date) == ("pack", True, STARTER_DATE)
    assert MARK == "not reviewed by a clinician"
    (label,) = labels.labels
    assert not label.full, "a short entry must never be read as a whole label"
    assert (label.effective, label.url, label.set_id) == (STARTER_DATE, None, "")


@pytest.mark.parametrize("name", ["", "qwertyzol", "warfrin", "warfarin and ibuprofen", "aspirin 100 mg", "x" * 5000])
async def test_what_it_does_not_know_is_no_answer(name: str) -> None:
    assert await StarterPack().labels(name, ends_at=0.0) is None


async def test_a_product_of_two_gives_a_label_for_each() -> None:
    titles = [label.title for label in (await found("aspirin and clopidogrel")).labels]
    assert titles == ["aspirin (starter pack, demonstration)", "clopidogrel (starter pack, demonstration)"]


async def test_a_combination_that_is_a_medicine_is_one_label_in_either_order() -> None:
    for name in ("Entresto", "sacubitril/valsartan", "valsartan and sacubitril"):
        (label,) = (await found(name)).labels
        assert label.substances == ("sacubitril", "valsartan")
        assert "ACE inhibitor" in said(label, "contraindications")
    (alone,) = (await found("valsartan")).labels
    assert alone.substances == ("valsartan",)


async def test_names_the_ingredients_it_knows_nothing_about() -> None:
    assert ingredients("Percocet") == ("oxycodone", "acetaminophen")
    assert {label.substances for label in (await found("Percocet")).labels} == {("oxycodone",), ("acetaminophen",)}
    assert ("butalbital",) not in medicines()
    labels = (await found("Fiorinal")).labels
    assert [label.title for label in labels] == [
        "aspirin (starter pack, demonstration; no entry for butalbital or caffeine)"
    ]


@pytest.mark.parametrize(
    ("drug", "section", "word"),
    [
        ("sildenafil", "contraindications", "organic nitrates"),
        ("isosorbide mononitrate", "contraindications", "PDE5"),
        ("dofetilide", "contraindications", "hydrochlorothiazide"),
        ("haloperidol", "interactions", "Lithium"),
        ("simvastatin", "contraindications", "CYP3A4 inhibitors"),
        ("metformin", "boxed_warning", "actic acidosis"),
        ("lisinopril", "boxed_warning", "pregnancy"),
        ("clopidogrel", "interactions", "Omeprazole"),
        ("Tylenol", "boxed_warning", "liver failure"),
        ("tramadol", "interactions", "SSRIs"),
    ],
)
async def test_says_what_nobody_may_overlook(drug: str, section: str, word: str) -> None:
    (label,) = (await found(drug)).labels
    assert word in said(label, section)


@each_of("entry", ENTRIES, ids=lambda entry: entry.ingredient)
def test_an_entry_is_spelled_as_the_dictionary_does(entry: Medicine) -> None:
    assert ingredients(entry.ingredient) == entry.parts
    for brand in entry.brands:
        assert set(ingredients(brand)) == set(entry.parts), f"{brand} is another drug, or unknown, to the dictionary"
        assert brand.lower() != entry.ingredient


@each_of("entry", ENTRIES, ids=lambda entry: entry.ingredient)
def test_sentences_are_whole_and_said_once(entry: Medicine) -> None:
    texts = sentences(entry)
    assert len({text.casefold() for text in texts}) == len(texts)
    for text in texts:
        assert text.endswith("."), text
        assert text[0].isupper() or text.startswith(("mTOR", "eGFR")), text
        assert "  " not in text


@each_of("entry", ENTRIES, ids=lambda entry: entry.ingredient)
def test_a_contraindication_read_alone_is_no_advice_to_combine(entry: Medicine) -> None:
    for text in entry.contraindications:
        assert not TOGETHER.match(text), text


@each_of("entry", ENTRIES, ids=lambda entry: entry.ingredient)
def test_an_entry_gives_no_doses_and_claims_no_document(entry: Medicine) -> None:
    for text in (*sentences(entry), entry.drug_class, entry.basis):
        assert not DOSE.search(text), text
        assert not FOREIGN.search(text), text
    assert "from memory" in entry.basis


def test_the_boxed_ones_say_so_in_their_basis() -> None:
    for entry in ENTRIES:
        claims = "boxed warning" in entry.basis
        assert not claims or entry.boxed_warning, f"{entry.ingredient} rests on a boxed warning that it does not have"


def test_files_are_lines_with_the_keys_in_order() -> None:
    folder = files("docgemma.sources.starter").joinpath("medicines")
    for path in folder.iterdir():
        for line in path.read_text(encoding="utf-8").splitlines():
            assert list(json.loads(line)) == list(LINE), path.name


def test_the_mark_stands_beside_the_content() -> None:
    text = files("docgemma.sources.starter").joinpath("ATTRIBUTION.md").read_text(encoding="utf-8")
    assert MARK in text.lower()


def test_reads_a_line() -> None:
    (entry,) = read([json.dumps(LINE)], "made_up.jsonl")
    assert entry.drug_class == "example"
    assert set(entry.sections()) == {"contraindications", "warnings", "interactions"}


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ({"warnings": ["Only one."]}, "warnings"),
        ({"contraindications": []}, "contraindications"),
        ({"interactions": ["x" * 201]}, "interactions"),
        ({"boxed_warning": "a string"}, "boxed_warning"),
        ({"renal": None}, "renal"),
        ({"dose": "much"}, "dose"),
        ({"brands": list("abcde")}, "brands"),
    ],
)
def test_a_line_of_another_shape_says_where(change: dict[str, object], word: str) -> None:
    with pytest.raises(ValueError, match=rf"^made_up\.jsonl, line 2: {word}"):
        read([json.dumps(LINE), json.dumps(LINE | change)], "made_up.jsonl")


def test_a_broken_line_says_where() -> None:
    with pytest.raises(ValueError, match=r"^made_up\.jsonl, line 1: the line: Invalid JSON"):
        read(["{"], "made_up.jsonl")
