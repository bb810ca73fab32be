"""Lists as Kafka keeps them in one value, with commas between the entries."""

from __future__ import annotations


def with_entries(value: str, entries: str) -> str:
    """A list with entries added that it has not yet."""
    known = value.split(",") if value else []
    for entry in entries.split(","):
        if entry not in known:
            known.append(entry)
    return ",".join(known)


def without_entries(value: str, entries: str) -> str:
    """A list with entries taken away, each once."""
    known = value.split(",") if value else []
    for entry in entries.split(","):
        if entry in known:
            known.remove(entry)
    return ",".join(known)
