"""A composed answer as the page lays it out: headings, entries and lines, every word kept."""

from __future__ import annotations

from docgemma.server.pages.answer import Block, as_blocks

FOUND = """[Clinical Trials]
Searched: gout. 2 trials are shown.
- NCT00000001: One trial (recruiting).
  It goes on in a second line.
- NCT00000002: Another trial.
There are more."""


def test_an_entry_that_goes_on_in_the_next_line_stays_one_entry() -> None:
    assert as_blocks(FOUND) == (
        Block("heading", ("Clinical Trials",)),
        Block("lines", ("Searched: gout. 2 trials are shown.",)),
        Block(
            "list",
            (
                "NCT00000001: One trial (recruiting).\nIt goes on in a second line.",
                "NCT00000002: Another trial.",
            ),
        ),
        Block("lines", ("There are more.",)),
    )


def test_numbered_articles_are_entries_and_keep_their_numbers() -> None:
    text = "1. First. PMID 1.\n   “It works.”\n2. Second. PMID 2."
    assert as_blocks(text) == (Block("list", ("1. First. PMID 1.\n“It works.”", "2. Second. PMID 2.")),)


def test_an_indented_line_without_an_entry_is_a_line() -> None:
    assert as_blocks("Read:\n  nothing") == (Block("part", ("Read",)), Block("lines", ("  nothing",)))
