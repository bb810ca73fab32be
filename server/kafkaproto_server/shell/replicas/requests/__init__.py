"""Requests about records: produced, fetched, deleted, asked for. They wait here for what they need."""
