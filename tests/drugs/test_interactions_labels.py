"""Pairs that a search for the name in one section misses, in real labels of the past and in small ones of our own."""

from __future__ import annotations

import re

import pytest

from docgemma.drugs.interactions.find import find, find_in
from docgemma.drugs.interactions.mentions import read
from docgemma.sources.contract import Label
from tests.drugs.pairs_of import drug, quote
from tests.drugs.written import label, real

REAL = [
    ("viagra", "sildenafil", "nitroglycerin", "contraindications", "nitric oxide donors such as organic nitrates"),
    (
        "viagra",
        "sildenafil",
        "isosorbide mononitrate",
        "contraindications",
        "nitric oxide donors such as organic nitrates",
    ),
    ("viagra", "sildenafil", "riociguat", "contraindications", "using a GC stimulator, such as riociguat"),
    ("viagra", "sildenafil", "tamsulosin", "drug_interactions", "alpha blockers"),
    ("viagra", "sildenafil", "clarithromycin", "drug_interactions", "CYP3A4 inhibitors"),
    ("haloperidol_legacy", "haloperidol", "lithium", "warnings", "treated with lithium plus haloperidol"),
    ("haloperidol_legacy", "haloperidol", "rifampin", "precautions", "haloperidol and rifampin"),
    ("lipitor-orig", "atorvastatin", "clarithromycin", "drug_interactions", "Do not exceed 20 mg atorvastatin daily"),
    ("lipitor-orig", "atorvastatin", "gemfibrozil", "drug_interactions", "with gemfibrozil should be avoided"),
]


@pytest.mark.parametrize(("name", "one", "other", "field", "words"), REAL)
def test_is_found_in_the_label_of_one_side(name: str, one: str, other: str, field: str, words: str) -> None:
    best = find(drug(one), drug(other), [real(name)], [])[0]
    assert best.statement is not None
    assert best.statement.field == field
    assert words in best.statement.text


def test_the_class_is_named_where_the_drug_is_not() -> None:
    best = find(drug("sildenafil"), drug("isosorbide mononitrate"), [real("viagra")], [])[0]
    assert best.via == "isosorbide mononitrate is an organic nitrate"
    assert best.severity == "contraindicated"


def test_what_had_no_effect_says_so() -> None:
    found = find(drug("atorvastatin"), drug("warfarin"), [real("lipitor-orig")], [])
    assert found
    assert all(each.no_effect for each in found)
    assert all(each.severity is None for each in found)


@pytest.mark.parametrize("other", ["levothyroxine", "amoxicillin", "metformin", "gabapentin"])
def test_what_a_whole_label_does_not_name_is_not_found(other: str) -> None:
    assert not find(drug("sildenafil"), drug(other), [real("viagra")], [])


@pytest.mark.parametrize(
    ("name", "one"),
    [("viagra", "sildenafil"), ("lipitor-orig", "atorvastatin"), ("haloperidol_legacy", "haloperidol")],
)
def test_every_quote_stands_in_the_label(name: str, one: str) -> None:
    of = real(name)
    lines = read([of])
    whole = _letters(" ".join(text for texts in of.sections.values() for text in texts))
    quoted = 0
    for other in ("nitroglycerin", "clarithromycin", "rifampin", "lithium", "warfarin", "diazepam", "gemfibrozil"):
        for found in find_in(drug(one), drug(other), lines, ()):
            assert found.statement is not None
            assert found.statement.label is of
            if " — " not in found.statement.text:
                quoted += 1
                assert all(_letters(words) in whole for words in re.findall(r"[^()\[\]]{30,200}", found.statement.text))
    assert quoted


def _letters(text: str) -> str:
    """Without what a reference leaves behind when it is taken out: blanks and marks."""
    plain = re.sub(r"\[ ?see[^\]]*\]|\(see[^()]*\)|\( ?\d[\d., ]* ?\)", " ", text, flags=re.IGNORECASE)
    return "".join(character for character in plain.lower() if character.isalnum())


SMALL = label(
    about="sildenafil",
    contraindications="4 CONTRAINDICATIONS 4.1 Nitrates Patients who use nitric oxide donors such as organic nitrates "
    "in any form must not take it. It is contraindicated. 4.2 Stimulators Do not use with guanylate cyclase (GC) "
    "stimulators, such as riociguat.",
    drug_interactions="7 DRUG INTERACTIONS 7.1 Alpha-blockers Start low when the patient is on an alpha-blocker. 7.2 "
    "Enzymes CYP3A4 inhibitors (e.g., ketoconazole) raise exposure. Strong CYP3A4 inhibitors call for 25 mg.",
)
LEGACY = label(
    about="haloperidol",
    warnings="WARNINGS Use with Lithium Brain damage followed in a few patients treated with lithium plus haloperidol.",
    precautions="PRECAUTIONS In patients who were given rifampin as well, levels of haloperidol fell by 70%.",
)
TABLE = label(
    about="atorvastatin",
    drug_interactions="7 DRUG INTERACTIONS See the table.",
    drug_interactions_table="<table><thead><tr><th>Partner</th><th>What to do</th></tr></thead><tbody>"
    "<tr><td>Cyclosporine, gemfibrozil</td><td>Avoid</td></tr>"
    "<tr><td>Clarithromycin, itraconazole</td><td>Stay at 20 mg or less</td></tr></tbody></table>",
)


@pytest.mark.parametrize(
    ("of", "one", "other", "words"),
    [
        (SMALL, "sildenafil", "nitroglycerin", "organic nitrates"),
        (SMALL, "sildenafil", "isosorbide mononitrate", "organic nitrates"),
        (SMALL, "sildenafil", "riociguat", "such as riociguat"),
        (SMALL, "sildenafil", "tamsulosin", "alpha-blocker"),
        (SMALL, "sildenafil", "clarithromycin", "CYP3A4 inhibitors"),
        (SMALL, "sildenafil", "erythromycin", "CYP3A4 inhibitors (e.g., ketoconazole)"),
        (LEGACY, "haloperidol", "lithium", "lithium plus haloperidol"),
        (LEGACY, "haloperidol", "rifampicin", "given rifampin"),
        (TABLE, "atorvastatin", "clarithromycin", "Stay at 20 mg or less"),
        (TABLE, "atorvastatin", "gemfibrozil", "Avoid"),
    ],
)
def test_the_same_in_small(of: Label, one: str, other: str, words: str) -> None:
    assert words in quote(find(drug(one), drug(other), [of], [])[0])


def test_a_row_of_a_table_is_not_taken_for_its_neighbour() -> None:
    found = find(drug("atorvastatin"), drug("gemfibrozil"), [TABLE], [])
    assert not any("20 mg" in quote(each) for each in found)


def test_the_partner_s_label_serves_as_well() -> None:
    assert find(drug("riociguat"), drug("sildenafil"), [], [SMALL])
