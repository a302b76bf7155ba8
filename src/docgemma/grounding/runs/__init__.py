"""Whole files of criteria: kept by content, gone on with after any end, written in the order of the input."""
