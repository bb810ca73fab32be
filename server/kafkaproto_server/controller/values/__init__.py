"""Values of the controller core: its events and effects, its settings, and what commands get and return."""
