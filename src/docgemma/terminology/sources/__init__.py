"""One small reader for each vocabulary. All give the same plain records; none knows how they are merged."""
