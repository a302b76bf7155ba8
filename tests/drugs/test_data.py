"""The shipped tables are sound: every name is one that we know, every limit is in order, every row says its basis."""

from __future__ import annotations

from collections import Counter
from decimal import Decimal
from importlib.resources import files
from typing import get_args

import pytest

from docgemma.drugs.classes import classes, classes_of, folded, named_in
from docgemma.drugs.interactions.pairs import SEVERITIES, curated
from docgemma.drugs.interactions.pairs import rows as pairs
from docgemma.drugs.model import Drug
from docgemma.drugs.rules.outcome import UNREVIEWED, resting_on
from docgemma.drugs.rules.pregnancy import check_pregnancy
from docgemma.drugs.rules.tables import Table, rows
from docgemma.entities.amounts.routes import parse_route
from docgemma.entities.amounts.units import canonical_unit
from docgemma.entities.drugs.table import table
from docgemma.entities.substances import ALLERGENS
from docgemma.sources.starter import medicines

INGREDIENTS = frozenset(part for parts in table().names.values() for part in parts)
BY_DRUG: tuple[Table, ...] = ("renal", "age", "pregnancy", "weekly", "doses", "weight", "routes")
LONGEST_MECHANISM, LONGEST_MEANING, LONGEST_NOTE = 120, 200, 160


def _is_known(side: str) -> bool:
    if side.startswith("="):
        return side[1:] in INGREDIENTS
    return side[1:] in ALLERGENS if side.startswith("~") else side in classes()


def test_every_member_of_a_class_is_an_ingredient() -> None:
    strangers = {(each.id, name) for each in classes().values() for name in each.members if name not in INGREDIENTS}
    assert not strangers


def test_a_class_has_members_words_and_an_article() -> None:
    for each in classes().values():
        assert each.members and each.words and each.basis, each.id
        assert len({folded(word) for word in each.words}) == len(each.words), each.id


@pytest.mark.parametrize("cut_short", ["era", "ion", "agent", "drug", "medicine", "treatment", "therapy", "inhibitor"])
def test_no_class_is_written_like_an_everyday_word(cut_short: str) -> None:
    assert cut_short not in {word.lower() for each in classes().values() for word in each.words}


def test_medicines_in_daily_use_are_in_a_class() -> None:
    daily = {part for name in table().common for part in table().names[name]}
    without = {name for name in daily if not classes_of(name)}
    assert not without, "Of these an interaction check never says none: add a class."
    assert len(daily) > 850


def test_every_medicine_of_the_starter_pack_is_in_a_class() -> None:
    assert not [part for parts in medicines() for part in parts if not classes_of(part)]


@pytest.mark.parametrize(
    ("narrow", "wide"),
    [
        ("opioid", "cns_depressant"),
        ("benzodiazepine", "cns_depressant"),
        ("ssri", "serotonergic"),
        ("ssri", "bleeding_risk"),
        ("nsaid", "bleeding_risk"),
        ("doac", "anticoagulant"),
        ("anticoagulant", "bleeding_risk"),
        ("ace_inhibitor", "antihypertensive"),
        ("ace_inhibitor", "raises_potassium"),
        ("thiazide", "diuretic"),
        ("loop_diuretic", "lowers_potassium"),
        ("macrolide", "antibacterial"),
        ("penicillin_group", "beta_lactam"),
        ("beta_lactam", "antibacterial"),
        ("azole", "antifungal"),
        ("herpes_antiviral", "antiviral"),
        ("statin", "lipid_lowering"),
        ("insulin_group", "glucose_lowering"),
        ("sulfonylurea", "glucose_lowering"),
        ("classic_maoi", "maoi"),
        ("maob_inhibitor", "maoi"),
        ("other_purpose_maoi", "maoi"),
        ("calcineurin_inhibitor", "immunosuppressant"),
        ("platinum", "cytotoxic"),
        ("strong_cyp3a4_inhibitor", "cyp3a4_inhibitor"),
        ("moderate_cyp3a4_inducer", "cyp3a4_inducer"),
        ("oral_cation", "polyvalent_cation"),
        ("oral_iron", "oral_cation"),
    ],
)
def test_who_is_in_a_narrow_class_is_in_the_wide_one(narrow: str, wide: str) -> None:
    assert not classes()[narrow].members - classes()[wide].members


