"""The command line ``kafka-metadata-quorum``."""
