"""What confluent-kafka (librdkafka) sees of a cluster, as one JSON document: tour.py HOST:PORT TOPIC.

The shape is that of every client's tour; compat/README.md has it.
"""

import json
import sys

import confluent_kafka
from confluent_kafka import KafkaException, TopicCollection
from confluent_kafka.admin import AdminClient
from confluent_kafka.cimpl import NewTopic

PARTITIONS = 3
TIMEOUT_S = 30


def topic_names(admin: AdminClient) -> list[str]:
    """The names that a Metadata request for all topics brings."""
    return sorted(admin.list_topics(timeout=TIMEOUT_S).topics)


def tour(bootstrap: str, topic: str) -> dict[str, object]:
    """Lists the cluster, then creates, describes and deletes the topic."""
    admin = AdminClient({"bootstrap.servers": bootstrap})
    cluster = admin.describe_cluster(request_timeout=TIMEOUT_S).result()
    topics_before = topic_names(admin)
    wanted = [NewTopic(topic, num_partitions=PARTITIONS, replication_factor=1)]
    admin.create_topics(wanted, operation_timeout=TIMEOUT_S)[topic].result()
    try:
        admin.create_topics(wanted, operation_timeout=TIMEOUT_S)[topic].result()
        create_again = 0
    except KafkaException as error:
        create_again = error.args[0].code()
    described = admin.describe_topics(TopicCollection([topic]), request_timeout=TIMEOUT_S)[topic].result()
    topics_with = topic_names(admin)
    admin.delete_topics([topic], operation_timeout=TIMEOUT_S)[topic].result()
    topics_after = topic_names(admin)
    library, _ = confluent_kafka.libversion()
    return {
        "client": f"confluent-kafka {confluent_kafka.__version__}, librdkafka {library}",
        "cluster_id": cluster.cluster_id,
        "controller": cluster.controller.id,
        "brokers": [{"id": node.id, "host": node.host, "port": node.port} for node in cluster.nodes],
        "topics_before": topics_before,
        "create_again": create_again,
        "partitions": [
            {
                "partition": partition.id,
                "leader": partition.leader.id,
                "replicas": [node.id for node in partition.replicas],
                "isr": [node.id for node in partition.isr],
            }
            for partition in sorted(described.partitions, key=lambda part: part.id)
        ],
        "topics_with": topics_with,
        "topics_after": topics_after,
    }


if __name__ == "__main__":
    print(json.dumps(tour(sys.argv[1], sys.argv[2])))
