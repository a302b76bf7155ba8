"""The report as one file that opens from the disk: no script, no network, every word of a model escaped."""
