"""Random requests of brokers and controllers, made by hand as if nodes stood behind them.

What is left out, because the two differ on purpose and their states would part:
- a new incarnation where the old one has shut down: with us it may register at once, with the stock controller only
  when the session of the old one is over. It is unregistered first here;
- the same incarnation again while it has cordoned directories, which the stock controller forgets until the next
  heartbeat; in the course of a controlled shutdown, which it forgets for good; or while it serves: the stock controller
  then keeps what it knew of the broker beside what it learns, and waits for it with every controlled shutdown;
- a controlled shutdown that is not gone through with, and a broker that goes on after it: the stock controller takes
  such a broker in again, though its registration still says that it leaves;
- the directory of a replica that may lead again in it: the stock controller elects with the next change only. Nor one
  that is not online, in the course of a reassignment: the first of the stock controller's two records may end that;
- the last log directory going offline: the stock controller writes a record that says nothing, and forgets how far the
  broker has read. Nor one with the heartbeat that fences: it takes the leaderships away twice;
- unregistering a broker that is eligible to lead or becomes so: the stock controller keeps it eligible. Nor one that
  was when another min.insync.replicas cleared that: the stock controller looks for its topics even if they are deleted,
  answers -1 and resigns. It does so too if such a broker tells of an offline directory, and for any broker's directory
  that held a replica of a partition whose topic was deleted while none was in sync;
- negative ids, which the stock controller registers.
"""

from __future__ import annotations

import random
from collections.abc import Callable

from compat.admin_difference.draw import (
    BROKERS,
    NO_BROKERS,
    SILENT_BROKERS,
    broker_epoch,
    directory,
    incarnation,
    mostly,
    partition_of,
    topic_id,
)
from compat.admin_difference.state import State
from compat.quorum import CLUSTER_ID
from kafkaproto.message import Message
from kafkaproto.messages import (
    AllocateProducerIdsRequest,
    AlterPartitionRequest,
    AssignReplicasToDirsRequest,
    BrokerHeartbeatRequest,
    BrokerRegistrationRequest,
    ControllerRegistrationRequest,
    UnregisterBrokerRequest,
    UnregisterControllerRequest,
)

Build = Callable[[State], Message]

FEATURES = {
    "metadata.version": (7, 33),
    "kraft.version": (0, 1),
    "transaction.version": (0, 2),
    "group.version": (0, 1),
    "eligible.leader.replicas.version": (0, 1),
    "share.version": (0, 2),
    "streams.version": (0, 1),
}
_RESERVED_DIRECTORIES = (bytes(16), bytes(15) + b"\1", bytes(15) + b"\2", bytes(15) + b"\x63")


def register(broker_id: int, rng: random.Random, *, is_silent: bool = False) -> Build:
    """A registration with one to three log directories; of another incarnation each time if it is a silent broker's."""
    number = rng.randrange(1000)
    rack = rng.choice((None, "r1", "r2"))
    directories = [directory(broker_id, each) for each in range(rng.choice((1, 1, 2, 3)))]
    features = dict(FEATURES)
    cluster_id = CLUSTER_ID
    registered = broker_id
    is_other = rng.random() < 0.1
    match rng.randrange(60):
        case 0:
            cluster_id = "other"
        case 1:
            del features["metadata.version"]
        case 2:
            features["metadata.version"] = (7, 25)
        case 3:
            features["group.version"] = (1, 1)
        case 4:
            directories.append(rng.choice(_RESERVED_DIRECTORIES))
        case 5:
            directories.append(directories[0])
        case 6:
            directories.append(directory(rng.choice(BROKERS)))
        case 7:
            directories.clear()
        case 8:
            features["unheard.of"] = (rng.randrange(2), 2)

    def build(state: State) -> Message:
        known = state.broker(registered)
        if known is not None and known.in_controlled_shutdown:
            return unregister(registered)(state) if known.fenced else beat(registered)(state)
        is_new = known is None or is_silent or (is_other and not known.fenced)
        if known is not None and not is_new and (known.cordoned or not known.fenced):
            return beat(registered, cordoned=())(state)
        return BrokerRegistrationRequest(
            broker_id=registered,
            cluster_id=cluster_id,
            incarnation_id=incarnation(registered, number)
            if is_new or known is None
            else known.incarnation_id,
            listeners=[
                BrokerRegistrationRequest.Listener(
                    name="PLAINTEXT", host="127.0.0.1", port=9000 + broker_id, security_protocol=0
                )
            ],
            features=[
                BrokerRegistrationRequest.Feature(
                    name=name, min_supported_version=low, max_supported_version=high
                )
                for name, (low, high) in features.items()
            ],
            rack=rack,
            log_dirs=directories,
        )

    return build


