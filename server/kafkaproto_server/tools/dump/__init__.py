"""The command line ``kafka-dump-log``."""
