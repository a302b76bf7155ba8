"""What a turn costs beside LangChain, pydantic-ai and a bare loop, in one interleaved run. `make bench` runs it."""
