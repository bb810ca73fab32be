"""One line of text for an event, for effects, for a state of the core."""
