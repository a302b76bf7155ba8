"""How fast criteria are grounded, on how many workers, and how well a small real model does it."""
