"""The composition root: builds a node from its configuration, owns its nursery and the tasks that drive the cores."""
