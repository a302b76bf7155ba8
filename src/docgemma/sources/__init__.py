"""Where facts come from: live services, what they said before, and local packs, all behind one interface."""
