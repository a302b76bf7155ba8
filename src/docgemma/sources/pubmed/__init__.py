"""PubMed by its E-utilities: articles for when Europe PMC fails or has none."""
