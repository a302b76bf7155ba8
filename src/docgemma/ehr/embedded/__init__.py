"""A small FHIR R4 server over one SQLite file, reached in process or over HTTP by the same client as any other."""
