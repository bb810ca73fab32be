"""Lists in the form in which Kafka keeps them in one value, with commas between the entries.

Changes are made to the texts, as Apache Kafka makes them: empty entries of the old value are dropped, and so are empty
ones at the end of what is added or removed.
"""

from __future__ import annotations


def with_entries(value: str, entries: str) -> str:
    """A list with those entries added that it does not contain yet."""
    known = _without_blanks(value)
    for entry in _split(entries):
        if entry not in known:
            known.append(entry)
    return ",".join(known)


def without_entries(value: str, entries: str) -> str:
    """A list with these entries removed, each once."""
    known = _without_blanks(value)
    for entry in _split(entries):
        if entry in known:
            known.remove(entry)
    return ",".join(known)


def has_repeated(value: str) -> bool:
    """Whether an entry of a list is there twice."""
    entries = [each.strip() for each in value.split(",")]
    return len(set(entries)) < len(entries)


def _without_blanks(value: str) -> list[str]:
    return [each for each in value.split(",") if each]


def _split(entries: str) -> list[str]:
    """As Java's String.split: the entries without empty ones at the end, and one if there is nothing to split."""
    if not entries:
        return [entries]
    found = entries.split(",")
    while found and not found[-1]:
        found.pop()
    return found
