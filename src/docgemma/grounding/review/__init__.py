"""What an expert decides about entities that the program was not sure of, and how that is used ever after."""
