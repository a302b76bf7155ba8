"""Linking measured on real mentions: our search beside what else there is, over the same names."""
