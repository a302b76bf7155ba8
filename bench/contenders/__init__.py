"""One module per contender. Each offers `open_turns(url, folder)`: a context manager that yields one-turn calls.

A contender lives in a process of its own, so that nobody pays for another's imports.
"""
