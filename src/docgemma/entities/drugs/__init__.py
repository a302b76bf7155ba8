"""Drug names: the dictionary, the search for them, spellings, shorthand and disguises."""
