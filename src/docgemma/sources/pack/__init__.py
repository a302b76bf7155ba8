"""Packs: dated, checksummed snapshots of drug labels on this machine, made from openFDA's bulk files."""