@pytest.mark.parametrize(
    ("text", "member"),
    [
        ("antibiotics", "doxycycline"),
        ("anti-infective agents", "fluconazole"),
        ("antiviral drugs", "oseltamivir"),
        ("phosphodiesterase inhibitors", "cilostazol"),
        ("organic nitrites", "nitroglycerin"),
        ("beta-adrenergic receptor blocking agents", "atenolol"),
        ("alpha-1-adrenergic blockers", "prazosin"),
        ("steroids", "prednisone"),
        ("anesthetics", "propofol"),
        ("psychotropic medications", "lithium"),
        ("lipid-lowering drugs", "ezetimibe"),
        ("catecholamines", "norepinephrine"),
        ("bronchodilators", "salmeterol"),
        ("blood pressure medicines", "amlodipine"),
        ("drugs that lower blood pressure", "lisinopril"),
        ("drugs affecting serotonin", "sertraline"),
        ("drugs that raise potassium", "spironolactone"),
        ("blood thinners", "clopidogrel"),
        ("water pills", "furosemide"),
        ("heart medicines", "digoxin"),
        ("MAO-A inhibitors", "moclobemide"),
        ("oral hypoglycemics", "metformin"),
        ("birth control pills", "norethindrone"),
        ("combination hormonal contraceptives", "ethinyl estradiol"),
        ("enzyme-inducing antiepileptics", "phenytoin"),
        ("tranquilizers", "chlorpromazine"),
        ("central nervous system (CNS) depressants", "zolpidem"),
        ("medicines that affect heart rhythm", "amiodarone"),
        ("laxatives", "lactulose"),
        ("vaccines", "influenza vaccine"),
        ("herbal products", "ginkgo biloba"),
    ],
)
def test_what_labels_call_a_class_is_among_its_words(text: str, member: str) -> None:
    assert {each.id for each in classes_of(member)} & {id_ for found in named_in(text) for id_ in found.ids}


def _severity(one: str, other: str) -> str:
    found = curated(Drug(one, (one,)), Drug(other, (other,)))
    return str(found[0].severity) if found else ""


@pytest.mark.parametrize(
    ("one", "other", "severity"),
    [
        ("phenelzine", "sertraline", "contraindicated"),
        ("phenelzine", "meperidine", "contraindicated"),
        ("tranylcypromine", "pseudoephedrine", "contraindicated"),
        ("rasagiline", "tramadol", "contraindicated"),
        ("rasagiline", "sertraline", "major"),
        ("linezolid", "fentanyl", "major"),
        ("ramelteon", "fluvoxamine", "contraindicated"),
        ("tizanidine", "ciprofloxacin", "contraindicated"),
        ("febuxostat", "mercaptopurine", "contraindicated"),
        ("allopurinol", "azathioprine", "major"),
        ("atazanavir", "omeprazole", "major"),
        ("simvastatin", "darunavir", "contraindicated"),
        ("ergotamine", "ritonavir", "contraindicated"),
        ("triazolam", "itraconazole", "contraindicated"),
        ("alprazolam", "ritonavir", "major"),
        ("irinotecan", "ketoconazole", "major"),
        ("apixaban", "rifampin", "major"),
        ("fentanyl", "clarithromycin", "major"),
        ("methadone", "rifampin", "major"),
        ("estradiol", "tranexamic acid", "major"),
        ("ethinyl estradiol", "tranexamic acid", "contraindicated"),
        ("live shingles vaccine", "methotrexate", "contraindicated"),
        ("bosentan", "glyburide", "contraindicated"),
        ("cisapride", "erythromycin", "contraindicated"),
        ("citalopram", "ondansetron", "major"),
        ("trimethoprim", "spironolactone", "major"),
        ("valproate", "meropenem", "major"),
        ("nirmatrelvir", "carbamazepine", "contraindicated"),
        ("fingolimod", "metoprolol", "major"),
    ],
)
def test_a_pair_of_high_priority_is_as_grave_as_that(one: str, other: str, severity: str) -> None:
    assert _severity(one, other) == severity


@pytest.mark.parametrize(
    ("one", "other", "at_most"),
    [
        ("levodopa", "rasagiline", "minor"),
        ("levodopa", "domperidone", ""),
        ("levodopa", "pimavanserin", ""),
        ("doxycycline", "adapalene", ""),
        ("ceftriaxone", "calcium carbonate", ""),
        ("zoledronic acid", "calcium carbonate", ""),
        ("dolutegravir", "magnesium sulfate", ""),
        ("dolutegravir", "calcium gluconate", ""),
        ("iron sucrose", "omeprazole", ""),
        ("medroxyprogesterone", "tranexamic acid", ""),
        ("pimecrolimus", "clarithromycin", ""),
        ("thioguanine", "allopurinol", ""),
        ("potassium chloride", "tiotropium", ""),
        ("ivabradine", "citalopram", "moderate"),
        ("voriconazole", "phenytoin", "major"),
    ],
)
def test_a_class_is_no_wider_than_what_happens(one: str, other: str, at_most: str) -> None:
    order = ["", *reversed(SEVERITIES)]
    assert order.index(_severity(one, other)) <= order.index(at_most)


