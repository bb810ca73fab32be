"""The core in words: one line for an event, for effects, for a state."""
