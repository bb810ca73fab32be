"""Which of Kafka's keys have an effect here, and warnings for those that an operator relies on in vain.

Any key of Kafka may be set, and responses about the configuration show it. A key without effect is named once, when the
node starts.
"""

from __future__ import annotations

from collections.abc import Iterable

from kafkaproto_server.config.keys.definitions import (
    BROKER_KEYS,
    TOPIC_KEYS,
    base_of_listener_key,
    broker_key,
)
from kafkaproto_server.config.properties import DEFAULTS, Properties
from kafkaproto_server.config.protection import missing_protection

_OF_COORDINATORS = (
    "offset.metadata.max.bytes",
    "offsets.commit.timeout.ms",
    "offsets.retention.",
    "offsets.topic.compression.codec",
    "offsets.topic.num.partitions",
    "offsets.topic.replication.factor",
    "offsets.topic.segment.bytes",
    "group.initial.rebalance.delay.ms",
    "group.max.s",
    "group.min.session.timeout.ms",
    "group.consumer.",
    "group.coordinator.rebalance.protocols",
    "group.streams.acceptable.recovery.lag",
    "group.streams.assignment.interval.ms",
    "group.streams.heartbeat.interval.ms",
    "group.streams.initial.rebalance.delay.ms",
    "group.streams.max.assignment.interval.ms",
    "group.streams.max.heartbeat.interval.ms",
    "group.streams.max.session.timeout.ms",
    "group.streams.max.size",
    "group.streams.max.standby.replicas",
    "group.streams.min.",
    "group.streams.num.standby.replicas",
    "group.streams.rack.aware.assignment.tags",
    "group.streams.session.timeout.ms",
    "group.streams.task.offset.interval.ms",
    "errors.deadletterqueue.",
    "group.share.assignment.interval.ms",
    "group.share.heartbeat.interval.ms",
    "group.share.initialize.retry.interval.ms",
    "group.share.max.assignment.interval.ms",
    "group.share.max.heartbeat.interval.ms",
    "group.share.max.session.timeout.ms",
    "group.share.max.size",
    "group.share.min.assignment.interval.ms",
    "group.share.min.heartbeat.interval.ms",
    "group.share.min.session.timeout.ms",
    "group.share.session.timeout.ms",
    "add.partitions.to.txn.",
    "request.timeout.ms",
    "group.share.delivery.count.limit",
    "group.share.max.delivery.count.limit",
    "group.share.max.partition.max.record.locks",
    "group.share.max.record.lock.duration.ms",
    "group.share.max.share.sessions",
    "group.share.min.delivery.count.limit",
    "group.share.min.partition.max.record.locks",
    "group.share.min.record.lock.duration.ms",
    "group.share.partition.max.record.locks",
    "group.share.record.lock.duration.ms",
    "share.coordinator.cold.partition.snapshot.interval.ms",
    "share.coordinator.snapshot.update.records.per.snapshot",
    "share.coordinator.state.topic.min.isr",
    "share.coordinator.state.topic.num.partitions",
    "share.coordinator.state.topic.prune.interval.ms",
    "share.coordinator.state.topic.replication.factor",
    "share.coordinator.state.topic.segment.bytes",
    "share.coordinator.write.timeout.ms",
    "transaction.abort.timed.out.transaction.cleanup.interval.ms",
    "transaction.max.timeout.ms",
    "transaction.partition.verification.enable",
    "transaction.remove.expired.transaction.cleanup.interval.ms",
    "transaction.state.log.min.isr",
    "transaction.state.log.num.partitions",
    "transaction.state.log.replication.factor",
    "transaction.state.log.segment.bytes",
    "transaction.two.phase.commit.enable",
    "transactional.id.expiration.ms",
)
"""What the names of keys begin with that coordinators use."""
USED_BESIDE_FIELDS = (
    # Other names of fields, and keys from which fields are computed.
    "advertised.listeners",
    "broker.id",
    "log.dir",
    "security.inter.broker.protocol",
    # Controllers read these from the configuration that topics inherit.
    "min.insync.replicas",
    "unclean.leader.election.enable",
    # Brokers read these with the configs of the data plane.
    "fetch.max.bytes",
    "follower.replication.throttled.rate",
    "leader.replication.throttled.rate",
    "log.cleaner.backoff.ms",
    "log.cleaner.dedupe.buffer.size",
    "log.cleaner.enable",
    "log.cleaner.io.buffer.load.factor",
    "log.cleaner.io.max.bytes.per.second",
    "log.flush.offset.checkpoint.interval.ms",
    "log.flush.scheduler.interval.ms",
    "log.flush.start.offset.checkpoint.interval.ms",
    "log.initial.task.delay.ms",
    "log.retention.check.interval.ms",
    "log.segment.delete.delay.ms",
    # The coordinators read these.
    *(key for key in BROKER_KEYS if key.startswith(_OF_COORDINATORS)),
    "max.incremental.fetch.session.cache.slots",
    "num.replica.alter.log.dirs.threads",
    "num.replica.fetchers",
    "producer.id.expiration.check.interval.ms",
    "producer.id.expiration.ms",
    "replica.alter.log.dirs.io.max.bytes.per.second",
    "replica.fetch.backoff.ms",
    "replica.fetch.max.bytes",
    "replica.fetch.min.bytes",
    "replica.fetch.response.max.bytes",
    "replica.fetch.wait.max.ms",
    "replica.high.watermark.checkpoint.interval.ms",
    "replica.lag.time.max.ms",
    "replica.selector.class",
    "replica.socket.timeout.ms",
    "replication.quota.window.num",
    "replication.quota.window.size.seconds",
    # Listeners open their sockets with these.
    "socket.listen.backlog.size",
    "socket.receive.buffer.bytes",
    "socket.send.buffer.bytes",
    # Topics inherit these.
    *(
        key
        for name, definition in TOPIC_KEYS.items()
        if not name.startswith(("errors.", "local.", "preallocate", "remote."))
        for key, _ in definition.synonyms
    ),
)
"""Keys without a field of `Config` that have an effect, besides being shown in responses about the configuration."""
USED_BY_LISTENERS = ("max.connections", "max.connection.creation.rate")
"""Keys that can be set for one listener, as ``listener.name.NAME.KEY``."""


def unused_keys(properties: Properties, fields: Iterable[str]) -> tuple[str, ...]:
    """Kafka's keys that the operator set and that have no effect here, ordered by name. ``fields`` are the keys of the
    fields of `Config`. Keys for one listener have no effect either, except `USED_BY_LISTENERS`."""
    used = {*fields, *USED_BESIDE_FIELDS}
    return tuple(
        sorted(
            key
            for key, origin in properties.origins.items()
            if origin != DEFAULTS
            and key not in used
            and broker_key(key) is not None
            and base_of_listener_key(key) not in USED_BY_LISTENERS
        )
    )


def missing_protections(properties: Properties, unused: Iterable[str]) -> dict[str, str]:
    """Warnings, by key, for keys that do not protect as they should."""
    found = {}
    for key in unused:
        reason = missing_protection(base_of_listener_key(key) or key)
        if reason is not None:
            found[key] = f"{properties.origins[key]}: {key} does not protect this server: {reason}"
    return found
