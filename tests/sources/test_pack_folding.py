"""What is written differently and means the same meets in the index, and nothing else does."""

from __future__ import annotations

import sqlite3

from hypothesis import given, settings
from hypothesis import strategies as st

from docgemma.sources.pack.documents.search import folded
from tests.support.tables import each_of

SAME = [
    ("COVID-19", "covid19"),
    ("COVID‑19", "Covid 19"),
    ("IL-6", "IL6"),
    ("TNF-α", "TNF alpha"),
    ("TNFα", "tnf-alpha"),
    ("β2-microglobulin", "beta-2 microglobulin"),
    ("HbA1c", "HBA1C"),
    ("PD-L1", "pd l1"),
    ("Ménière", "Meniere"),
    ("Sjögren", "Sjogren"),
    ("anaemia", "anemia"),
    ("haemorrhage", "hemorrhage"),
    ("oesophageal", "esophageal"),
    ("tumour", "tumor"),
    ("behavioural", "behavioral"),
    ("randomised", "randomized"),
    ("hospitalisation", "hospitalization"),
    ("fibre", "fiber"),
    ("analysed", "analyzed"),
    ("sulphate", "sulfate"),
    ("Crohn’s disease", "Crohn's disease"),
    ("Parkinson's disease", "Parkinson disease"),
    ("Crohn's.", "Crohn"),
    ("ﬁbrosis", "fibrosis"),
    ("5 µg", "5 μg"),
]
DIFFERENT = [
    ("IL-6", "IL-16"),
    ("type 1", "type 2"),
    ("hypertension", "hypotension"),
    ("four", "for"),
    ("hour", "hor"),
    ("T3", "T4"),
    ("α", "β"),
    ("高血压", "低血压"),
]


@each_of(("one", "other"), SAME)
def test_both_spellings_are_one(one: str, other: str) -> None:
    assert folded(one) == folded(other)


@each_of(("one", "other"), DIFFERENT)
def test_what_differs_stays_apart(one: str, other: str) -> None:
    assert folded(one) != folded(other)


@settings(deadline=None, max_examples=60)
@given(st.text(max_size=80))
def test_any_text_becomes_words_that_every_sqlite_takes_apart_alike(text: str) -> None:
    words = folded(text).split()
    assert all(word.isascii() and word.isalnum() and word == word.lower() for word in words)
    if not words:
        return
    database = sqlite3.connect(":memory:")
    database.execute("CREATE VIRTUAL TABLE words USING fts5 (text, tokenize='porter ascii')")
    database.execute("INSERT INTO words VALUES (?)", (folded(text),))
    assert database.execute("SELECT 1 FROM words WHERE words MATCH ?", (f'"{folded(text)}"',)).fetchone()
    database.close()
