"""Metrics of coordinators and share partitions: a broker's, after what clients have asked of it.

Tests: `node.observability.coordination`.
"""

from __future__ import annotations

import re
import time
from collections.abc import Mapping
from pathlib import Path

import pytest

from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import GroupMetadataKey, GroupMetadataValue
from kafkaproto_server.base.metrics.window import Window
from kafkaproto_server.core.coordinators.share_state.state import SharePartitionKey
from kafkaproto_server.metadata.topic_names import GROUPS_TOPIC
from kafkaproto_server.node.observability import coordination as module
from kafkaproto_server.node.observability.coordination import (
    Coordination,
    CoordinationMoment,
    coordination_moment,
)
from kafkaproto_server.node.observability.coordinator_metrics import coordination_counters, coordination_work
from kafkaproto_server.requests.offset_requests import Committer
from kafkaproto_server.requests.share_state import ShareState, ShareStateResult, StateBatch
from tests.apis.groups.test_offsets import commit
from tests.apis.support.data_broker import ME, OTHER, DataBroker
from tests.apis.support.sharing import LOCK_MS, Sharing
from tests.apis.support.transactional_broker import TransactionalBroker
from tests.core.controller.support.harness import update_features_request
from tests.core.coordinators.support.offsets import Told, of
from tests.node.observability.test_families import samples

GOLDEN = Path(__file__).parent / "golden" / "coordinator_mbeans.txt"
GROUPS = "kafka_server_group_coordinator_metrics"
SHARE_STATES = "kafka_server_share_coordinator_metrics"
SHARE_GROUPS = "kafka_server_sharegroupmetrics"
SHARE_PARTITIONS = "kafka_server_sharepartitionmetrics"
TURN_LIMIT_S = 0.05

LEFT_OUT = (
    # Queues, threads and buffers of Apache Kafka's coordinators.
    "_event_queue_",
    "_event_processing_",
    "_batch_",
    "_background_",
    "_thread_idle_ratio_avg",
    # A plugin that keeps descriptions of topologies.
    "_streams_group_topology_description_",
    "_sharesessionevictions_total",
)
"""What docs/running.md says is not there."""


def moment_of(broker: DataBroker) -> CoordinationMoment:
    """What the broker's coordinators are at this moment."""
    replicas = broker.replicas
    return coordination_moment(
        Coordination(
            metrics=replicas.metrics,
            groups=replicas.groups,
            transactions=replicas.transactions.coordinators,
            share=replicas.share.coordinators,
            share_service=replicas.share_partitions,
        )
    )


class Page:
    """The families of one moment; rates and averages since ``begin``."""

    def __init__(self, broker: DataBroker, begin: Mapping[str, float]) -> None:
        moment = moment_of(broker)
        window = Window(1)
        window.look(0.0, begin)
        now = dict(coordination_counters(moment.metrics))
        families = coordination_work(
            moment,
            lambda name: window.rate(name, 10.0, now),
            lambda part, whole: window.ratio(part, whole, now),
        )
        self.values: dict[tuple[str, ...], float] = {}
        for family in families:
            found = samples(family)
            assert not found.keys() & self.values.keys(), family.name
            self.values.update(found)

    def __call__(self, *key: str) -> float:
        return self.values[key]


def page(broker: DataBroker, begin: Mapping[str, float] = {}) -> Page:
    """The page of a broker."""
    return Page(broker, begin)


@pytest.fixture
def broker() -> DataBroker:
    """It coordinates groups."""
    broker = DataBroker(group_initial_rebalance_delay_ms="0")
    broker.topic(GROUPS_TOPIC)
    broker.topic("t", [ME], [ME])
    broker.replicas.follow()
    return broker


def exported(mbean: str, attribute: str) -> tuple[str, ...]:
    """The name and the values of the labels that the JMX exporter gives to an attribute of an MBean.

    Where the exporter's example for KRaft would put a state into the name, we have a label, as the exporter has without
    a rule.
    """
    found = re.fullmatch(r"([\w.]+):type=([\w-]+)(?:,name=(\w+))?(.*)", mbean)
    assert found is not None, mbean
    domain, kind, name, labels = found.groups()
    parts = [domain.replace(".", "_"), kind]
    if name is None:
        parts.append(attribute)
    elif attribute == "Count" and name.endswith("PerSec"):
        parts += [name.removesuffix("PerSec"), "total"]
    elif attribute == "Count":
        parts += [name, "count"]
    else:
        parts.append(name)
    values = tuple(each.split("=")[1] for each in labels.split(",") if each)
    return "_".join(parts).replace("-", "_").lower(), *values


