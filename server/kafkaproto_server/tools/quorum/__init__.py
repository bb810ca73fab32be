"""The command lines ``kafka-metadata-quorum`` and ``kafka-cluster``."""
