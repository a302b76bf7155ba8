"""From a term as people write it to the concepts it may stand for."""