def test_what_apache_kafka_has_is_there_or_known_to_be_missing(broker: DataBroker) -> None:
    lines = [each for each in GOLDEN.read_text().splitlines() if not each.startswith("#")]
    kafkas = {exported(*each.rsplit(" ", 1)) for each in lines}
    ours = set(page(broker).values) | {("kafka_server_replicamanager_produceridcount",)}
    missing = {each for each in kafkas - ours if not any(part in each[0] for part in LEFT_OUT)}
    assert missing == set()
    unused = [part for part in LEFT_OUT if not any(part in each[0] for each in kafkas)]
    assert unused == []
    # These come with the first share partition, or are sums that Kafka lacks.
    extra = {each[0] for each in ours - kafkas}
    assert {each for each in extra if not each.startswith((SHARE_GROUPS, SHARE_PARTITIONS))} == {
        "kafka_server_delayedsharefetchmetrics_expires_total",
        "kafkaproto_transaction_coordinator_commit_time_ms",
        "kafkaproto_transaction_coordinator_commit_time_ms_count",
        "kafkaproto_transaction_coordinator_commit_time_ms_sum",
        "kafka_server_addpartitionstotxnmanager_verificationtimems",
        "kafka_server_addpartitionstotxnmanager_verificationtimems_sum",
    }


def test_groups_and_offsets_are_told_by_kind_and_state(broker: DataBroker) -> None:
    begin = dict(coordination_counters(broker.replicas.metrics))
    assert commit(broker, ("t", 0, 5), ("t", 1, 5)) == [
        ("t", 0, ErrorCode.NONE),
        ("t", 1, ErrorCode.NONE),
    ]
    found = page(broker, begin)
    assert found(f"{GROUPS}_group_count", "classic") == 1
    assert found(f"{GROUPS}_classic_group_count", "Empty") == 1
    assert found(f"{GROUPS}_classic_group_count", "Stable") == 0
    assert found("kafka_coordinator_group_groupmetadatamanager_numgroups") == 1
    assert found("kafka_coordinator_group_groupmetadatamanager_numgroupsempty") == 1
    assert found(f"{GROUPS}_offset_count") == 2
    assert found("kafka_coordinator_group_groupmetadatamanager_numoffsets") == 2
    assert found(f"{GROUPS}_offset_commit_count") == 2
    assert found(f"{GROUPS}_offset_commit_rate") == 0.2


def test_a_coordinator_that_ends_takes_its_groups_along_and_one_that_begins_anew_counts_them_once(
    broker: DataBroker,
) -> None:
    commit(broker, ("t", 0, 5))
    hosted = broker.replicas.manager.replicas.get(broker.topic_id(GROUPS_TOPIC), 0)
    assert hosted is not None
    led = broker.replicas.groups.led
    assert page(broker)(f"{GROUPS}_num_partitions", "active") == 1
    loads = broker.replicas.metrics.group_loads.count
    broker.replicas.workers.hold()
    led._unload(0)
    led.role_changed(hosted)
    found = page(broker)
    states = {each: found(f"{GROUPS}_num_partitions", each) for each in ("loading", "active", "failed")}
    assert states == {"loading": 1, "active": 0, "failed": 0}
    assert found(f"{GROUPS}_group_count", "classic") == found(f"{GROUPS}_offset_count") == 0
    assert found(f"{GROUPS}_offset_commit_count") == 1
    broker.replicas.workers.release()
    found = page(broker)
    states = {each: found(f"{GROUPS}_num_partitions", each) for each in ("loading", "active", "failed")}
    assert states == {"loading": 0, "active": 1, "failed": 0}
    assert found(f"{GROUPS}_group_count", "classic") == found(f"{GROUPS}_offset_count") == 1
    assert found(f"{GROUPS}_offset_commit_count") == 1
    assert broker.replicas.metrics.group_loads.count == loads + 1
    led._unload(0)
    assert led.counts == (0, 0, 0)


def test_a_partition_that_cannot_be_loaded_has_failed_until_it_is_led_anew(broker: DataBroker) -> None:
    commit(broker, ("t", 0, 5))
    hosted = broker.replicas.manager.replicas.get(broker.topic_id(GROUPS_TOPIC), 0)
    assert hosted is not None
    assert hosted.log is not None
    broker.replicas.workers.hold()
    led = broker.replicas.groups.led
    led._unload(0)
    led.role_changed(hosted)
    led._unload(0)
    assert led.counts == (0, 0, 0)
    led.role_changed(hosted)
    loads = broker.replicas.metrics.group_loads.count
    hosted.log.log.abandon()
    broker.replicas.workers.release()
    assert page(broker)(f"{GROUPS}_num_partitions", "failed") == 1
    assert broker.replicas.metrics.group_loads.count == loads
    broker.replicas.workers.hold()
    led.role_changed(hosted)
    assert led.counts == (1, 0, 0)
    broker.replicas.workers.release()
    assert led.counts == (0, 0, 1)
    hosted.partition.failed()
    led.role_changed(hosted)
    assert led.counts == (0, 0, 0)


