"""Topic names: which are legal, and which belong to Kafka's internal topics.

Apache Kafka: ``Topic`` (``org.apache.kafka.common.internals``).
"""

from __future__ import annotations

import re

MAX_LENGTH = 249
"""A partition's directory is named after the topic and the partition, and file names have a largest length."""

# The names are Kafka's: its clients and tools know internal topics by them.
GROUPS_TOPIC = "__consumer_offsets"
TRANSACTIONS_TOPIC = "__transaction_state"
SHARE_TOPIC = "__share_group_state"
INTERNAL_TOPICS = frozenset({GROUPS_TOPIC, TRANSACTIONS_TOPIC, SHARE_TOPIC})

# ASCII only: file systems and metrics differ about all else.
_LEGAL = re.compile(r"[a-zA-Z0-9._-]+")


def topic_name_problem(name: str) -> str | None:
    """What is wrong with a topic name; None if it is legal."""
    # These two are directories of every file system.
    if name in ("", ".", ".."):
        return f"A topic cannot be named {name!r}."
    if len(name) > MAX_LENGTH:
        return f"A topic name has at most {MAX_LENGTH} characters; this one has {len(name)}."
    if not _LEGAL.fullmatch(name):
        return f"Topic name {name!r} has characters other than ASCII letters, digits, '.', '_' and '-'."
    return None
