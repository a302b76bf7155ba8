"""Sessions, turns, leases and images, in SQLite or PostgreSQL. The only package that knows a database."""
