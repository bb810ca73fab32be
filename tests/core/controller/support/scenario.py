"""Runs scenario files: commands to one controller, each followed by ``----`` and what it has to print.

A file holds blocks that are parted by blank lines. Lines that start with ``#`` are comments. A block is a
command line, a line ``----`` and the expected lines. ``REWRITE_SCENARIOS=1`` in the environment makes the
tests write what was printed into the files instead of comparing; review the difference then.

Commands (arguments are ``name=value``, most of them optional):

- ``controller elr=no no-op=0 session=9000 local-incarnation=N balance=SECONDS unclean=MS`` a new log and its
  controller, node 1; without intervals no leaders are elected by themselves
- ``activate epoch=1``, ``deactivate leader=2 epoch=2 keep=0``, ``commit to=N``, ``advance ms=0``,
  ``control records=1`` what the quorum and the clock do; of the uncommitted batches the first ``keep`` stay
- ``restart`` another controller process reads the log
- ``register broker=1 incarnation=1 directories=1 rack=R previous-epoch=N features=all`` with the levels that a
  broker supports; else with those in force alone
- ``heartbeat broker=1 offset=N epoch=N want=fence,shut-down offline=0,1 cordoned=0`` offset and epoch are the
  newest ones unless given; directories go by their numbers
- ``unregister broker=1``, ``failed broker=1 epoch=N silent=MS`` nobody answers at its endpoints, and the
  connection of its newest heartbeat ended so long ago
- ``jump ms=N`` what the wall clock alone does
- ``create-topic name=t replicas=1,2;2,3 factor=N partitions=N config=key:value``,
  ``create-partitions name=t count=N``, ``delete-topic name=t``
- ``alter-partition topic=t index=0 isr=1,2 recovery=0`` the leader asks; ``elect topic=t index=0 type=preferred``,
  ``reassign topic=t index=0 replicas=4,5`` (no replicas: take it back), ``assign topic=t index=0 broker=1
  directory=1``; ``elect`` without a topic is for all of them
- ``alter-config type=topic name=t set=key:value;key:value delete=key append=key:value subtract=key:value``,
  ``update-features group.version=1 kraft.version=1`` (``type=N`` for the upgrade type), ``quorum-answers
  error=NAME`` what the quorum says to a raised kraft.version, ``register-controller id=2 group.version=0:0``,
  ``unregister-controller id=2``
- ``snapshot`` another controller process loads the committed image as a snapshot
- ``state``, ``deadline``, ``partition topic=t index=0``, ``broker id=1`` print what they are named for

``timeout=MS`` puts a time limit on any request. What a command leads to is printed as it is described for
logs; published images are left out, for one follows each commit.
"""

from __future__ import annotations

from typing import Any

from kafkaproto.error_codes import ErrorCode
from kafkaproto.message import Message
from kafkaproto.messages import (
    AlterPartitionReassignmentsRequest,
    AssignReplicasToDirsRequest,
    BrokerHeartbeatRequest,
    CreatePartitionsRequest,
    CreateTopicsRequest,
    DeleteTopicsRequest,
    ElectLeadersRequest,
    UnregisterBrokerRequest,
    UnregisterControllerRequest,
)
from kafkaproto_server.core.controller.values.effects import PublishImage
from kafkaproto_server.core.controller.values.events import BrokerFailed, SnapshotLoaded, TimePassed
from kafkaproto_server.metadata.image.entries import BROKER_RESOURCE, TOPIC_RESOURCE, PartitionImage
from tests.core.controller.support.describe import describe_controller, describe_effect
from tests.core.controller.support.harness import (
    Harness,
    alter_configs_request,
    controller_registration_request,
    directory,
    incarnation,
    registration_request,
    update_features_request,
)

Arguments = dict[str, str]


