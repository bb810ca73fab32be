"""Benchmarks: one script per question, each prints a table. Run them with ``bin/bench NAME``."""
