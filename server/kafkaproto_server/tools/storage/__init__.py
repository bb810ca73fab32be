"""The command line ``kafka-storage``."""
