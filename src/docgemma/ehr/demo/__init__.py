"""Fictional patients to try DocGemma with. Nobody here exists, and no clinician has reviewed these charts.

Every resource carries HL7's tag for test data (`HTEST`); every patient says so in its text, and every note in its first
line. The charts are written by hand, in our own words; what is random in the long one comes from a fixed seed. Names
repeat on purpose: a program that picks one of two people by name alone is meant to fail here.
"""

from __future__ import annotations

from docgemma.ehr.demo.generator import patients, resources
from docgemma.ehr.demo.loading import load, load_if_empty, present, remove, who

__all__ = ["load", "load_if_empty", "patients", "present", "remove", "resources", "who"]
