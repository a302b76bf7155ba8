"""FHIR search: its parameters, how a value is read, and how a resource answers."""
