"""What such an entry says: orders, allergies, notes, and their fields."""
