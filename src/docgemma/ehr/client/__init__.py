"""The FHIR R4 client: reads, and writes that are sent once."""
