"""Keeps the limits of connections as the newest metadata have them.

``max.connections``, ``max.connections.per.ip`` with its overrides and ``max.connection.creation.rate``, of the node and
of single listeners, may change at run time. Connections that there are already stay, as in Kafka.
"""

from __future__ import annotations

import errno
import logging
import socket
from collections.abc import Sequence
from functools import partial

from kafkaproto_server.config.keys.definitions import BROKER_KEYS
from kafkaproto_server.config.keys.formats import host_counts
from kafkaproto_server.config.layers import NodeConfigs
from kafkaproto_server.core.controller.values.topic_configs import InheritedConfigs
from kafkaproto_server.metadata.image.image import ClusterImage
from kafkaproto_server.shell.net.admission import Admission
from kafkaproto_server.shell.process.threads import Threads

_log = logging.getLogger("kafkaproto.server.net")

_MOST = "max.connections"
_RATE = "max.connection.creation.rate"
_PER_ADDRESS = "max.connections.per.ip"
_OVERRIDES = "max.connections.per.ip.overrides"


class ConnectionLimits:
    """The limits of one node."""

    def __init__(
        self,
        admission: Admission,
        configs: InheritedConfigs,
        overrides: str,
        listener_names: Sequence[str],
        threads: Threads,
    ) -> None:
        """``configs`` are those of the node, ``overrides`` those of addresses that hold already, ``listener_names`` its
        listeners."""
        self._admission = admission
        self._configs = configs
        self._listener_names = listener_names
        self._threads = threads
        self._used: NodeConfigs | None = None
        self._overrides = overrides
        self._per_address = admission.limits.per_address

    async def use(self, image: ClusterImage) -> None:
        """Let the limits of an image hold. Waits only if the addresses of hosts have to be looked up."""
        configs = self._configs.at(image)
        # The same object while no config of this node has changed, as with nearly every image.
        if configs is self._used:
            return
        self._used = configs
        await self._find_addresses(configs.value_of(_OVERRIDES) or "")
        self._admission.use_limits(
            max_connections=_number(configs, _MOST),
            max_per_address=_number(configs, _PER_ADDRESS),
            per_address=self._per_address,
            creation_rate=_number(configs, _RATE),
        )
        for name in self._listener_names:
            prefix = f"listener.name.{name.lower()}."
            self._admission.use_listener_limits(
                name,
                max_connections=_number(configs, _MOST, prefix),
                creation_rate=_number(configs, _RATE, prefix),
            )

    async def _find_addresses(self, overrides: str) -> None:
        """Look up the hosts that have limits of their own. Those of before hold if one is not found."""
        if overrides == self._overrides:
            return
        self._overrides = overrides
        try:
            self._per_address = await self._threads.run(partial(addresses_with_limits, overrides))
        except OSError as error:
            _log.error("%s", error)


def addresses_with_limits(overrides: str) -> dict[str, int]:
    """The limits in ``max.connections.per.ip.overrides``, by address. Blocks if it names hosts.

    Raises OSError if a host has no address.
    """
    return {address: limit for host, limit in host_counts(overrides) for address in _addresses(host)}


def _addresses(host: str) -> list[str]:
    # As Java does, which takes an IPv6 address in brackets as well.
    name = host.removeprefix("[").removesuffix("]")
    try:
        return sorted({str(found[4][0]) for found in socket.getaddrinfo(name, None)})
    # UnicodeError: no host can have such a name.
    except (OSError, UnicodeError) as error:
        number = error.errno if isinstance(error, OSError) else errno.EINVAL
        raise OSError(number, f"max.connections.per.ip.overrides: {host} has no address: {error}") from error


def _number(configs: NodeConfigs, key: str, prefix: str = "") -> int:
    """The value of a key in effect, or that of a listener; a listener without one has no limit."""
    definition = BROKER_KEYS[key]
    text = configs.value_of(prefix + key)
    if text is None:
        text = definition.default
    assert text is not None, key
    value = definition.parse(text)
    assert isinstance(value, int), key
    return value
