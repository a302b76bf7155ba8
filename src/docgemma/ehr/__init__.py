"""The chart: a FHIR R4 client, the embedded server it talks to by default, patient search and chart projection."""
