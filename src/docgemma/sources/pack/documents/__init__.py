"""Packs of articles and trials: whole records, and an index of their words."""
