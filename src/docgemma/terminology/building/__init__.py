"""From the records of the vocabularies to the concepts that an index is compiled from."""
