"""The web page and its API: what clinicians open in the morning."""
