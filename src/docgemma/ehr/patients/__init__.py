"""Finding the patient who is meant: by name, birth date, record number or id."""
