"""Pure: the quotas of clients: which one applies, how rates are measured, how long to wait."""
