"""What brokers and controllers ask of the active controller; on controller listeners alone."""
