"""Consult: answers from curated entries, with or without a model."""