def test_fifty_thousand_groups_are_told_of_in_a_short_turn(broker: DataBroker) -> None:
    (shard,) = broker.replicas.groups.led.loaded()
    for number in range(50_000):
        value = GroupMetadataValue(protocol_type="consumer")
        shard.replay(GroupMetadataKey(group=f"g{number}"), value, number, -1)
    began = time.process_time()
    moment = moment_of(broker)
    took = time.process_time() - began
    assert moment.classic["Empty"] == 50_000
    assert took < TURN_LIMIT_S


def test_loads_have_an_average_and_a_longest_one(broker: DataBroker) -> None:
    begin = dict(coordination_counters(broker.replicas.metrics))
    for seconds in (0.1, 0.3):
        broker.replicas.metrics.transaction_loads.add(seconds)
    found = page(broker, begin)
    prefix = "kafka_server_transaction_coordinator_metrics_partition_load_time"
    assert found(f"{prefix}_max") == 300
    assert found(f"{prefix}_avg") == pytest.approx(200)


def test_responses_tell_how_long_they_waited_for_their_records() -> None:
    broker = DataBroker()
    broker.topic(GROUPS_TOPIC, [ME, OTHER])
    broker.topic("t")
    broker.replicas.follow()
    for waits_ms in (200, 300):
        offset = broker.replicas.groups.led._led[0].log.end_offset
        told = Told()
        who = Committer(version=9)
        broker.replicas.groups.of("g").commit("g", who, [of("t", 0, 7)], -1, told)
        broker.replicas.pass_time(waits_ms)
        assert told.responses == []
        broker.replicate(GROUPS_TOPIC, offset + 1)
        broker.replicas.call_due()
        assert told.responses == [(ErrorCode.NONE, [ErrorCode.NONE])]
    times = broker.replicas.metrics.group_commits
    assert (times.count, times.sum_ms) == (2, 500)
    found = page(broker)
    assert found(f"{GROUPS}_event_purgatory_time_ms_max") == 300
    assert found(f"{GROUPS}_event_purgatory_time_ms_p50") == pytest.approx(200, rel=0.1)
    assert found(f"{GROUPS}_event_purgatory_time_ms_p999") == pytest.approx(300, rel=0.1)
    assert found(f"{SHARE_STATES}_event_purgatory_time_ms_p99") == 0


# --- transactions


def test_verifications_of_transactions_are_counted_and_those_that_failed() -> None:
    broker = TransactionalBroker()
    before = broker.replicas.metrics.verification.times.count
    producer = broker.begin()
    assert broker.write(producer).error_code == 0
    assert broker.write(producer, index=1).error_code == 0
    verification = broker.replicas.metrics.verification
    assert (verification.times.count - before, verification.failures) == (2, 0)
    assert broker.write((producer[0] + 7, 0), version=11).error_code != 0
    assert (verification.times.count - before, verification.failures) == (3, 1)
    found = page(broker)
    assert found("kafka_server_addpartitionstotxnmanager_verificationfailurerate_count") == 1
    assert found("kafka_server_addpartitionstotxnmanager_verificationtimems_count") == before + 3


# --- share groups


def test_acknowledged_records_count_by_type_once_that_is_persisted() -> None:
    sharing = Sharing()
    sharing.write(b"a", b"b", b"c", b"d")
    sharing.begin()
    sharing.send_acknowledgement(1, 0, 1, 1)

    def counts() -> list[float]:
        found = page(sharing.broker)
        kinds = ("Accept", "Release", "Reject", "Renew")
        return [found(f"{SHARE_GROUPS}_recordacknowledgements_total", kind) for kind in kinds]

    assert counts() == [0, 0, 0, 0]
    sharing.persister.written()
    assert counts() == [2, 0, 0, 0]
    sharing.send_acknowledgement(2, 2, 2, 3)
    sharing.persister.written(ErrorCode.COORDINATOR_NOT_AVAILABLE)
    assert counts() == [2, 0, 0, 0]
    sharing.send_acknowledgement(3, 2, 2, 2)
    sharing.persister.written()
    assert counts() == [2, 1, 0, 0]
    sharing.send_acknowledgement(4, 3, 3, 3)
    sharing.persister.written()
    assert counts() == [2, 1, 1, 0]


