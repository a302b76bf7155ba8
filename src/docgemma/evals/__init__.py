"""How well turns are understood: cases, a fictional clinic to run them in, scorers that are plain functions."""
