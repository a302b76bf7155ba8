"""Entities of a criterion by rules: the index's mentions joined with what no index lists."""
