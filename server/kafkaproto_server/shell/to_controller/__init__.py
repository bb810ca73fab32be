"""A node's connection to the active controller, on whichever node that runs."""
