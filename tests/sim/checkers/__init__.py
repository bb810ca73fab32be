"""Checkers that watch a simulated quorum from outside. Each raises ``invariants.ViolationError``."""
