"""The active controller: requests become records, and nothing but replayed records becomes state."""
