"""A broker's tasks: its life, its log directories, the metadata that it applies."""
