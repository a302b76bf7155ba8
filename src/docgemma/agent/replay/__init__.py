"""What a turn was given is written down while it runs, so that the same turn can be run again later without asking."""