def test_records_in_flight_and_locks_that_expire_are_those_of_a_share_partition() -> None:
    sharing = Sharing()
    where = ("g", "t", "0")
    sharing.write(b"a", b"b", b"c")
    assert not any(key[0].startswith(SHARE_PARTITIONS) for key in page(sharing.broker).values)
    sharing.begin()
    found = page(sharing.broker)
    assert found(f"{SHARE_PARTITIONS}_inflightmessagecount", *where) == 3
    assert found(f"{SHARE_PARTITIONS}_inflightbatchcount", *where) == 1
    assert found(f"{SHARE_PARTITIONS}_acquisitionlocktimeout_total", *where) == 0
    assert found("kafka_server_sharesessioncache_sharesessionscount") == 1
    assert found("kafka_server_sharesessioncache_sharepartitionscount") == 1
    sharing.broker.replicas.pass_time(LOCK_MS + 1)
    assert page(sharing.broker)(f"{SHARE_PARTITIONS}_acquisitionlocktimeout_total", *where) == 3
    sharing.broker.replicas.share_partitions._led.group_is_empty("g")
    assert not any(key[0].startswith(SHARE_PARTITIONS) for key in page(sharing.broker).values)


def test_only_so_many_share_partitions_have_series(monkeypatch: pytest.MonkeyPatch) -> None:
    sharing = Sharing()
    sharing.write(b"a")
    sharing.begin()
    assert len(moment_of(sharing.broker).share_partitions) == 1
    monkeypatch.setattr(module, "MAX_SHARE_PARTITIONS", 0)
    assert not moment_of(sharing.broker).share_partitions


def test_dead_letters_are_counted_by_group(broker: DataBroker) -> None:
    dead_letters = broker.replicas.share_partitions.dead_letters
    dead_letters.counts_of("b").records = 7
    counts = dead_letters.counts_of("a")
    counts.produced, counts.failed = 3, 2
    moment = moment_of(broker)
    name = "kafka_server_sharegroupmetrics_deadletterqueue"
    assert {key: value for key, value in page(broker).values.items() if key[0].startswith(name)} == {
        (f"{name}recordcount_total", "a"): 0,
        (f"{name}recordcount_total", "b"): 7,
        (f"{name}totalproducerequestspersec_total", "a"): 3,
        (f"{name}totalproducerequestspersec_total", "b"): 0,
        (f"{name}failedproducerequestspersec_total", "a"): 2,
        (f"{name}failedproducerequestspersec_total", "b"): 0,
    }
    counts.produced = 9
    assert moment.dead_letters["a"].produced == 3, "what the page shows is of one moment"


def test_share_fetches_tell_how_long_they_took_and_what_they_got() -> None:
    sharing = Sharing()
    metrics = sharing.broker.replicas.metrics.share_partitions
    found = sharing.send_fetch(0, max_wait_ms=1_000)
    sharing.broker.replicas.pass_time(300)
    sharing.persister.loaded()
    assert (metrics.load_times.count, metrics.load_times.sum_ms) == (1, 300)
    sharing.write(b"a")
    assert len(found) == 1
    assert (metrics.acquire_times.count, metrics.acquire_times.sum_ms) == (1, 300)
    assert (metrics.fetch_ratios.sum_ms, metrics.expired_fetches) == (100, 0)
    sharing.send_fetch(1, max_wait_ms=1_000)
    sharing.broker.replicas.pass_time(1_000)
    assert (metrics.fetch_ratios.sum_ms, metrics.expired_fetches) == (100, 1)
    name = "kafka_server_delayedsharefetchmetrics_expires_total"
    assert page(sharing.broker)(name) == 1


def test_a_share_coordinator_tells_of_its_writes_and_what_it_pruned() -> None:
    broker = DataBroker(share_coordinator_state_topic_prune_interval_ms="1000")
    broker.topic("__share_group_state")
    topic_id = broker.topic("t")
    broker.harness.call(update_features_request(("share.version", 1, 1)))
    broker.replicas.follow()
    key = SharePartitionKey("g", topic_id, 0)
    coordinator = broker.replicas.share.coordinators.of(key)
    codes: list[ErrorCode] = []

    def take(result: ShareStateResult) -> None:
        codes.append(result.code)

    coordinator.initialize(key, 1, 0, take)
    state = ShareState(1, 0, 0, (StateBatch(0, 4, 2, 1),))
    coordinator.write(key, state, 0, take)
    coordinator.write(key, state._replace(state_epoch=0), 0, take)
    broker.replicas.call_due()
    assert codes == [ErrorCode.NONE, ErrorCode.NONE, ErrorCode.FENCED_STATE_EPOCH]
    found = page(broker)
    assert found(f"{SHARE_STATES}_write_total") == 1
    assert broker.replicas.metrics.share_states.write_latencies.count == 1
    assert found(f"{SHARE_STATES}_num_partitions", "active") == 1
    # A leader of a later epoch reads: that is a write, too.
    coordinator.read(key, 1, take)
    coordinator.read(key, 1, take)
    assert page(broker)(f"{SHARE_STATES}_write_total") == 2
    # A state that begins anew makes the records before it superfluous.
    coordinator.initialize(key, 2, 0, take)
    assert not moment_of(broker).pruned
    broker.replicas.pass_time(2_000)
    assert page(broker)(f"{SHARE_STATES}_last_pruned_offset", "__share_group_state", "0") == 3
