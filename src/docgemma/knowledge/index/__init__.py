"""Where entries are found: word and meaning indexes, in versions that never change once they are made."""