class Runner:
    """One controller over the length of a scenario."""

    def __init__(self) -> None:
        self._settings: Arguments = {}
        self._harness = Harness(active=False)

    def run(self, command: str) -> list[str]:
        """What the command prints."""
        name, *words = command.split()
        arguments = dict(word.split("=", 1) for word in words)
        self._harness.effects.clear()
        method = getattr(self, f"_run_{name.replace('-', '_')}")
        printed: list[str] | None = method(arguments)
        if printed is not None:
            return printed
        return [
            describe_effect(effect)
            for effect in self._harness.effects
            if not isinstance(effect, PublishImage)
        ]

    # --- the quorum and the clock ---

    def _run_controller(self, arguments: Arguments) -> None:
        self._settings = arguments
        self._harness = self._new_harness()

    def _new_harness(self) -> Harness:
        config: dict[str, Any] = {
            "metadata_max_idle_interval_ms": int(self._settings.get("no-op", "0")),
            "broker_session_timeout_ms": int(self._settings.get("session", "9000")),
            "auto_leader_rebalance_enable": "balance" in self._settings,
            "leader_imbalance_check_interval_seconds": int(self._settings.get("balance", "0")),
            "unclean_leader_election_interval_ms": int(self._settings.get("unclean", "0")),
        }
        if "local-incarnation" in self._settings:
            config["local_broker_incarnation_id"] = incarnation(int(self._settings["local-incarnation"]))
        config["metadata_version"] = int(self._settings.get("level", "30"))
        features = ["eligible.leader.replicas.version"] if self._settings.get("elr") == "yes" else []
        return Harness(active=False, features=features, **config)

    def _run_restart(self, arguments: Arguments) -> None:
        old = self._harness
        self._harness = self._new_harness()
        self._harness.now_ms = old.now_ms
        self._harness.replay_log(old.log)

    def _run_snapshot(self, arguments: Arguments) -> None:
        old = self._harness
        image = old.controller.committed_image
        self._harness = self._new_harness()
        self._harness.now_ms = old.now_ms
        self._harness.log = [batch for batch in old.log if batch.last_offset <= image.offset]
        self._harness.high_watermark = self._harness.next_offset
        self._harness.handle(SnapshotLoaded(image=image))

    def _run_quorum_answers(self, arguments: Arguments) -> None:
        self._harness.answer_upgrade(ErrorCode[arguments.get("error", "NONE")])

    def _run_activate(self, arguments: Arguments) -> None:
        self._harness.activate(int(arguments.get("epoch", "1")))

    def _run_deactivate(self, arguments: Arguments) -> None:
        self._harness.deactivate(
            leader_id=int(arguments.get("leader", "2")),
            epoch=int(arguments.get("epoch", "2")),
            keep=int(arguments.get("keep", "0")),
        )

    def _run_commit(self, arguments: Arguments) -> None:
        self._harness.commit(int(arguments["to"]) if "to" in arguments else None)

    def _run_control(self, arguments: Arguments) -> None:
        self._harness.append_control(int(arguments.get("records", "1")))

    def _run_advance(self, arguments: Arguments) -> None:
        self._harness.advance(int(arguments.get("ms", "0")))

    def _run_jump(self, arguments: Arguments) -> None:
        self._harness.wall_ms += int(arguments["ms"])
        self._harness.handle(TimePassed())

    # --- requests ---

    def _send(self, request: Message, arguments: Arguments) -> None:
        deadline_ms = None
        if "timeout" in arguments:
            deadline_ms = self._harness.now_ms + int(arguments["timeout"])
        self._harness.send(request, deadline_ms=deadline_ms)

    def _run_register(self, arguments: Arguments) -> None:
        broker_id = int(arguments["broker"])
        finalized = {"features": self._harness.finalized_features()}
        request = registration_request(
            broker_id,
            **({} if arguments.get("features") == "all" else finalized),
            incarnation_id=incarnation(int(arguments.get("incarnation", str(broker_id)))),
            log_dirs=[directory(broker_id, n) for n in range(int(arguments.get("directories", "1")))],
            rack=arguments.get("rack"),
            previous_broker_epoch=int(arguments.get("previous-epoch", "-1")),
        )
        self._send(request, arguments)

    def _run_heartbeat(self, arguments: Arguments) -> None:
        broker_id = int(arguments["broker"])
        wants = arguments.get("want", "").split(",")
        fields: dict[str, object] = {"want_fence": "fence" in wants, "want_shut_down": "shut-down" in wants}
        if "offset" in arguments:
            fields["current_metadata_offset"] = int(arguments["offset"])
        if "epoch" in arguments:
            fields["broker_epoch"] = int(arguments["epoch"])
        for name in ("offline", "cordoned"):
            if name in arguments:
                numbers = [int(number) for number in arguments[name].split(",") if number]
                fields[f"{name}_log_dirs"] = [directory(broker_id, number) for number in numbers]
        request: BrokerHeartbeatRequest = self._harness.heartbeat_request(broker_id, **fields)
        self._send(request, arguments)

    def _run_unregister(self, arguments: Arguments) -> None:
        self._send(UnregisterBrokerRequest(broker_id=int(arguments["broker"])), arguments)

    def _run_unregister_controller(self, arguments: Arguments) -> None:
        self._send(UnregisterControllerRequest(controller_id=int(arguments["id"])), arguments)

    def _run_failed(self, arguments: Arguments) -> None:
        broker_id = int(arguments["broker"])
        broker = self._harness.image.brokers.get(broker_id)
        known_epoch = -1 if broker is None else broker.epoch
        self._harness.handle(
            BrokerFailed(
                broker_id=broker_id,
                broker_epoch=int(arguments.get("epoch", str(known_epoch))),
                silent_since_ms=self._harness.now_ms - int(arguments.get("silent", "0")),
            )
        )

    def _run_create_topic(self, arguments: Arguments) -> None:
        assignments = [
            CreateTopicsRequest.CreatableReplicaAssignment(
                partition_index=index, broker_ids=[int(broker_id) for broker_id in replicas.split(",")]
            )
            for index, replicas in enumerate(arguments.get("replicas", "").split(";"))
            if replicas
        ]
        configs = [
            CreateTopicsRequest.CreatableTopicConfig(name=word.split(":")[0], value=word.split(":")[1])
            for word in arguments.get("config", "").split(";")
            if word
        ]
        topic = CreateTopicsRequest.CreatableTopic(
            name=arguments["name"],
            num_partitions=int(arguments.get("partitions", "-1")),
            replication_factor=int(arguments.get("factor", "-1")),
            assignments=assignments,
            configs=configs,
        )
        self._send(CreateTopicsRequest(topics=[topic]), arguments)

    def _run_create_partitions(self, arguments: Arguments) -> None:
        topic = CreatePartitionsRequest.CreatePartitionsTopic(
            name=arguments["name"], count=int(arguments["count"]), assignments=None
        )
        self._send(CreatePartitionsRequest(topics=[topic]), arguments)

    def _run_alter_partition(self, arguments: Arguments) -> None:
        fields: dict[str, object] = {"isr": [int(each) for each in arguments["isr"].split(",")]}
        if "recovery" in arguments:
            fields["leader_recovery_state"] = int(arguments["recovery"])
        index = int(arguments.get("index", "0"))
        self._send(self._harness.alter_partition_request(arguments["topic"], index, **fields), arguments)

    def _run_elect(self, arguments: Arguments) -> None:
        asked = None
        if "topic" in arguments:
            indexes = [int(arguments.get("index", "0"))]
            asked = [ElectLeadersRequest.TopicPartitions(topic=arguments["topic"], partitions=indexes)]
        election_type = ("preferred", "unclean").index(arguments.get("type", "preferred"))
        self._send(ElectLeadersRequest(election_type=election_type, topic_partitions=asked), arguments)

    def _run_reassign(self, arguments: Arguments) -> None:
        replicas = None
        if "replicas" in arguments:
            replicas = [int(each) for each in arguments["replicas"].split(",")]
        partition = AlterPartitionReassignmentsRequest.ReassignablePartition(
            partition_index=int(arguments.get("index", "0")), replicas=replicas
        )
        topic = AlterPartitionReassignmentsRequest.ReassignableTopic(
            name=arguments["topic"], partitions=[partition]
        )
        self._send(AlterPartitionReassignmentsRequest(topics=[topic]), arguments)

    def _run_assign(self, arguments: Arguments) -> None:
        broker_id = int(arguments["broker"])
        partition = AssignReplicasToDirsRequest.PartitionData(
            partition_index=int(arguments.get("index", "0"))
        )
        topic = AssignReplicasToDirsRequest.TopicData(
            topic_id=self._harness.image.topic_ids[arguments["topic"]], partitions=[partition]
        )
        assigned = AssignReplicasToDirsRequest.DirectoryData(
            id=directory(broker_id, int(arguments["directory"])), topics=[topic]
        )
        request = AssignReplicasToDirsRequest(
            broker_id=broker_id,
            broker_epoch=self._harness.image.brokers[broker_id].epoch,
            directories=[assigned],
        )
        self._send(request, arguments)

    def _run_delete_topic(self, arguments: Arguments) -> None:
        topic = DeleteTopicsRequest.DeleteTopicState(name=arguments["name"])
        self._send(DeleteTopicsRequest(topics=[topic]), arguments)

    def _run_alter_config(self, arguments: Arguments) -> None:
        types = {"topic": TOPIC_RESOURCE, "broker": BROKER_RESOURCE}
        configs: list[tuple[str, int, str | None]] = []
        for operation, name in enumerate(("set", "delete", "append", "subtract")):
            for word in arguments.get(name, "").split(";"):
                if word:
                    key, separator, value = word.partition(":")
                    configs.append((key, operation, value if separator else None))
        resource_type = types[arguments.get("type", "topic")]
        self._send(alter_configs_request(resource_type, arguments.get("name", ""), *configs), arguments)

    def _run_update_features(self, arguments: Arguments) -> None:
        upgrade_type = int(arguments.get("type", "1"))
        updates = [
            (name, int(level), upgrade_type) for name, level in arguments.items() if name.endswith(".version")
        ]
        self._send(update_features_request(*updates), arguments)

    def _run_register_controller(self, arguments: Arguments) -> None:
        ranges = {
            name.replace(".", "_"): (int(word.split(":")[0]), int(word.split(":")[1]))
            for name, word in arguments.items()
            if name.endswith(".version")
        }
        self._send(controller_registration_request(int(arguments["id"]), **ranges), arguments)

    # --- questions ---

    def _run_state(self, arguments: Arguments) -> list[str]:
        return [describe_controller(self._harness.controller)]

    def _run_deadline(self, arguments: Arguments) -> list[str]:
        deadline_ms = self._harness.controller.next_deadline_ms()
        return ["none" if deadline_ms is None else f"in {deadline_ms - self._harness.now_ms} ms"]

    def _run_partition(self, arguments: Arguments) -> list[str]:
        topic = self._harness.image.topic_by_name(arguments["topic"])
        assert topic is not None, f"no topic {arguments['topic']}"
        partition = topic.partitions[int(arguments.get("index", "0"))]
        return [
            f"replicas={list(partition.replicas)} isr={list(partition.isr)} leader={partition.leader}"
            f" elr={list(partition.elr)} last known={list(partition.last_known_elr)}"
            f" recovery={partition.leader_recovery_state}{_reassignment(partition)}"
            f" epochs={partition.leader_epoch}/{partition.partition_epoch}"
        ]

    def _run_broker(self, arguments: Arguments) -> list[str]:
        broker = self._harness.image.brokers.get(int(arguments["id"]))
        if broker is None:
            return ["not registered"]
        cordoned = broker.cordoned_directories
        return [
            f"epoch={broker.epoch} registered at {broker.registration_offset} fenced={broker.fenced}"
            f" shutting down={broker.in_controlled_shutdown} directories={len(broker.directories)}"
            f" cordoned={None if cordoned is None else len(cordoned)}"
        ]


def _reassignment(partition: PartitionImage) -> str:
    if not partition.is_being_reassigned():
        return ""
    return f" adding={list(partition.adding_replicas)} removing={list(partition.removing_replicas)}"
