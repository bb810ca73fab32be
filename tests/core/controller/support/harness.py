"""A controller with a log that stands in for the quorum, and requests that are easy to write."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from kafkaproto.error_codes import ErrorCode
from kafkaproto.message import Message
from kafkaproto.messages import (
    AlterPartitionRequest,
    BrokerHeartbeatRequest,
    BrokerRegistrationRequest,
    ControllerRegistrationRequest,
    CreateTopicsRequest,
    FeatureLevelRecord,
    IncrementalAlterConfigsRequest,
    UpdateFeaturesRequest,
)
from kafkaproto.records.metadata import decode_metadata_record
from kafkaproto_server.apis.table import refuse_at_once
from kafkaproto_server.base.ports import Rng
from kafkaproto_server.core.controller.machine.change_processor import STEPS_PER_SLICE
from kafkaproto_server.core.controller.machine.controller import Controller
from kafkaproto_server.core.controller.values.config import ControllerConfig
from kafkaproto_server.core.controller.values.effects import (
    AppendRecords,
    Effect,
    PublishImage,
    Refuse,
    ReportFailure,
    Respond,
    UpgradeKRaftVersion,
)
from kafkaproto_server.core.controller.values.events import (
    BatchCommitted,
    BecameActive,
    BecameInactive,
    CommandContext,
    CommandReceived,
    Event,
    KRaftVersionChanged,
    KRaftVersionUpgraded,
    QuorumAppended,
    RecordsCommitted,
    TimePassed,
)
from kafkaproto_server.metadata.features import METADATA_VERSION, supported_ranges
from kafkaproto_server.metadata.image.entries import PartitionImage
from kafkaproto_server.metadata.image.image import ClusterImage
from kafkaproto_server.requests.refusals import Refusal

CLUSTER_ID = "MkU3OEVBNTcwNTJENDM2Qg"
TIMESTAMP_MS = 1_795_239_301_118


class SeededRng:
    """``ports.Rng`` that a seed repeats."""

    def __init__(self, seed: int = 0) -> None:
        self._random = random.Random(seed)

    def below(self, limit: int) -> int:
        return self._random.randrange(limit)

    def uuid(self) -> bytes:
        return self._random.randbytes(16)


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """A batch of the log; ``records`` is None for control records."""

    base_offset: int
    last_offset: int
    epoch: int
    records: tuple[bytes, ...] | None


ELR = "eligible.leader.replicas.version"


def bootstrap_records(features: Sequence[str] = (ELR,), metadata_version: int = 30) -> list[Message]:
    """metadata.version, and these features at level 1."""
    levels = {METADATA_VERSION: metadata_version, **dict.fromkeys(features, 1)}
    return [FeatureLevelRecord(name=name, feature_level=level) for name, level in levels.items()]


def incarnation(number: int) -> bytes:
    """An incarnation id."""
    return b"incarnation" + number.to_bytes(5, "big")


def directory(broker_id: int, number: int = 0) -> bytes:
    """A log directory's id."""
    return b"directory" + broker_id.to_bytes(4, "big") + number.to_bytes(3, "big")


