"""Clauses, verbs, moods of speech, spelling slips, small talk."""