def beat(
    broker_id: int,
    *,
    is_behind: bool = False,
    want_fence: bool = False,
    want_shut_down: bool = False,
    offline: tuple[bytes, ...] = (),
    cordoned: tuple[bytes, ...] | None = None,
    epoch_wrong_by: int = 0,
) -> Build:
    """A heartbeat of a broker that has read either everything or nothing.

    Everything is more than there is, so that it does not count which records only one of the two wrote. A broker that
    wants to go says so until it is forgotten.
    """

    def build(state: State) -> Message:
        broker = state.broker(broker_id)
        is_going = broker is not None and broker.in_controlled_shutdown
        are_all = broker is not None and {*broker.directories} <= {*offline}
        tells_offline = not (
            are_all
            or want_fence
            or want_shut_down
            or is_going
            or broker_id in state.cleared
            or state.abandoned & {*offline}
        )
        return BrokerHeartbeatRequest(
            broker_id=broker_id,
            broker_epoch=broker_epoch(state, broker_id, epoch_wrong_by),
            current_metadata_offset=0 if is_behind else state.next_offset + 1000,
            want_fence=want_fence,
            want_shut_down=want_shut_down or is_going,
            offline_log_dirs=list(offline) if tells_offline else [],
            cordoned_log_dirs=None if cordoned is None else list(cordoned),
        )

    return build


def _register(rng: random.Random) -> Build:
    return register(rng.choice(BROKERS), rng)


def _beat(rng: random.Random) -> Build:
    broker_id = mostly(rng, BROKERS, NO_BROKERS, 0.03)
    return beat(
        broker_id,
        is_behind=rng.random() < 0.05,
        want_fence=rng.random() < 0.12,
        want_shut_down=rng.random() < 0.08,
        offline=(directory(broker_id, rng.randrange(3)),) if rng.random() < 0.06 else (),
        cordoned=rng.choice((None, None, None, None, (), (directory(broker_id),))),
        epoch_wrong_by=mostly(rng, (0,), (-1, 1), 0.03),
    )


def unregister(broker_id: int) -> Build:
    """Have a broker forgotten, unless it is or would become eligible to lead."""

    def build(state: State) -> Message:
        for (name, _), partition in state.partitions().items():
            min_isr = int(state.config(name, "min.insync.replicas", "1"))
            enough = min(min_isr, len(partition.replicas))
            becomes_eligible = broker_id in partition.isr and len(partition.isr) <= enough
            if broker_id in partition.eligible or becomes_eligible:
                return beat(broker_id, want_fence=True)(state)
        if broker_id in state.cleared:
            return beat(broker_id, want_fence=True)(state)
        return UnregisterBrokerRequest(broker_id=broker_id)

    return build


def _unregister(rng: random.Random) -> Build:
    return unregister(mostly(rng, BROKERS, NO_BROKERS))


def _register_silent(rng: random.Random) -> Build:
    """A broker that never sends a heartbeat, so that each incarnation may take the place of the one before."""
    return register(rng.choice(SILENT_BROKERS), rng, is_silent=True)


def _register_controller(rng: random.Random) -> Build:
    controller_id = rng.choice((2, 3))
    number = rng.randrange(3)
    return lambda state: ControllerRegistrationRequest(
        controller_id=controller_id,
        incarnation_id=incarnation(controller_id, number),
        listeners=[
            ControllerRegistrationRequest.Listener(
                name="CONTROLLER", host="127.0.0.1", port=9099, security_protocol=0
            )
        ],
        features=[
            ControllerRegistrationRequest.Feature(
                name=name, min_supported_version=low, max_supported_version=high
            )
            for name, (low, high) in FEATURES.items()
        ],
    )


def _unregister_controller(rng: random.Random) -> Build:
    request = UnregisterControllerRequest(controller_id=mostly(rng, (2, 3), NO_BROKERS, 0.2))
    return lambda state: request