class Harness:
    """One controller and its log. Appends reach the log at once and are committed when `commit` says so."""

    def __init__(
        self,
        *,
        active: bool = True,
        features: Sequence[str] = (ELR,),
        metadata_version: int = 30,
        seed: int = 0,
        node_id: int = 1,
        rng: Rng | None = None,
        steps_per_slice: int = STEPS_PER_SLICE,
        in_slices: bool = False,
        **config: Any,
    ) -> None:
        # A test that is not about them is not to be disturbed by what time brings.
        quiet = {
            "metadata_max_idle_interval_ms": 0,
            "auto_leader_rebalance_enable": False,
            "unclean_leader_election_interval_ms": 0,
        }
        config = {**quiet, **config}
        self.controller = Controller(
            node_id=node_id,
            cluster_id=CLUSTER_ID,
            config=ControllerConfig(**config),
            rng=SeededRng(seed) if rng is None else rng,
            bootstrap_records=bootstrap_records(features, metadata_version),
            steps_per_slice=steps_per_slice,
        )
        self.in_slices = in_slices
        self.now_ms = 1_000
        self.wall_ms = TIMESTAMP_MS
        self.log: list[Batch] = []
        self.high_watermark = 0
        self.effects: list[Effect] = []
        self.images: list[ClusterImage] = []
        self.upgrades: list[UpgradeKRaftVersion] = []
        self.expects_failures = False
        self._next_command_id = 1
        if active:
            self.activate()
            self.commit()
            self.effects.clear()

    # --- the quorum ---

    @property
    def next_offset(self) -> int:
        return self.log[-1].last_offset + 1 if self.log else 0

    def handle(self, event: Event) -> None:
        """Hand an event over and apply the effects; all of it, unless the harness works in slices."""
        self.controller.handle(event, self.now_ms, wall_ms=self.wall_ms)
        self._apply_all()
        while self.controller.has_work and not self.in_slices:
            self.work()

    def work(self, slices: int = 1) -> None:
        """Let the controller take so many slices of what it has to do."""
        for _ in range(slices):
            self.controller.handle(TimePassed(), self.now_ms, wall_ms=self.wall_ms)
            self._apply_all()

    def finish(self) -> int:
        """Let the controller do all that it has to do; in how many slices."""
        slices = 0
        while self.controller.has_work:
            self.work()
            slices += 1
        return slices

    def _apply_all(self) -> None:
        while asked := self.controller.take_effects():
            for effect in asked:
                self._apply(effect)

    def _apply(self, effect: Effect) -> None:
        self.effects.append(effect)
        if isinstance(effect, AppendRecords):
            assert effect.base_offset == self.next_offset
            self.log.append(
                Batch(
                    base_offset=effect.base_offset,
                    last_offset=effect.base_offset + len(effect.records) - 1,
                    epoch=effect.epoch,
                    records=effect.records,
                )
            )
        elif isinstance(effect, PublishImage):
            self.images.append(effect.image)
        elif isinstance(effect, UpgradeKRaftVersion):
            self.upgrades.append(effect)
        elif isinstance(effect, ReportFailure) and not self.expects_failures:
            raise effect.error

    def replay_log(self, log: Sequence[Batch]) -> None:
        """Read a log, all of it committed, as a standby does."""
        for batch in log:
            self.log.append(batch)
            self.handle(committed(batch))
            self.high_watermark = self.next_offset

    def append_control(self, count: int = 1) -> None:
        """The quorum appends control records of its own."""
        last_offset = self.next_offset + count - 1
        epoch = self.log[-1].epoch
        self.log.append(
            Batch(base_offset=self.next_offset, last_offset=last_offset, epoch=epoch, records=None)
        )
        self.handle(QuorumAppended(next_offset=last_offset + 1))

    def answer_upgrade(self, error_code: ErrorCode = ErrorCode.NONE, message: str | None = None) -> None:
        """The quorum does what it was asked first, or says why not."""
        upgrade = self.upgrades.pop(0)
        is_done = error_code == ErrorCode.NONE and not upgrade.validate_only
        if is_done and self.controller.active_epoch == upgrade.epoch:
            self.append_control(2)
            self.handle(KRaftVersionChanged(kraft_version=upgrade.level))
        self.handle(
            KRaftVersionUpgraded(command_id=upgrade.command_id, error_code=error_code, message=message)
        )

    def activate(self, epoch: int = 1) -> None:
        """Become active in a new epoch, whose leader change is the next record of the log."""
        offset = self.next_offset
        self.log.append(Batch(base_offset=offset, last_offset=offset, epoch=epoch, records=None))
        self.handle(committed(self.log[-1]))
        self.high_watermark = offset + 1
        self.handle(BecameActive(epoch=epoch, next_offset=offset + 1))

    def deactivate(self, *, leader_id: int = -1, epoch: int = 2, keep: int | None = None) -> None:
        """Lose leadership; of the uncommitted batches the first ``keep`` stay and are committed."""
        kept = [batch for batch in self.log if batch.last_offset < self.high_watermark]
        lost = self.log[len(kept) :]
        survivors = lost[:keep]
        self.log = [*kept, *survivors]
        self.handle(BecameInactive(leader_id=leader_id, epoch=epoch))
        for batch in survivors:
            self.handle(committed(batch))
            self.high_watermark = batch.last_offset + 1

    def commit(self, high_watermark: int | None = None) -> None:
        """Let the high watermark reach the end of the log, or another offset."""
        self.high_watermark = self.next_offset if high_watermark is None else high_watermark
        self.handle(RecordsCommitted(high_watermark=self.high_watermark, timestamp_ms=TIMESTAMP_MS))

    def advance(self, milliseconds: int) -> None:
        """Let time pass."""
        self.now_ms += milliseconds
        self.wall_ms += milliseconds
        self.handle(TimePassed())

    # --- requests ---

    def send(self, request: Message, *, version: int | None = None, deadline_ms: int | None = None) -> int:
        """Hand a request over; returns its command id."""
        command_id = self._next_command_id
        self._next_command_id += 1
        wire_version = type(request).MAX_VERSION if version is None else version
        context = CommandContext(listener_name="CONTROLLER", client_host="127.0.0.1", deadline_ms=deadline_ms)
        self.handle(
            CommandReceived(command_id=command_id, request=request, version=wire_version, context=context)
        )
        return command_id

    def call(self, request: Message, *, version: int | None = None) -> Any:
        """Hand a request over, commit what it writes and return its answer."""
        command_id = self.send(request, version=version)
        self.commit()
        response = self.answer(command_id)
        assert response is not None, f"{request.NAME} was not answered"
        return response

    def answer(self, command_id: int) -> Any:
        """The answer to a command, None while there is none."""
        found = [
            each
            for each in self.effects
            if isinstance(each, Respond | Refuse) and each.command_id == command_id
        ]
        assert len(found) <= 1, f"command {command_id} was answered twice"
        return response_of(found[0]) if found else None

    # --- what came of it ---

    @property
    def image(self) -> ClusterImage:
        return self.controller.newest_image

    def records(self, start: int = 0) -> list[Message]:
        """Every metadata record in the log from the batch at an offset on."""
        return [
            decode_metadata_record(value)[0]
            for batch in self.log
            if batch.base_offset >= start and batch.records is not None
            for value in batch.records
        ]

    def appended_values(self) -> list[bytes]:
        """Values of the records of the last batch."""
        assert self.log[-1].records is not None
        return list(self.log[-1].records)

    def finalized_features(self) -> list[BrokerRegistrationRequest.Feature]:
        """What a broker must support, and no more."""
        return [
            BrokerRegistrationRequest.Feature(
                name=name, min_supported_version=level, max_supported_version=level
            )
            for name, level in sorted(self.image.features.items())
        ]

    # --- short ways ---

    def register(self, broker_id: int, **fields: Any) -> Any:
        """Register a broker; returns the answer."""
        return self.call(registration_request(broker_id, **fields))

    def heartbeat(self, broker_id: int, **fields: Any) -> Any:
        """A heartbeat of a registered broker that has read all there is, unless said otherwise."""
        return self.call(self.heartbeat_request(broker_id, **fields))

    def heartbeat_request(self, broker_id: int, **fields: Any) -> BrokerHeartbeatRequest:
        broker = self.image.brokers.get(broker_id)
        known = {
            "broker_epoch": -1 if broker is None else broker.epoch,
            "current_metadata_offset": self.next_offset - 1,
        }
        return BrokerHeartbeatRequest(broker_id=broker_id, **{**known, **fields})

    def start_brokers(self, *broker_ids: int, **fields: Any) -> None:
        """Register brokers and unfence them."""
        for broker_id in broker_ids:
            assert self.register(broker_id, **fields).error_code == 0
            assert not self.heartbeat(broker_id).is_fenced

    def partition(self, name: str, index: int = 0) -> PartitionImage:
        """A partition as of the newest image."""
        topic = self.image.topic_by_name(name)
        assert topic is not None, f"no topic {name}"
        return topic.partitions[index]

    def alter_partition_request(self, name: str, index: int = 0, **fields: Any) -> AlterPartitionRequest:
        """A leader's request that changes nothing, but for the fields given (``isr``: broker ids or pairs of
        broker id and epoch; ``broker_id``, ``broker_epoch``, ``topic_id``; those of the partition)."""
        topic_id = self.image.topic_ids.get(name, b"?" * 16)
        known = self.image.partition(topic_id, index) or PartitionImage(replicas=(), directories=(), isr=())
        broker_id = fields.pop("broker_id", known.leader)
        broker = self.image.brokers.get(broker_id)
        broker_epoch = fields.pop("broker_epoch", -1 if broker is None else broker.epoch)
        topic_id = fields.pop("topic_id", topic_id)
        isr = [each if isinstance(each, tuple) else (each, -1) for each in fields.pop("isr", known.isr)]
        data = AlterPartitionRequest.PartitionData(
            **{
                "partition_index": index,
                "leader_epoch": known.leader_epoch,
                "partition_epoch": known.partition_epoch,
                "leader_recovery_state": known.leader_recovery_state,
                "new_isr": [member for member, _ in isr],
                "new_isr_with_epochs": [
                    AlterPartitionRequest.BrokerState(broker_id=member, broker_epoch=epoch)
                    for member, epoch in isr
                ],
                **fields,
            }
        )
        return AlterPartitionRequest(
            broker_id=broker_id,
            broker_epoch=broker_epoch,
            topics=[AlterPartitionRequest.TopicData(topic_id=topic_id, partitions=[data])],
        )

    def alter_partition(self, name: str, index: int = 0, version: int = 3, **fields: Any) -> Any:
        """Have a partition's leader change its ISR; returns what is answered for the partition."""
        response = self.call(self.alter_partition_request(name, index, **fields), version=version)
        assert response.error_code == 0, response
        ((partition,),) = (topic.partitions for topic in response.topics)
        return partition

    def create_topic(self, name: str, *assignments: Sequence[int], **configs: str) -> bytes:
        """Create a topic with these replicas; returns its id."""
        topic = CreateTopicsRequest.CreatableTopic(
            name=name,
            num_partitions=-1,
            replication_factor=-1,
            assignments=[
                CreateTopicsRequest.CreatableReplicaAssignment(
                    partition_index=index, broker_ids=list(brokers)
                )
                for index, brokers in enumerate(assignments)
            ],
            configs=[
                CreateTopicsRequest.CreatableTopicConfig(name=key.replace("_", "."), value=value)
                for key, value in configs.items()
            ],
        )
        (result,) = self.call(CreateTopicsRequest(topics=[topic])).topics
        assert result.error_code == 0, result
        topic_id: bytes = result.topic_id
        return topic_id


