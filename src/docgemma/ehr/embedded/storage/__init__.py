"""The charts in one SQLite file, sealed so that damage is noticed."""
