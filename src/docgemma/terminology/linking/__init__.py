"""Mentions of concepts in running text."""
