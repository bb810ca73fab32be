"""Groups whose partition of ``__consumer_offsets`` this broker leads."""
