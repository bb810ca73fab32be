"""The tasks of a broker: its lifecycle, its log directories, the metadata that it applies."""
