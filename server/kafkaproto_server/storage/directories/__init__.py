"""Log directories: how they are formatted, which there are, whose they are."""
