"""Charts into the embedded store and out of it: bundles, single resources and NDJSON."""
