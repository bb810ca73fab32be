"""The composition root: builds a node from its configuration, and owns its nursery and the tasks that drive the
cores."""
