"""Classes: who belongs to them, and how labels write them."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from docgemma.drugs.classes import classes, classes_of, memberships, named_in, parsed, told_classes, words_of
from docgemma.drugs.model import Drug

HEAD = "# a comment\nid\tkind\tis\twords\tmembers\tbasis\n"


def _named(text: str) -> set[str]:
    return {id_ for found in named_in(text) for id_ in found.ids}


def test_an_ingredient_has_its_classes() -> None:
    assert "an organic nitrate" in [each.is_ for each in classes_of("nitroglycerin")]
    assert classes_of("zorbexol") == ()


@pytest.mark.parametrize(
    ("text", "member"),
    [
        ("Organic nitrates in any form", "nitroglycerin"),
        ("NITRIC OXIDE DONORS", "nitroglycerin"),
        ("alpha-blockers", "tamsulosin"),
        ("alpha blocker therapy", "tamsulosin"),
        ("anti-hypertensives", "lisinopril"),
        ("antihypertensive agents", "lisinopril"),
        ("non-steroidal anti-inflammatory drugs", "ibuprofen"),
        ("nonsteroidal antiinflammatory agents", "ibuprofen"),
        ("SSRIs", "fluoxetine"),
        ("MAOIs", "phenelzine"),
        ("PPIs", "omeprazole"),
        ("selective serotonin re-uptake inhibitors", "fluoxetine"),
        ("monoamine oxidase (MAO) inhibitors", "phenelzine"),
        ("phosphodiesterase-5 (PDE-5) inhibitors", "sildenafil"),
        ("guanylate cyclase (GC) stimulators", "riociguat"),
        ("drugs known to prolong QT", "sotalol"),
        ("agents which may prolong the QT interval", "sotalol"),
        ("medications that prolong the QTc interval", "sotalol"),
        ("HMG CoA reductase inhibitors", "atorvastatin"),
        ("angiotensin-converting-enzyme inhibitors", "lisinopril"),
        ("digitalis", "digoxin"),
    ],
)
def test_a_class_is_recognised_however_it_is_written(text: str, member: str) -> None:
    assert {each.id for each in classes_of(member)} & _named(text)


@pytest.mark.parametrize(
    ("text", "member"),
    [
        ("potassium-sparing diuretics", "furosemide"),
        ("if you have high blood pressure", "lisinopril"),
        ("statins", "ibuprofen"),
        ("nitrate, organic", "warfarin"),
        ("nitric oxide. Donors are", "nitroglycerin"),
        ("calcium channel blockers", "calcium carbonate"),
    ],
)
def test_another_is_not(text: str, member: str) -> None:
    assert not {each.id for each in classes_of(member)} & _named(text)


def test_the_place_is_that_of_the_words() -> None:
    text = "Avoid organic nitrates (any)."
    assert [text[each.start : each.end] for each in named_in(text)] == ["organic nitrates"]


def test_names_from_a_service_join_the_table() -> None:
    zorbexol = Drug("zorbexol", ("zorbexol",), classes=("Phosphodiesterase 5 Inhibitor [EPC]",))
    assert "a PDE5 inhibitor" in [classes()[id_].is_ for id_ in memberships(zorbexol)]


@pytest.mark.parametrize(
    "name", ["Drugs", "Enzyme Inhibitors", "Chemical Ingredients", "Benzodiazepines [CS]", "Increased Pressure [PE]"]
)
def test_names_that_fit_anything_do_not(name: str) -> None:
    assert told_classes(Drug("zorbexol", ("zorbexol",), classes=(name,))) == ()


def test_chemistry_makes_no_benzodiazepine_of_a_drug_that_the_table_knows() -> None:
    olanzapine = Drug("olanzapine", ("olanzapine",), classes=("Benzodiazepines",))
    assert memberships(olanzapine) == memberships(Drug("olanzapine", ("olanzapine",)))


@pytest.mark.parametrize("line", ["x\teffect\ta thing\tthing\twarfarin", "x\tgreat\ta thing\tthing\twarfarin\twhy"])
def test_a_row_that_does_not_fit_is_a_fault(line: str) -> None:
    with pytest.raises(ValueError, match="x"):
        parsed(HEAD + line)


def test_a_row_is_read() -> None:
    row = parsed(HEAD + "x\teffect\ta thing\tthing|odd thing\twarfarin, aspirin\twhy")[0]
    assert (row.kind, row.words, row.members) == ("effect", ("thing", "odd thing"), {"warfarin", "aspirin"})


@settings(deadline=None)
@given(st.text(max_size=300))
def test_places_lie_in_any_text(text: str) -> None:
    end = 0
    for found in named_in(text):
        assert end <= found.start < found.end <= len(text)
        end = found.end


@given(st.lists(st.text("abc -(){}", max_size=8), max_size=5), st.text("abc -()", max_size=60))
def test_so_do_those_of_any_names(names: list[str], text: str) -> None:
    for found in named_in(text, words_of((name, name) for name in names)):
        assert text[found.start : found.end]
