"""Trials from ClinicalTrials.gov, version 2 of its interface."""
