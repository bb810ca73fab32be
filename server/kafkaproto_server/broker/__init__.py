"""The broker half of a node: its life as the controllers see it. Synchronous and without streams."""
