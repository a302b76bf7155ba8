"""Doses, frequencies, routes, durations, and the error-prone ways of writing them."""