def response_of(effect: Respond | Refuse) -> Message:
    """The response that an effect asks for."""
    return (
        effect.response if isinstance(effect, Respond) else refuse_at_once(effect.request, refusal_of(effect))
    )


def refusal_of(effect: Refuse) -> Refusal:
    """Why the controller refuses a command."""
    return Refusal(code=effect.code, message=effect.text, version=effect.version)


def committed(batch: Batch) -> BatchCommitted:
    """A batch as a standby gets it."""
    records = None
    if batch.records is not None:
        records = tuple(decode_metadata_record(value)[0] for value in batch.records)
    return BatchCommitted(
        base_offset=batch.base_offset,
        last_offset=batch.last_offset,
        epoch=batch.epoch,
        timestamp_ms=TIMESTAMP_MS,
        records=records,
    )


def controller_registration_request(
    controller_id: int, **ranges: tuple[int, int]
) -> ControllerRegistrationRequest:
    """A registration of a controller that supports what we do, but for the ranges given (``_`` for ``.``)."""
    changed = {name.replace("_", "."): levels for name, levels in ranges.items()}
    return ControllerRegistrationRequest(
        controller_id=controller_id,
        incarnation_id=incarnation(100 + controller_id),
        listeners=[
            ControllerRegistrationRequest.Listener(
                name="CONTROLLER", host="127.0.0.1", port=9100 + controller_id, security_protocol=0
            )
        ],
        features=[
            ControllerRegistrationRequest.Feature(
                name=name, min_supported_version=low, max_supported_version=high
            )
            for name, (low, high) in {**supported_ranges(), **changed}.items()
        ],
    )


