"""Log directories: their formatting, their checks at a start, and the node that they belong to."""
