"""Gives the replicas of a broker the newest settings of their topics."""

from __future__ import annotations

from functools import partial

from kafkaproto_server.shell.replicas.files.hosted import Hosted
from kafkaproto_server.shell.replicas.files.hosted_replicas import HostedReplicas
from kafkaproto_server.shell.replicas.files.topic_settings import KnownSettings, TopicSettings
from kafkaproto_server.shell.replicas.local_node import CurrentMetadata


class HostedSettings:
    """The settings of one broker's replicas."""

    def __init__(self, replicas: HostedReplicas, metadata: CurrentMetadata) -> None:
        self._replicas = replicas
        self._image, self._node_configs = metadata
        self._known = KnownSettings()

    def of(self, topic: str) -> TopicSettings:
        """The settings of a topic as they are now."""
        return self._known.of(topic, self._image(), self._node_configs())

    def refresh(self, hosted: Hosted) -> None:
        """Give a replica the newest settings of its topic."""
        settings = self._known.of(hosted.partition.topic, self._image(), self._node_configs())
        # Each time, and before the comparison: a partition that was just made has the settings already, and not this
        # value.
        hosted.partition.min_insync_replicas = settings.min_insync_replicas
        # The same object while nothing has changed: this is asked once a request.
        if settings is hosted.settings:
            return
        before, hosted.settings = hosted.settings.log, settings
        if settings.log != before and hosted.log is not None:
            # In the lane: the thread that appends looks at them.
            self._replicas.changes.put(hosted, partial(hosted.log.configure, settings.log))

    def forget(self, topic: str) -> None:
        """A replica of a topic is gone. Another one of the topic has its settings made anew."""
        self._known.forget(topic)
