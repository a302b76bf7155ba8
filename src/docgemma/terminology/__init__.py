"""Medical names and the identifiers they stand for: an index on this machine, a local UMLS, or the UMLS service."""
