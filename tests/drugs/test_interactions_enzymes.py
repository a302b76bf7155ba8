"""Enzymes and transporters as labels write them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docgemma.drugs.interactions.enzymes import Role, fits, roles_in

STRONG, MODERATE, ANY = (Role("cyp3a4", "inhibitor", strength) for strength in ("strong", "moderate", ""))


@pytest.mark.parametrize(
    ("text", "roles"),
    [
        ("strong CYP3A4 inhibitors", {STRONG}),
        ("Strong Inhibitors of CYP 3A4", {STRONG}),
        ("potent inhibitors of cytochrome P450 3A4", {STRONG}),
        ("strong CYP3A inhibitors", {STRONG}),
        ("moderately potent CYP3A4 inhibitors", {MODERATE}),
        ("moderate or strong CYP3A4 inhibitors", {STRONG, MODERATE}),
        ("CYP3A4 inhibitors", {ANY}),
        ("P450 3A4 isoform inhibitors", {ANY}),
        ("cytochrome P450 (CYP) 3A4 inhibitors", {ANY}),
        ("drugs known to inhibit CYP3A4", {ANY}),
        ("inhibitors or inducers of CYP3A4", {ANY, Role("cyp3a4", "inducer")}),
        ("CYP3A4 inhibitors and inducers", {ANY, Role("cyp3a4", "inducer")}),
        ("strong CYP2D6 or moderate CYP3A4 inhibitors", {Role("cyp2d6", "inhibitor", "strong"), MODERATE}),
        ("P-gp and strong CYP3A4 inhibitors", {Role("p-gp", "inhibitor"), STRONG}),
        ("P-glycoprotein (P-gp) inducers", {Role("p-gp", "inducer")}),
        ("inhibitors of the OATP1B1 transporter", {Role("oatp1b1", "inhibitor")}),
        ("drugs that are metabolized by CYP2D6", {Role("cyp2d6", "substrate")}),
        ("CYP1A2 substrates", {Role("cyp1a2", "substrate")}),
        ("hepatic enzyme inducers", {Role("cyp", "inducer")}),
        ("Sildenafil is metabolized by CYP3A4", set()),
        ("Sildenafil inhibits CYP3A4", set()),
        ("proton pump inhibitors", set()),
        ("the liver enzymes rose", set()),
    ],
)
def test_a_role_is_read_in_any_wording(text: str, roles: set[Role]) -> None:
    assert {played.role for played in roles_in(text)} == roles


@pytest.mark.parametrize(
    ("said", "own", "expected"),
    [
        (STRONG, STRONG, True),
        (STRONG, MODERATE, False),
        (MODERATE, STRONG, False),
        (ANY, STRONG, True),
        (ANY, MODERATE, True),
        (STRONG, ANY, True),
        (Role("cyp", "inhibitor"), MODERATE, True),
        (Role("cyp", "inhibitor", "strong"), MODERATE, False),
        (Role("cyp", "inhibitor"), Role("cyp2d6", "inhibitor"), False),
        (ANY, Role("cyp3a4", "inducer"), False),
        (Role("cyp2d6", "inhibitor"), STRONG, False),
    ],
)
def test_a_strength_that_is_stated_has_to_be_the_drug_s(said: Role, own: Role, expected: bool) -> None:
    assert fits(said, own) is expected


WORDS = ("CYP3A4", "CYP", "2D6", "P-gp", "strong", "inhibitors", "of", "or", ",", "(", ")", "drugs that inhibit")


@given(st.lists(st.sampled_from(WORDS)))
def test_places_lie_in_the_text(words: list[str]) -> None:
    text = " ".join(words)
    for played in roles_in(text):
        assert 0 <= played.start < played.end <= len(text)
