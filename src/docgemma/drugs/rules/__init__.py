"""Rules that an order is checked by. Each says what it rests on; where there is none, that is said too."""
