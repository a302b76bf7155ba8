"""Registered trials: what is sought, and what a source gives."""
