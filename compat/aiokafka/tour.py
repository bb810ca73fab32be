"""What aiokafka sees of a cluster, as one JSON document: tour.py HOST:PORT TOPIC.

The shape is that of every client's tour; compat/README.md has it.
"""

import asyncio
import json
import sys

import aiokafka
from aiokafka.admin import AIOKafkaAdminClient, NewTopic

PARTITIONS = 3


async def tour(bootstrap: str, topic: str) -> dict[str, object]:
    """Lists the cluster, then creates, describes and deletes the topic."""
    admin = AIOKafkaAdminClient(bootstrap_servers=bootstrap)
    await admin.start()
    try:
        cluster = await admin.describe_cluster()
        topics_before = await admin.list_topics()
        wanted = [NewTopic(topic, num_partitions=PARTITIONS, replication_factor=1)]
        await admin.create_topics(wanted)
        # This client hands out the answer as it came and leaves its error codes to the caller.
        again = await admin.create_topics(wanted)
        (described,) = await admin.describe_topics([topic])
        topics_with = await admin.list_topics()
        await admin.delete_topics([topic])
        topics_after = await admin.list_topics()
    finally:
        await admin.close()
    return {
        "client": f"aiokafka {aiokafka.__version__}",
        "cluster_id": cluster["cluster_id"],
        "controller": cluster["controller_id"],
        "brokers": [
            {"id": broker["node_id"], "host": broker["host"], "port": broker["port"]}
            for broker in cluster["brokers"]
        ],
        "topics_before": topics_before,
        "create_again": again.topic_errors[0][1],
        "partitions": [
            {
                "partition": partition["partition"],
                "leader": partition["leader"],
                "replicas": partition["replicas"],
                "isr": partition["isr"],
            }
            for partition in sorted(described["partitions"], key=lambda part: part["partition"])
        ],
        "topics_with": topics_with,
        "topics_after": topics_after,
    }


if __name__ == "__main__":
    print(json.dumps(asyncio.run(tour(sys.argv[1], sys.argv[2]))))
