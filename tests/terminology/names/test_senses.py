"""Short forms of several senses: the text decides, or they stay open."""

from __future__ import annotations

import re

import pytest

from docgemma.terminology.names.senses import meant, senses, undecided


def _read(text: str, short: str) -> str | None:
    """The sense in which a text uses a short form: its long form, "-" for no entity, None where it stays open."""
    words = re.findall(r"[^\W_]+|%", text)
    place = words.index(short)
    low = [word.lower() for word in words]
    sense = meant(short, low[:place], low[place + 1 :])
    return None if sense is None else sense.long if sense.type else "-"


@pytest.mark.parametrize(
    ("text", "short", "long"),
    [
        ("PD treated with levodopa for a year", "PD", "Parkinson disease"),
        ("maintenance PD or haemodialysis", "PD", "peritoneal dialysis"),
        ("PD per RECIST on the last regimen", "PD", "-"),
        ("a history of PD", "PD", None),
        ("aPTT or PT > 1.5 x ULN", "PT", "prothrombin time"),
        ("PT sessions for back pain", "PT", "physical therapy"),
        ("ASA 100 mg daily", "ASA", "aspirin"),
        ("ASA class I or II", "ASA", "ASA physical status"),
        ("ALL in first remission", "ALL", "acute lymphoblastic leukemia"),
        ("ALL subjects must sign", "ALL", "-"),
        ("severe AS", "AS", "aortic stenosis"),
        ("AS for five years", "AS", "ankylosing spondylitis"),
        ("cirrhosis with SBP", "SBP", "spontaneous bacterial peritonitis"),
        ("SBP above 160 mmHg", "SBP", "systolic blood pressure"),
        ("AD", "AD", None),
    ],
)
def test_words_around_a_short_form_decide(text: str, short: str, long: str | None) -> None:
    assert _read(text, short) == long


def test_hints_at_two_senses_leave_it_open() -> None:
    assert _read("PD on levodopa and haemodialysis", "PD") is None


def test_names_the_form_that_stays_open_and_only_inside_the_span() -> None:
    text = "Diagnosis of AD or recurrent stroke"
    assert undecided(text, 13, 15) == "AD"
    assert undecided(text, 19, len(text)) is None


def test_every_listed_form_has_a_sense_that_is_an_entity_and_at_most_one_usual_one() -> None:
    from importlib import resources

    table = resources.files("docgemma.terminology.names").joinpath("senses.tsv").read_text("utf-8")
    for short in {line.split("\t")[0] for line in table.splitlines() if not line.startswith("#")}:
        listed = senses(short)
        assert len(listed) > 1, short
        assert any(sense.type for sense in listed), short
        assert sum(sense.usual for sense in listed) <= 1, short
