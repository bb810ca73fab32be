"""How many partitions a client may create and delete by its quota (KIP-599); known to the active controller alone.

Apache Kafka: ``ControllerMutationQuotaManager``.
"""

from __future__ import annotations

from collections.abc import Mapping

from kafkaproto.api import ApiKey
from kafkaproto_server.core.controller.values.config import ControllerConfig
from kafkaproto_server.core.controller.values.events import CommandReceived
from kafkaproto_server.core.quotas.client_quotas import UNLIMITED, MutationQuotas, Permits
from kafkaproto_server.core.quotas.matching import user_name
from kafkaproto_server.core.quotas.rate import RateWindows
from kafkaproto_server.metadata.image.image import ClusterImage

_FIRST_STRICT_VERSIONS: Mapping[int, int] = {
    ApiKey.CREATE_TOPICS: 6,
    ApiKey.DELETE_TOPICS: 5,
    ApiKey.CREATE_PARTITIONS: 3,
}
"""The requests that the quota counts, and the first version of each whose clients know that it can refuse them."""


class PermitIssuer:
    """Issues the permits for commands."""

    __slots__ = ("_quotas",)

    def __init__(self, config: ControllerConfig) -> None:
        window_ms = config.controller_quota_window_size_seconds * 1000
        self._quotas = MutationQuotas(RateWindows(config.controller_quota_window_num, window_ms))

    def permits(self, event: CommandReceived, image: ClusterImage, now_ms: int) -> Permits:
        """What the sender of a command may change."""
        strict_from = _FIRST_STRICT_VERSIONS.get(event.request.API_KEY or 0)
        # Most clusters have no quotas, and most commands are not counted: then there is nothing to look up.
        if strict_from is None or not image.client_quotas:
            return UNLIMITED
        context = event.context
        return self._quotas.permits(
            image.client_quotas,
            user_name(context.principal),
            context.client_id or "",
            now_ms,
            # Older clients do not know THROTTLING_QUOTA_EXCEEDED. Their request is carried out, and they wait
            # afterwards.
            is_strict=event.version >= strict_from,
        )
