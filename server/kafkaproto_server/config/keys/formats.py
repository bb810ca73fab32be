"""Checks for values of a special form, by the names that the definitions use.

Each check takes the entries of a list, or a tuple with one string. It raises ValueError, whose text says what is valid.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping

_REPLICA = re.compile(r"[0-9]+:[0-9]+")
_HOST_COUNT = re.compile(r"(.+):([0-9]+)")
_DURATION = re.compile(
    r"by_duration:P(?=[0-9]|T)([0-9]+D)?(T(?=[0-9])([0-9]+H)?([0-9]+M)?([0-9]+(\.[0-9]{0,9})?S)?)?",
    re.IGNORECASE,
)
CLIENT_ATTRIBUTES = (
    "client_instance_id",
    "client_id",
    "client_software_name",
    "client_software_version",
    "client_source_address",
    "client_source_port",
)
"""The attributes of clients that a client metrics subscription can match (KIP-714)."""


def check_throttled_replicas(entries: tuple[str, ...]) -> None:
    """``*``, or pairs of a partition and a broker (KIP-73)."""
    if entries != ("*",) and not all(not each or _REPLICA.fullmatch(each) for each in entries):
        raise ValueError("must be * or a list of PARTITION:BROKER")


def check_offset_reset(entries: tuple[str, ...]) -> None:
    """Where a share group starts: at an end of the log, or at a time before now (KIP-932)."""
    if entries[0] not in ("earliest", "latest") and not _DURATION.fullmatch(entries[0]):
        raise ValueError("must be earliest, latest or by_duration: and an ISO 8601 duration such as PT1H")


def check_host_counts(entries: tuple[str, ...]) -> None:
    """A list of hosts with a number each."""
    text = entries[0]
    if text and not all(_HOST_COUNT.fullmatch(entry.strip()) for entry in text.split(",")):
        raise ValueError("must be a list of HOST:NUMBER")


def host_counts(text: str) -> list[tuple[str, int]]:
    """The hosts and numbers of such a list."""
    matches = (_HOST_COUNT.fullmatch(entry.strip()) for entry in text.split(",") if entry.strip())
    return [(matched.group(1), int(matched.group(2))) for matched in matches if matched is not None]


def check_client_match(entries: tuple[str, ...]) -> None:
    """A list of client attributes, each with ``=`` and a regular expression (KIP-714)."""
    for entry in entries:
        attribute, separator, pattern = entry.partition("=")
        if not separator or attribute.strip() not in CLIENT_ATTRIBUTES:
            attributes = ", ".join(CLIENT_ATTRIBUTES)
            raise ValueError(f"must be a list of ATTRIBUTE=PATTERN, where ATTRIBUTE is one of {attributes}")
        if not pattern.strip():
            raise ValueError(
                f"must be a list of ATTRIBUTE=PATTERN; the pattern of {attribute.strip()} is empty"
            )
        try:
            re.compile(pattern.strip())
        except re.error as error:
            raise ValueError(
                f"must be a list of ATTRIBUTE=PATTERN; {pattern!r} is no pattern: {error}"
            ) from error


def check_super_users(entries: tuple[str, ...]) -> None:
    """Principals, separated by semicolons, since user names may contain commas (a certificate's subject does)."""
    for entry in entries[0].split(";"):
        kind, separator, name = entry.strip().partition(":")
        if entry.strip() and not (kind and separator and name):
            raise ValueError("must be principals such as User:admin, with semicolons between them")


def check_distinct(entries: tuple[str, ...]) -> None:
    """A list without repetitions, such as the tags of Kafka Streams' clients (KIP-1071)."""
    repeated = sorted(entry for entry, count in Counter(entries).items() if count > 1)
    if repeated:
        raise ValueError(f"must name each entry once; repeated: {', '.join(repeated)}")


def check_dead_letter_queue(entries: tuple[str, ...]) -> None:
    """The topic of a share group's undeliverable records (KIP-1191): no internal topic."""
    if entries[0].startswith("__"):
        raise ValueError("must not begin with __, as internal topics do")


FORMATS: Mapping[str, Callable[[tuple[str, ...]], None]] = {
    "throttled-replicas": check_throttled_replicas,
    "offset-reset": check_offset_reset,
    "host-counts": check_host_counts,
    "client-match": check_client_match,
    "super-users": check_super_users,
    "distinct": check_distinct,
    "dead-letter-queue": check_dead_letter_queue,
}
