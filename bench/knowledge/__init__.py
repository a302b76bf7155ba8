"""How well the knowledge base finds what was asked for, and how fast."""
