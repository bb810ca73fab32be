"""Checkers that watch a simulated quorum from outside; each raises ``invariants.ViolationError``."""
