"""What a model can be trusted with: suites of cases, ways to run them, scorers that are plain functions, reports."""
