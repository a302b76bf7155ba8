"""Fixtures of the engine tests: the weights and the server are shared by the whole session."""

from tests.support.llama_server import llama_url
from tests.support.weights import smollm2_path

__all__ = ["llama_url", "smollm2_path"]
