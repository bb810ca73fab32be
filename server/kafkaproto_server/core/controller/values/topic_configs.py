"""The topic configs that the controller itself uses, as they are in force at one image.

Apache Kafka: ``ConfigurationControlManager.getTopicConfig``, with the controller's own properties below.
"""

from __future__ import annotations

from collections.abc import Mapping

from kafkaproto_server.config.layers import NodeConfigs
from kafkaproto_server.metadata.image.entries import BROKER_RESOURCE, TOPIC_RESOURCE
from kafkaproto_server.metadata.image.image import ClusterImage

CLUSTER_DEFAULT = ""
"""Resource name of the cluster-wide broker configs."""
MIN_INSYNC_REPLICAS = "min.insync.replicas"
UNCLEAN_LEADER_ELECTION_ENABLE = "unclean.leader.election.enable"


class InheritedConfigs:
    """The defaults that topics inherit: the cluster's configs and this node's, over the properties of this node.

    They are mostly the same in consecutive images, so they are cached until an image has others.
    """

    __slots__ = ("_broker_layer", "_cluster_layer", "_known", "_node_id", "_static_config")

    def __init__(self, static_config: Mapping[str, str], node_id: int) -> None:
        self._static_config = static_config
        self._node_id = str(node_id)
        self._cluster_layer: Mapping[str, str] = {}
        self._broker_layer: Mapping[str, str] = {}
        self._known = NodeConfigs(static=static_config)

    def at(self, image: ClusterImage) -> NodeConfigs:
        """The node's configuration as of an image."""
        cluster_layer = image.config(BROKER_RESOURCE, CLUSTER_DEFAULT)
        broker_layer = image.config(BROKER_RESOURCE, self._node_id)
        # Identity is enough: images are persistent, so a layer that did not change is the same
        # object.
        if cluster_layer is not self._cluster_layer or broker_layer is not self._broker_layer:
            self._cluster_layer, self._broker_layer = cluster_layer, broker_layer
            self._known = NodeConfigs(
                static=self._static_config, dynamic_default=cluster_layer, dynamic_broker=broker_layer
            )
        return self._known


class TopicConfigs:
    """Settings of topics: the topic's own, then the cluster's, then this node's."""

    __slots__ = ("_configs", "_image", "_known")

    def __init__(self, image: ClusterImage, inherited: InheritedConfigs) -> None:
        self._image = image
        self._configs = inherited.at(image)
        self._known: dict[tuple[str, str], str] = {}

    def min_insync_replicas(self, topic_name: str) -> int:
        return int(self._value(topic_name, MIN_INSYNC_REPLICAS))

    def unclean_election_enabled(self, topic_name: str) -> bool:
        # Kafka's parser takes the word in any case and with spaces around it, so the log may hold
        # such a value.
        return self._value(topic_name, UNCLEAN_LEADER_ELECTION_ENABLE).strip().lower() == "true"

    def _value(self, topic_name: str, key: str) -> str:
        # Usually many partitions of one topic come in a row.
        value = self._known.get((topic_name, key))
        if value is None:
            own = self._image.config(TOPIC_RESOURCE, topic_name)
            value = self._known[topic_name, key] = self._configs.topic_value(key, own)
        return value
