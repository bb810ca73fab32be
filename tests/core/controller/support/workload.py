"""Random events for a controller: requests good and bad, time, commits, failovers, batches of the quorum."""

from __future__ import annotations

import random
from collections.abc import Callable

from kafkaproto.error_codes import ErrorCode
from kafkaproto.message import Message
from kafkaproto.messages import (
    AlterConfigsRequest,
    BrokerHeartbeatRequest,
    ControllerRegistrationRequest,
    CreatePartitionsRequest,
    CreateTopicsRequest,
    DeleteTopicsRequest,
    UnregisterBrokerRequest,
    UnregisterControllerRequest,
)
from kafkaproto_server.core.controller.values.events import BrokerFailed, KRaftVersionChanged
from tests.core.controller.support import partition_workload
from tests.core.controller.support.harness import (
    ELR,
    Harness,
    alter_configs_request,
    directory,
    incarnation,
    registration_request,
    update_features_request,
)

_TOPICS = ("a", "b", "c.d", "c_d")
_BAD_TOPICS = ("", "e f", "__cluster_metadata")
_BROKERS = (1, 2, 3, 4)
Step = Callable[[random.Random, Harness], None]


def step(rng: random.Random, harness: Harness) -> None:
    """Let one random thing happen."""
    rng.choice(_STEPS)(rng, harness)


def _brokers(rng: random.Random, most: int = 3) -> list[int]:
    return [rng.choice((-1, 9, *_BROKERS)) for _ in range(rng.randint(0, most))]


def _some_registered(rng: random.Random, harness: Harness) -> list[int]:
    registered = sorted(harness.image.brokers)
    return rng.sample(registered, rng.randint(min(1, len(registered)), len(registered)))


def _topic_name(rng: random.Random) -> str:
    return rng.choice(_TOPICS if rng.random() < 0.9 else _BAD_TOPICS)


def _send(rng: random.Random, harness: Harness, request: Message) -> None:
    deadline_ms = harness.now_ms + rng.randint(0, 300) if rng.random() < 0.1 else None
    harness.send(request, version=type(request).MAX_VERSION, deadline_ms=deadline_ms)


def _register(rng: random.Random, harness: Harness) -> None:
    broker_id = rng.choice(_BROKERS)
    known = harness.image.brokers.get(broker_id)
    directories = [directory(broker_id, number) for number in range(rng.randint(1, 2))]
    request = registration_request(
        broker_id,
        incarnation_id=incarnation(rng.randint(0, 2)),
        log_dirs=directories,
        rack=rng.choice((None, "r", "s")),
        previous_broker_epoch=-1 if known is None or rng.random() < 0.5 else known.epoch,
    )
    match rng.randint(0, 30):
        case 0:
            request.cluster_id = "other"
        case 1:
            request.features.pop()
        case 2:
            request.log_dirs = [directory(rng.choice(_BROKERS))]
        case 3:
            request.broker_id = -1
        case 4:
            request.listeners[0].security_protocol = 9
    _send(rng, harness, request)


def _heartbeat(rng: random.Random, harness: Harness) -> None:
    broker_id = rng.choice(_BROKERS)
    broker = harness.image.brokers.get(broker_id)
    broker_epoch = rng.randint(-1, 50) if broker is None or rng.random() < 0.05 else broker.epoch
    offline = [directory(broker_id, rng.randint(0, 1))] if rng.random() < 0.05 else []
    request = BrokerHeartbeatRequest(
        broker_id=broker_id,
        broker_epoch=broker_epoch,
        current_metadata_offset=max(0, harness.next_offset - rng.choice((0, 1, 1, 1, 5))),
        want_fence=rng.random() < 0.05,
        want_shut_down=rng.random() < 0.1,
        offline_log_dirs=offline,
        cordoned_log_dirs=rng.choice((None, None, None, [], [directory(broker_id)])),
    )
    _send(rng, harness, request)


def _unregister(rng: random.Random, harness: Harness) -> None:
    _send(rng, harness, UnregisterBrokerRequest(broker_id=rng.choice((-1, 9, *_BROKERS))))


def _unregister_controller(rng: random.Random, harness: Harness) -> None:
    _send(rng, harness, UnregisterControllerRequest(controller_id=rng.choice((-1, 1, 2, 3))))


