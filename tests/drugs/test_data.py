"""The shipped tables are sound: every name is one that we know, every limit is in order, every row says its basis."""

from __future__ import annotations

from collections import Counter
from decimal import Decimal
from importlib.resources import files
from typing import get_args

import pytest

from docgemma.drugs.classes import classes, folded
from docgemma.drugs.interactions.pairs import rows as pairs
from docgemma.drugs.rules.outcome import UNREVIEWED, resting_on
from docgemma.drugs.rules.tables import Table, rows
from docgemma.entities.amounts.routes import parse_route
from docgemma.entities.amounts.units import canonical_unit
from docgemma.entities.drugs.table import table
from docgemma.entities.entries.allergens import ALLERGENS

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


def test_medicines_in_daily_use_are_mostly_in_a_class() -> None:
    daily = {part for name in table().common for part in table().names[name]}
    placed = {member for each in classes().values() for member in each.members}
    assert len(daily & placed) / len(daily) > 0.7


def test_every_side_of_a_pair_is_known_and_no_pair_is_told_twice() -> None:
    assert len(pairs()) > 400
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
