"""Files of a curated knowledge base, read row by row: each becomes an entry, or a problem that says what to mend."""
