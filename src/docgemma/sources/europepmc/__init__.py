"""Europe PMC: articles with abstracts from PubMed, PubMed Central and preprint servers."""