def test_a_multivitamin_is_not_stopped_in_pregnancy() -> None:
    assert check_pregnancy("multivitamin", True).outcome == "passed"
    assert check_pregnancy("vitamin a", True).outcome == "hard_stop"


def test_every_side_of_a_pair_is_known_and_no_pair_is_told_twice() -> None:
    assert len(pairs()) > 700
    assert not [row.id for row in pairs() if not (_is_known(row.one) and _is_known(row.other))]
    assert not [
        pair for pair, count in Counter(frozenset((row.one, row.other)) for row in pairs()).items() if count > 1
    ]
    assert not [id_ for id_, count in Counter(row.id for row in pairs()).items() if count > 1]


def test_a_pair_says_why_and_what_to_do_in_few_words() -> None:
    for row in pairs():
        assert 0 < len(row.mechanism) <= LONGEST_MECHANISM and 0 < len(row.meaning) <= LONGEST_MEANING, row.id
        assert row.meaning.endswith(".") and row.basis, row.id


@pytest.mark.parametrize("name", get_args(Table))
def test_every_row_of_a_rule_rests_on_something(name: Table) -> None:
    for row in rows(name):
        assert row["basis"], row
        assert len(row.get("note", "")) <= LONGEST_NOTE, row


@pytest.mark.parametrize("name", BY_DRUG)
def test_every_rule_is_about_a_known_drug(name: Table) -> None:
    assert not [row["drug"] for row in rows(name) if not _is_known(row["drug"])]


@pytest.mark.parametrize("name", ["renal", "age", "pregnancy", "routes"])
def test_a_drug_has_one_rule_of_a_kind(name: Table) -> None:
    assert not [drug for drug, count in Counter(row["drug"] for row in rows(name)).items() if count > 1]


def test_dose_limits_are_in_order() -> None:
    assert len(rows("doses")) >= 120
    for row in rows("doses"):
        limits = [Decimal(row[key]) for key in ("min_single", "usual_single", "max_single", "max_daily") if row[key]]
        assert limits == sorted(limits) and limits[0] > 0, row
        assert canonical_unit(row["unit"]) == row["unit"], row
        assert not row["route"] or parse_route(row["route"]) == row["route"], row
    keys = Counter((row["drug"], row["route"], row["unit"]) for row in rows("doses"))
    assert max(keys.values()) == 1


def test_limits_of_kidney_and_age_are_in_order() -> None:
    for row in rows("renal"):
        assert row["measure"] in ("egfr", "crcl"), row
        stop, adjust = row["stop_below"], row["adjust_below"]
        assert not (stop and adjust) or Decimal(stop) < Decimal(adjust), row
    for row in rows("age"):
        limits = [Decimal(row[key]) for key in ("stop_below", "warn_below", "warn_from") if row[key]]
        assert limits == sorted(limits), row


def test_closed_sets_are_closed() -> None:
    assert {row["level"] for row in rows("pregnancy")} == {"stop", "warn", "ok"}
    assert {row["who"] for row in rows("weight")} <= {"children", "adults", "all"}
    assert {row["outcome"] for row in rows("cross_reactivity")} == {"hard_stop", "warning"}
    for row in rows("routes"):
        assert all(parse_route(way) == way for way in row["never"].split(",")), row
    for row in rows("weekly"):
        assert int(row["days"]) > 1 and bool(row["from_amount"]) == bool(row["unit"]), row
    for row in rows("weight"):
        limits = [Decimal(row[key]) for key in ("min_per_kg", "max_per_kg", "max_per_kg_day") if row[key]]
        assert limits == sorted(limits), row


def test_cross_reactions_name_what_exists() -> None:
    sides = {side for row in rows("cross_reactivity") for side in f"{row['of']},{row['to']}".split(",")}
    assert not [side for side in sides if not _is_known(side)]


def test_every_table_says_that_nobody_reviewed_it() -> None:
    folder = files("docgemma.drugs").joinpath("data")
    for file in folder.iterdir():
        if file.name.endswith(".tsv"):
            assert "not reviewed by a clinician" in file.read_text(encoding="utf-8").split("\n", 1)[0], file.name
    assert UNREVIEWED in resting_on("anything") and UNREVIEWED in resting_on("")
