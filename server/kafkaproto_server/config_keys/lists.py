"""Lists in the form in which Kafka keeps them in one value, with commas between the entries."""

from __future__ import annotations


def with_entries(value: str, entries: str) -> str:
    """A list with those entries added that it does not contain yet."""
    known = value.split(",") if value else []
    for entry in entries.split(","):
        if entry not in known:
            known.append(entry)
    return ",".join(known)


def without_entries(value: str, entries: str) -> str:
    """A list with these entries removed, each once."""
    known = value.split(",") if value else []
    for entry in entries.split(","):
        if entry in known:
            known.remove(entry)
    return ",".join(known)
