"""The controller as a pure core: it turns requests into records, and only replayed records become its state."""
