"""What kafka-python sees of a cluster, as one JSON document: tour.py HOST:PORT TOPIC.

The shape is that of every client's tour; compat/README.md has it.
"""

import json
import sys

import kafka
from kafka import KafkaAdminClient
from kafka.errors import TopicAlreadyExistsError

PARTITIONS = 3


def tour(bootstrap: str, topic: str) -> dict[str, object]:
    """Lists the cluster, then creates, describes and deletes the topic."""
    admin = KafkaAdminClient(bootstrap_servers=bootstrap)
    cluster = admin.describe_cluster()
    topics_before = admin.list_topics()
    wanted = {topic: {"num_partitions": PARTITIONS, "replication_factor": 1}}
    admin.create_topics(wanted, wait_for_metadata=True)
    try:
        admin.create_topics(wanted)
        create_again = 0
    except TopicAlreadyExistsError as error:
        create_again = error.errno
    (described,) = admin.describe_topics([topic])
    topics_with = admin.list_topics()
    admin.delete_topics([topic])
    topics_after = admin.list_topics()
    (quorum,) = admin.describe_metadata_quorum()["topics"][0]["partitions"]
    admin.close()
    return {
        "client": f"kafka-python {kafka.__version__}",
        "cluster_id": cluster["cluster_id"],
        "controller": cluster["controller_id"],
        "brokers": [
            {"id": broker["broker_id"], "host": broker["host"], "port": broker["port"]}
            for broker in cluster["brokers"]
        ],
        "topics_before": topics_before,
        "create_again": create_again,
        "partitions": [
            {
                "partition": partition["partition_index"],
                "leader": partition["leader_id"],
                "replicas": partition["replica_nodes"],
                "isr": partition["isr_nodes"],
            }
            for partition in sorted(described["partitions"], key=lambda part: part["partition_index"])
        ],
        "topics_with": topics_with,
        "topics_after": topics_after,
        "quorum": {
            "leader": quorum["leader_id"],
            "voters": [voter["replica_id"] for voter in quorum["current_voters"]],
        },
    }


if __name__ == "__main__":
    print(json.dumps(tour(sys.argv[1], sys.argv[2])))
