"""Reading a label: which of many, which sections, which sentences."""
