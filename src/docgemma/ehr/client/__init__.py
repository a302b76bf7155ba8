"""The FHIR R4 client: reads only."""
