"""Packs: how fast they are built and asked, how much memory that takes, and how large they are."""
