"""An image of much to tell, for requests that only read it: so much that no part of it can be put in order, encoded or
let go at once."""

from __future__ import annotations

import msgspec
from immutables import Map

from kafkaproto_server.metadata.image.entries import TopicImage
from kafkaproto_server.metadata.image.image import ClusterImage
from tests.metadata.security.support.acl_making import acl

ACLS = QUOTAS = 100_000
TOPICS = 45_000
PARTITIONS = 200_000
"""Of one topic, which can have as many: each CreatePartitions adds up to 10,000."""
LARGE_TOPIC = "a-topic-of-many-partitions"


def with_much_to_tell(image: ClusterImage) -> ClusterImage:
    """The image with more of everything; its first topic's first partition serves for all."""
    partition = next(iter(image.topics.values())).partitions[0]
    one, many = Map({0: partition}), Map(dict.fromkeys(range(PARTITIONS), partition))
    names = [f"told-{number * 7919 % TOPICS}" for number in range(TOPICS - len(image.topics) - 1)]
    topics = {
        number.to_bytes(16): TopicImage(
            name=name, topic_id=number.to_bytes(16), partitions=many if name == LARGE_TOPIC else one
        )
        for number, name in enumerate([LARGE_TOPIC, *names], start=1_000_000)
    }
    acls = {
        number.to_bytes(16): acl(
            resource_name=f"t{number * 7919 % ACLS}", pattern_type=3, principal=f"User:u{number % 50}"
        )
        for number in range(ACLS)
    }
    limit = Map({"producer_byte_rate": 1.0})
    quotas = {
        (("client-id", f"c{number * 7919 % QUOTAS}"), ("user", f"u{number}")): limit
        for number in range(QUOTAS)
    }
    return msgspec.structs.replace(
        image,
        topics=image.topics.update(topics),
        topic_ids=image.topic_ids.update({topic.name: topic_id for topic_id, topic in topics.items()}),
        acls=Map(acls),
        client_quotas=Map(quotas),
    )