SET, DELETE, APPEND, SUBTRACT = range(4)
"""Operations of IncrementalAlterConfigs."""


def alter_configs_request(
    resource_type: int,
    name: str,
    *configs: tuple[str, int, str | None],
    validate_only: bool = False,
) -> IncrementalAlterConfigsRequest:
    """Change one resource by (key, operation, value)."""
    return IncrementalAlterConfigsRequest(
        resources=[
            IncrementalAlterConfigsRequest.AlterConfigsResource(
                resource_type=resource_type,
                resource_name=name,
                configs=[
                    IncrementalAlterConfigsRequest.AlterableConfig(
                        name=key, config_operation=operation, value=value
                    )
                    for key, operation, value in configs
                ],
            )
        ],
        validate_only=validate_only,
    )


def update_features_request(
    *updates: tuple[str, int, int], validate_only: bool = False
) -> UpdateFeaturesRequest:
    """Update features by (name, level, upgrade type)."""
    return UpdateFeaturesRequest(
        feature_updates=[
            UpdateFeaturesRequest.FeatureUpdateKey(feature=name, max_version_level=level, upgrade_type=type_)
            for name, level, type_ in updates
        ],
        validate_only=validate_only,
    )


def registration_request(broker_id: int, **fields: Any) -> BrokerRegistrationRequest:
    """A registration that is in order, but for the fields given."""
    given = {
        "broker_id": broker_id,
        "cluster_id": CLUSTER_ID,
        "incarnation_id": incarnation(broker_id),
        "listeners": [
            BrokerRegistrationRequest.Listener(
                name="PLAINTEXT", host="127.0.0.1", port=9000 + broker_id, security_protocol=0
            )
        ],
        "features": [
            BrokerRegistrationRequest.Feature(
                name=name, min_supported_version=low, max_supported_version=high
            )
            for name, (low, high) in supported_ranges().items()
        ],
        "rack": None,
        "log_dirs": [directory(broker_id)],
        **fields,
    }
    return BrokerRegistrationRequest(**given)
