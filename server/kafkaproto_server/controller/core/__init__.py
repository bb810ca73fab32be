"""The core itself: one change at a time, in slices, from events to effects."""
