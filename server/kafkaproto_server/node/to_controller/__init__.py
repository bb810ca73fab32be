"""A node's way to the active controller, wherever that one runs."""
