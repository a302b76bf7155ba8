"""Packs: dated, checksummed snapshots on this machine of drug labels, articles and trials, made from bulk files."""