def _proven_death(rng: random.Random, harness: Harness) -> None:
    broker_id = rng.choice(_BROKERS)
    broker = harness.image.brokers.get(broker_id)
    known_epoch = -1 if broker is None else broker.epoch
    harness.handle(
        BrokerFailed(
            broker_id=broker_id,
            broker_epoch=known_epoch if rng.random() < 0.8 else known_epoch - 1,
            silent_since_ms=harness.now_ms - rng.choice((0, 0, 10, 300)),
        )
    )


def _create_topics(rng: random.Random, harness: Harness) -> None:
    topics = []
    for _ in range(rng.choice((0, 1, 1, 1, 2))):
        assignments = []
        if rng.random() < 0.5:
            assignments = [
                CreateTopicsRequest.CreatableReplicaAssignment(
                    partition_index=index,
                    broker_ids=_some_registered(rng, harness) if rng.random() < 0.9 else _brokers(rng),
                )
                for index in range(rng.choice((0, 1, 1, 1, 2)))
            ]
        topics.append(
            CreateTopicsRequest.CreatableTopic(
                name=_topic_name(rng),
                num_partitions=-1 if assignments else rng.choice((-2, -1, 0, 1, 1, 2, 2, 3, 20_000)),
                replication_factor=-1 if assignments else rng.choice((-2, -1, 0, 1, 1, 2, 3)),
                assignments=assignments,
                configs=_configs(rng),
            )
        )
    _send(rng, harness, CreateTopicsRequest(topics=topics, validate_only=rng.random() < 0.1))


def _configs(rng: random.Random) -> list[CreateTopicsRequest.CreatableTopicConfig]:
    given = rng.choice(
        (
            (),
            (("min.insync.replicas", "2"),),
            (("min.insync.replicas", "2"),),
            (("min.insync.replicas", "3"),),
            (("unclean.leader.election.enable", "true"), ("min.insync.replicas", "1")),
            (("unclean.leader.election.enable", "true"),),
            (("retention.ms", None),),
            (("nonsense", "1"),),
        )
    )
    return [CreateTopicsRequest.CreatableTopicConfig(name=name, value=value) for name, value in given]


def _create_partitions(rng: random.Random, harness: Harness) -> None:
    topics = []
    for _ in range(rng.randint(0, 2)):
        assignments = None
        if rng.random() < 0.3:
            assignments = [
                CreatePartitionsRequest.CreatePartitionsAssignment(broker_ids=_some_registered(rng, harness))
                for _ in range(rng.randint(0, 2))
            ]
        topics.append(
            CreatePartitionsRequest.CreatePartitionsTopic(
                name=_topic_name(rng),
                count=rng.choice((-1, 0, 1, 2, 3, 4, 2**31 - 1)),
                assignments=assignments,
            )
        )
    _send(rng, harness, CreatePartitionsRequest(topics=topics, validate_only=rng.random() < 0.1))


def _delete_topics(rng: random.Random, harness: Harness) -> None:
    topics = []
    for _ in range(rng.randint(0, 2)):
        ids = [bytes(16), b"u" * 16, *sorted(harness.image.topics)]
        by_name = rng.random() < 0.6
        topics.append(
            DeleteTopicsRequest.DeleteTopicState(
                name=_topic_name(rng) if by_name else None,
                topic_id=rng.choice(ids) if not by_name or rng.random() < 0.1 else bytes(16),
            )
        )
    _send(rng, harness, DeleteTopicsRequest(topics=topics, timeout_ms=1))


def _register_controller(rng: random.Random, harness: Harness) -> None:
    request = ControllerRegistrationRequest(
        controller_id=rng.randint(-1, 3), incarnation_id=incarnation(rng.randint(0, 1))
    )
    _send(rng, harness, request)


def _alter_configs(rng: random.Random, harness: Harness) -> None:
    resource = rng.choice(
        ((2, _topic_name(rng)), (2, _topic_name(rng)), (4, ""), (4, "1"), (4, "77"), (9, "x"))
    )
    changes = []
    for _ in range(rng.choice((0, 1, 1, 2))):
        key, values = rng.choice(
            (
                ("min.insync.replicas", ("1", "2", "3", "0")),
                ("unclean.leader.election.enable", ("true", "false", "maybe")),
                ("cleanup.policy", ("delete", "compact", "delete,compact")),
                ("nonsense", ("1",)),
            )
        )
        changes.append((key, rng.choice((0, 0, 0, 1, 2, 3, 9)), rng.choice((None, *values, *values))))
    _send(rng, harness, alter_configs_request(*resource, *changes, validate_only=rng.random() < 0.1))


