"""What the user reads: the model's text released sentence by sentence, each after its check, and what code adds."""
