"""Alerts as they happen: the rules, the stream that they look at, and the command."""
