"""Values of the controller core: its events and effects, its configs, and what commands get and return."""
