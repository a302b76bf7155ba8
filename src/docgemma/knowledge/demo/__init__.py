"""Demonstration entries: in our own words, reviewed by nobody, and marked so wherever they are shown."""
