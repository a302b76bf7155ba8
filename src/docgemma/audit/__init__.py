"""The chain of chart reads and writes: who, which patient, why, when."""
