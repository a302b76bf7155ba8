"""What a page shows: view models, words and drawings, made from records. No request is handled here."""
