"""Applies each image of the metadata to a broker: the directories of its replicas, and which directories are
cordoned."""

from __future__ import annotations

import logging
from collections.abc import Mapping

from immutables import Map

from kafkaproto_server.config.keys.usable import Unusable
from kafkaproto_server.config.layers import NodeConfigs
from kafkaproto_server.core.broker.directories import LogDirectories
from kafkaproto_server.core.broker.replica_directories import ReplicaDirectories
from kafkaproto_server.metadata.image.entries import BROKER_RESOURCE
from kafkaproto_server.metadata.image.image import ClusterImage

_log = logging.getLogger("kafkaproto.server.broker")

_CORDONED_KEY = "cordoned.log.dirs"
_ALL_BROKERS = ""


class MetadataApplier:
    """Applies images to one broker, each at most once."""

    def __init__(
        self,
        *,
        broker_id: int,
        static_config: Mapping[str, str],
        directories: LogDirectories,
        replicas: ReplicaDirectories,
    ) -> None:
        self._broker_id = broker_id
        self._static_config = static_config
        self._directories = directories
        self._replicas = replicas
        self._own: Mapping[str, str] | None = None
        self._of_all: Mapping[str, str] = Map()
        self._told: tuple[Unusable, ...] = ()
        self.has_more = False
        """Whether the last image is not fully applied yet."""
        self.errors = 0
        """How often an image required something that this broker could not apply (metadata-apply-error-count)."""

    def apply(self, image: ClusterImage, *, has_caught_up: bool) -> bool:
        """Apply an image; a large one takes several calls. Replicas follow it only if the broker ``has_caught_up`` with
        the metadata. Returns whether the set of cordoned directories has changed."""
        is_news = self._apply_config(image)
        if has_caught_up:
            self._replicas.apply(image)
            self.has_more = self._replicas.look()
        return is_news

    def _apply_config(self, image: ClusterImage) -> bool:
        own = image.config(BROKER_RESOURCE, str(self._broker_id))
        of_all = image.config(BROKER_RESOURCE, _ALL_BROKERS)
        # Images share what did not change, so most images cost two comparisons.
        if own is self._own and of_all is self._of_all:
            return False
        self._own, self._of_all = own, of_all
        configs = NodeConfigs(static=self._static_config, dynamic_default=of_all, dynamic_broker=own)
        for each in configs.unusable:
            if each not in self._told:
                _log.warning("Config of this broker: %s", each.describe())
        self._told = configs.unusable
        value = configs.value_of(_CORDONED_KEY) or ""
        paths = [entry.strip() for entry in value.split(",") if entry.strip()]
        is_news, unknown = self._directories.cordon(paths)
        if unknown:
            self.errors += 1
            known = ", ".join(each.path for each in self._directories.all)
            _log.error(
                "%s names %s, which is not in log.dirs, which has %s",
                _CORDONED_KEY,
                ", ".join(unknown),
                known,
            )
        return is_news