def _replace_configs(rng: random.Random, harness: Harness) -> None:
    values = rng.choice(((), (("retention.ms", "5"),), (("min.insync.replicas", "2"),), (("nonsense", "1"),)))
    resource = AlterConfigsRequest.AlterConfigsResource(
        resource_type=2,
        resource_name=_topic_name(rng),
        configs=[AlterConfigsRequest.AlterableConfig(name=name, value=value) for name, value in values],
    )
    _send(rng, harness, AlterConfigsRequest(resources=[resource]))


def _update_features(rng: random.Random, harness: Harness) -> None:
    updates = []
    for _ in range(rng.choice((0, 1, 1, 2))):
        name, levels = rng.choice(
            (
                (ELR, (1,)),
                ("group.version", (0, 1, 2)),
                ("kraft.version", (0, 1, 1, 2)),
                ("metadata.version", (29, 30, 31)),
                ("nonsense", (1,)),
            )
        )
        updates.append((name, rng.choice(levels), rng.choice((1, 1, 1, 1, 2, 3, 4))))
    _send(rng, harness, update_features_request(*updates, validate_only=rng.random() < 0.4))


def _about_partitions(rng: random.Random, harness: Harness) -> None:
    makers = (
        *(partition_workload.alter_partition,) * 5,
        partition_workload.elect_leaders,
        *(partition_workload.reassign,) * 2,
        partition_workload.assign_directories,
    )
    request = rng.choice(makers)(rng, harness)
    if request is not None:
        _send(rng, harness, request)


def _quorum_responses(rng: random.Random, harness: Harness) -> None:
    if harness.upgrades:
        errors = (
            ErrorCode.NONE,
            ErrorCode.NONE,
            ErrorCode.REQUEST_TIMED_OUT,
            ErrorCode.NOT_LEADER_OR_FOLLOWER,
        )
        harness.answer_upgrade(rng.choice(errors), "so it is")


def _commit(rng: random.Random, harness: Harness) -> None:
    if harness.controller.is_active and harness.next_offset > harness.high_watermark:
        harness.commit(rng.randint(harness.high_watermark, harness.next_offset))


def _commit_all(rng: random.Random, harness: Harness) -> None:
    if harness.controller.is_active:
        harness.commit()


def _advance(rng: random.Random, harness: Harness) -> None:
    harness.advance(rng.choice((0, 10, 200, 200, 1000)))


def _fail_over(rng: random.Random, harness: Harness) -> None:
    epoch = harness.log[-1].epoch + 1
    if harness.controller.is_active:
        if rng.random() < 0.8:
            return
        keep = None if rng.random() < 0.3 else rng.randint(0, 3)
        harness.deactivate(leader_id=rng.choice((-1, 9)), epoch=epoch, keep=keep)


def _control_batch(rng: random.Random, harness: Harness) -> None:
    if harness.controller.is_active:
        harness.append_control(rng.randint(1, 2))


def _kraft_version(rng: random.Random, harness: Harness) -> None:
    harness.handle(KRaftVersionChanged(kraft_version=rng.randint(0, 1)))


def _become_active(rng: random.Random, harness: Harness) -> None:
    if not harness.controller.is_active:
        harness.activate(harness.log[-1].epoch + 1)


_STEPS: tuple[Step, ...] = (
    *(_register,) * 3,
    *(_heartbeat,) * 12,
    _unregister,
    _proven_death,
    *(_create_topics,) * 4,
    *(_create_partitions,) * 2,
    _delete_topics,
    _register_controller,
    _unregister_controller,
    *(_alter_configs,) * 2,
    _replace_configs,
    *(_update_features,) * 2,
    *(_about_partitions,) * 12,
    _quorum_responses,
    *(_commit,) * 2,
    *(_commit_all,) * 3,
    *(_advance,) * 3,
    _fail_over,
    *(_become_active,) * 3,
    _control_batch,
    _kraft_version,
)
