"""Makes the `Situation` of each command: what it may look at besides its request, in one value.

It keeps what all of them have in common: the node, its configs, kraft.version, and the times of the last event. A
change is decided in slices, and each slice sees the time of the event that brought it.

Ours alone. Apache Kafka's control managers hold references to each other, to the clock and to the configs.
"""

from __future__ import annotations

from immutables import Map

from kafkaproto_server.base.ports import Rng
from kafkaproto_server.core.controller.machine.permits import PermitIssuer
from kafkaproto_server.core.controller.values.command import Situation
from kafkaproto_server.core.controller.values.config import ControllerConfig
from kafkaproto_server.core.controller.values.events import CommandReceived
from kafkaproto_server.core.controller.values.sessions import BrokerSession
from kafkaproto_server.core.controller.values.topic_configs import InheritedConfigs
from kafkaproto_server.metadata.image.image import ClusterImage
from kafkaproto_server.metadata.security.delegation_tokens import TokenIndex


class Situations:
    """What the situations of one controller have in common. The controller alone sets the fields."""

    def __init__(self, *, node_id: int, cluster_id: str, config: ControllerConfig, rng: Rng) -> None:
        self._node_id = node_id
        self._cluster_id = cluster_id
        self._config = config
        self._rng = rng
        # Kept over all commands: it has one HMAC to compute for each token, which is slow.
        self._token_index = TokenIndex(config.delegation_token_secret_key or "")
        self._permits = PermitIssuer(config)
        self.inherited = InheritedConfigs(config.static_config, node_id)
        """The defaults that topics inherit."""
        self.kraft_version = 0
        """Finalized level of kraft.version, as the quorum has told."""
        self.now_ms = 0
        """Monotonic time of the last event."""
        self.wall_ms = 0
        """Wall time of the last event."""

    def situation(
        self,
        event: CommandReceived,
        image: ClusterImage,
        sessions: Map[int, BrokerSession],
        contact: BrokerSession | None = None,
    ) -> Situation:
        """The situation of a command that is decided now; ``contact`` is for a heartbeat (see `Situation.contact`)."""
        assert contact is None or contact.last_contact_ms <= self.now_ms, "a contact is in the past"
        return Situation(
            image=image,
            # A new broker epoch is made of it (KIP-631): offsets only rise, so no two incarnations share one.
            next_offset=image.offset + 1,
            now_ms=self.now_ms,
            wall_ms=self.wall_ms,
            version=event.version,
            context=event.context,
            config=self._config,
            cluster_id=self._cluster_id,
            kraft_version=self.kraft_version,
            node_id=self._node_id,
            sessions=sessions,
            inherited=self.inherited,
            token_index=self._token_index,
            rng=self._rng,
            # Made anew with each decision: one that is interrupted has taken nothing.
            permits=self._permits.permits(event, image, self.now_ms),
            contact=contact,
        )
