"""Runs: turns that go on whether or not a page watches, told event by event to all who do."""
