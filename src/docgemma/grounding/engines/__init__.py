"""Where batches of criteria are worked through: in this process, in several, or on a Ray cluster."""
