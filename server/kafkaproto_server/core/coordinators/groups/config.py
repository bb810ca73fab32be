"""The broker's settings for its groups: each kind has its own."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from kafkaproto_server.core.coordinators.groups.classic.config import ClassicGroupConfig
from kafkaproto_server.core.coordinators.groups.consumer.settings import ConsumerGroupConfig
from kafkaproto_server.core.coordinators.groups.offsets.config import OffsetsConfig
from kafkaproto_server.core.coordinators.groups.share.settings import ShareGroupConfig
from kafkaproto_server.core.coordinators.groups.streams.config import StreamsConfig


class GroupConfigs(NamedTuple):
    """Each call returns the settings as they are now."""

    classic: Callable[[], ClassicGroupConfig]
    offsets: Callable[[], OffsetsConfig]
    consumer: Callable[[], ConsumerGroupConfig]
    share: Callable[[], ShareGroupConfig]
    streams: Callable[[], StreamsConfig]
