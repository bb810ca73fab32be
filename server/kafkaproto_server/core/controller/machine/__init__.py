"""The controller core: from events to effects, one change at a time, in slices."""
