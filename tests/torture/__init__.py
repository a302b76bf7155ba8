"""What happens to approved orders when processes die and networks lie. `python -m tests.torture` runs all of it."""
