"""Fictional patients to try DocGemma with. Nobody here exists, and no clinician has reviewed these charts.

`charts.ndjson` holds the clinic, its doctor, then chart after chart, in the order in which one resource refers to the
other. Every resource carries HL7's tag for test data; every patient says so in its text, and every note in its first
line. Names repeat on purpose: two Maria Garcia, three James Wilson, and one name and birth date under two record
numbers, so that a program that picks one of two people by name alone fails here.
"""

from __future__ import annotations

from docgemma.ehr.demo.loading import load, load_if_empty, patients, present, remove, resources, who

__all__ = ["load", "load_if_empty", "patients", "present", "remove", "resources", "who"]
