"""Keeps the limits of connections as the newest metadata have them.

``max.connections``, ``max.connections.per.ip`` with its overrides and ``max.connection.creation.rate``, of the node and
of single listeners, may change at run time. Connections that there are already stay, as in Kafka.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from functools import partial

from kafkaproto_server.config_keys.definitions import BROKER_KEYS
from kafkaproto_server.config_keys.node_configs import NodeConfigs
from kafkaproto_server.controller.values.topic_configs import InheritedConfigs
from kafkaproto_server.image.image import ClusterImage
from kafkaproto_server.net.admission import Admission
from kafkaproto_server.node.descriptors import addresses_with_limits
from kafkaproto_server.node.threads import Threads

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
