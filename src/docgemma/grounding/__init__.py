"""Job 2: eligibility criteria of clinical trials become entities with UMLS and SNOMED CT identifiers."""
