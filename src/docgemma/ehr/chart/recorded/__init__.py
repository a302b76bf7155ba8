"""What a resource says, as it was recorded: names, numbers, dates, values and their series."""
