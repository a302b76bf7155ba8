"""openFDA: drug labels as the FDA publishes them in JSON."""
