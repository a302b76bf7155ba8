"""The web page under load: a real server process, a stub of a model, and clients in processes of their own."""
