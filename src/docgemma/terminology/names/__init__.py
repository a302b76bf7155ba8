"""How names of medical concepts vary: spelling, word order, abbreviations. Pure functions over text."""
