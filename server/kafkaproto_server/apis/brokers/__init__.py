"""Requests of brokers and controllers to the active controller; served on controller listeners only."""
