"""What a clinician reads of a record: sections for a question, within a budget, with what was left out."""
