"""Attacks on the whole agent: what it must never do, whatever a source, a picture or a user says."""
