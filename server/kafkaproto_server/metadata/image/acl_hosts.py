"""Hosts of ACLs: ``*``, an address, or from metadata.version 4.4-IV1 on a range of addresses (``10.0.0.0/8``).

ACLs are compared with clients by text, so every spelling of a host has one canonical form. To find the ranges with a
client's address, nobody walks over the ranges: for each length of prefix that occurs there is one range that the
address could be in, and its canonical form is known (`ranges_with`).

As in Apache Kafka (`CidrUtils`), a range is for one family: no IPv6 range has an IPv4 address in it, and a client of
an IPv6 socket whose address is a mapped one (``::ffff:10.0.0.1``) counts as an IPv4 client. Bits after the prefix are
ignored, and so is the zone of an IPv6 address. A host that has a slash and is no range applies to nobody.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterable
from typing import TypeAlias

Network: TypeAlias = ipaddress.IPv4Network | ipaddress.IPv6Network
PrefixLength: TypeAlias = tuple[int, int]
"""Version of the Internet Protocol, 4 or 6, and the number of bits."""

# Stricter than `ipaddress`, which also takes netmasks, and looser: that refuses leading zeros.
_IPV4_RANGE = re.compile(r"([0-9]{1,3}(?:\.[0-9]{1,3}){3})/([0-9]{1,2})")
_IPV6_RANGE = re.compile(r"(\[?)([0-9A-Fa-f:.]+)(?:%[^/\]]*)?(\]?)/([0-9]{1,3})")


def is_range(host: str) -> bool:
    """Whether an ACL's host is meant as a range of addresses; it may be a wrong one."""
    return "/" in host


def range_of(host: str) -> Network:
    """The range of addresses that a host with a slash names. Raises ValueError if it is none."""
    matched = _IPV4_RANGE.fullmatch(host)
    if matched is not None:
        # Leading zeros are accepted, as by Kafka, and the numbers are decimal.
        octets = ".".join(str(int(octet)) for octet in matched.group(1).split("."))
        return ipaddress.IPv4Network((octets, int(matched.group(2))), strict=False)
    matched = _IPV6_RANGE.fullmatch(host)
    # Brackets in pairs or not at all.
    if matched is None or bool(matched.group(1)) is not bool(matched.group(3)):
        raise ValueError(f"{host!r} is not ADDRESS/LENGTH")
    address = ipaddress.IPv6Address(matched.group(2))
    # A client with such an address counts as an IPv4 client, so the range would hold for nobody.
    if address.ipv4_mapped is not None:
        raise ValueError(f"{address} is an IPv4 address; write it as {address.ipv4_mapped}")
    return ipaddress.IPv6Network((address, int(matched.group(4))), strict=False)


def canonical_host(host: str) -> str:
    """The one form of all spellings of a host; ``host`` itself if it is neither an address nor a range."""
    try:
        return str(range_of(host) if is_range(host) else ipaddress.ip_address(host))
    except ValueError:
        return host


def prefix_length(canonical: str) -> PrefixLength | None:
    """The length of the prefix of a range in canonical form; None for any other host."""
    if not is_range(canonical):
        return None
    try:
        network = range_of(canonical)
    except ValueError:
        return None
    return network.version, network.prefixlen


def ranges_with(address: str, lengths: Iterable[PrefixLength]) -> list[str]:
    """The ranges of these lengths that an address is in, in canonical form; none for a text that is no address."""
    try:
        client = ipaddress.ip_address(address)
    except ValueError:
        return []
    # Of the client's family only: 0.0.0.0/0 must not allow IPv6 clients.
    family = ipaddress.IPv4Network if client.version == 4 else ipaddress.IPv6Network
    return [
        str(family((int(client), length), strict=False))
        for version, length in lengths
        if version == client.version
    ]
