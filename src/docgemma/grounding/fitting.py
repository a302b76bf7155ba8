"""Whether the name that a concept was found by says what the words say, no less and no more.

A search forgives a word too many or too few, and rightly ranks "surgery" first for "valve surgery". As a code for a
patient it is another thing: a broader or a narrower concept is a proposal to an expert, whatever its confidence.
"""

from __future__ import annotations

from docgemma.terminology.names.stems import stems

BROADER = "The concept found is broader than the words: it leaves out what they add."
NARROWER = "The concept found is narrower than the words: it adds what they do not say."

_COURSE = (
    "active advanced baseline clinical clinically confirmed current documented existing inoperable known local locally "
    "metastatic mild moderate new newly ongoing persistent previous prior progressive recent recurrent refractory "
    "relapsed relapsing resectable severe significant stable symptomatic systemic uncontrolled unresectable untreated"
)
_KIND = (
    "agent count determination disease disorder drug gene human infection level measurement medication of procedure "
    "product result score serum plasma blood status syndrome test therapy treatment"
)
_SAYS_LITTLE = frozenset(stems(f"{_COURSE} {_KIND}"))
"""How bad, how long, how sure; and words for the kind of thing. They change no concept."""


def misfit(term: str, matched: str) -> str:
    """Why the name does not fit, or nothing. Other words for the same thing are the search's to judge.

    A terminology that does not say by which name it found a concept cannot be checked.
    """
    if not matched:
        return ""
    asked, found = set(stems(term)), set(stems(matched))
    if found < asked and asked - found - _SAYS_LITTLE:
        return BROADER
    if asked < found and found - asked - _SAYS_LITTLE:
        return NARROWER
    return ""
