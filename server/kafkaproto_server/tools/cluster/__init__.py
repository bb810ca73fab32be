"""The command line ``kafka-local-cluster``."""
