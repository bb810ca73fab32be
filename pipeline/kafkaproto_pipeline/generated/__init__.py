"""Descriptions of the record types, generated from messages/."""
