"""The command line ``kafka-metadata-shell``."""