def _alter_partition(rng: random.Random) -> Build:
    target = partition_of(rng)
    order = rng.sample(BROKERS, len(BROKERS))
    size = rng.randint(1, 3)
    sender = None if rng.random() < 0.93 else rng.choice(BROKERS)
    without_leader = rng.random() < 0.05
    unknown_node = rng.random() < 0.04
    doubled = rng.random() < 0.04
    with_fenced = rng.random() < 0.1
    wrong = [mostly(rng, (0,), (-1, 1), 0.06) for _ in range(3)]
    recovery_state = mostly(rng, (0,), (1,), 0.1)
    member_epoch_wrong_by = mostly(rng, (0, None), (1,), 0.04)

    def build(state: State) -> Message:
        name, index = target(state)
        partition = state.partition(name, index)
        leader = partition.leader if partition is not None else BROKERS[0]
        broker_id = leader if sender is None else sender
        replicas = partition.replicas if partition is not None else (leader,)
        others = [each for each in order if each in replicas and each != leader]
        if not with_fenced:
            others = [each for each in others if (broker := state.broker(each)) and not broker.fenced]
        isr = ([] if without_leader else [leader]) + others[: size - 1]
        if unknown_node:
            isr.append(order[-1])
        if doubled:
            isr.append(isr[0] if isr else leader)
        members = [
            AlterPartitionRequest.BrokerState(
                broker_id=each,
                broker_epoch=-1
                if member_epoch_wrong_by is None
                else broker_epoch(state, each, member_epoch_wrong_by),
            )
            for each in isr
        ]
        change = AlterPartitionRequest.PartitionData(
            partition_index=index,
            leader_epoch=(partition.leader_epoch if partition is not None else 0) + wrong[0],
            new_isr_with_epochs=members,
            leader_recovery_state=recovery_state,
            partition_epoch=(partition.partition_epoch if partition is not None else 0) + wrong[1],
        )
        topics = [AlterPartitionRequest.TopicData(topic_id=topic_id(state, name), partitions=[change])]
        return AlterPartitionRequest(
            broker_id=broker_id, broker_epoch=broker_epoch(state, broker_id, wrong[2]), topics=topics
        )

    return build


def _allocate_producer_ids(rng: random.Random) -> Build:
    broker_id = mostly(rng, BROKERS, NO_BROKERS)
    wrong_by = mostly(rng, (0,), (-1, 1))
    return lambda state: AllocateProducerIdsRequest(
        broker_id=broker_id, broker_epoch=broker_epoch(state, broker_id, wrong_by)
    )


def _assign_directories(rng: random.Random) -> Build:
    broker_id = rng.choice(BROKERS)
    wrong_by = mostly(rng, (0,), (-1, 1), 0.05)
    wanted = [
        (
            mostly(rng, [directory(broker_id, each) for each in range(3)], _RESERVED_DIRECTORIES, 0.15),
            partition_of(rng),
        )
        for _ in range(mostly(rng, (1,), (0,)))
    ]

    def build(state: State) -> Message:
        entry = AssignReplicasToDirsRequest
        return AssignReplicasToDirsRequest(
            broker_id=broker_id,
            broker_epoch=broker_epoch(state, broker_id, wrong_by),
            directories=[
                entry.DirectoryData(
                    id=directory_id,
                    topics=[
                        entry.TopicData(
                            topic_id=topic_id(state, name),
                            partitions=[entry.PartitionData(partition_index=index)],
                        )
                    ],
                )
                for directory_id, (name, index) in (
                    (directory_id, target(state)) for directory_id, target in wanted
                )
                if not _changes_more(state, broker_id, directory_id, name, index)
            ],
        )

    return build


def _changes_more(state: State, broker_id: int, directory_id: bytes, name: str, index: int) -> bool:
    broker, partition = state.broker(broker_id), state.partition(name, index)
    if broker is None or partition is None:
        return False
    if directory_id in broker.directories:
        return partition.leader < 0
    return bool(partition.adding or partition.removing)


REQUESTS: tuple[tuple[int, Callable[[random.Random], Build]], ...] = (
    (6, _register),
    (1, _register_silent),
    (22, _beat),
    (2, _unregister),
    (1, _register_controller),
    (2, _unregister_controller),
    (16, _alter_partition),
    (3, _allocate_producer_ids),
    (6, _assign_directories),
)
"""Weight and maker of each kind."""
