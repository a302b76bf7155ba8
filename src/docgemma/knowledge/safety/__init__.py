"""What a consultation may not do, whatever a model wrote or a person asked: language, red flags, wording."""
