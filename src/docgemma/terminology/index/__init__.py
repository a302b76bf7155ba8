"""Concepts compiled into one SQLite file that is only read from then on."""
