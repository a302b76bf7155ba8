"""The REST interface: from a request to a transaction, and from its result to an answer."""
