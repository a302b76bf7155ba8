"""What a model writes from findings: how much of them, how much beside them, and whether it admits what is missing."""
