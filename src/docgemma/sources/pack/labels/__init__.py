"""Packs of drug labels, made from openFDA's bulk files."""
