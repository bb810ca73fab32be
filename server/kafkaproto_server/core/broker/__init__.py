"""The broker of a node: its lifecycle as the controllers see it. Synchronous and without streams."""
