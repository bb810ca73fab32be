"""The rules of `watch`, without Spark: what raises an alert, what does not, and that batches make no difference."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkaproto.message import Message
from kafkaproto.messages import (
    AbortTransactionRecord,
    BeginTransactionRecord,
    BrokerRegistrationChangeRecord,
    ConfigRecord,
    EndTransactionRecord,
    FenceBrokerRecord,
    LeaderChangeMessage,
    NoOpRecord,
    PartitionChangeRecord,
    PartitionRecord,
    RegisterBrokerRecord,
    RemoveTopicRecord,
    TopicRecord,
    UnfenceBrokerRecord,
    UnregisterBrokerRecord,
)
from kafkaproto_pipeline.jobs.watch import rules
from kafkaproto_pipeline.jobs.watch.rules import ClusterRules, Limits, LogRecord, TopicRules

TOPIC = bytes(15) + b"\x07"
LIMITS = Limits(window_ms=60_000, partition_changes=3, broker_changes=3, elections=3)
Told = list[tuple[str, str, str]]


def records(*messages: Message | tuple[Message, int]) -> list[LogRecord]:
    """Records from offset 0 on, a second apart, of epoch 1 unless they bring another."""
    made = []
    for offset, each in enumerate(messages):
        message, epoch = each if isinstance(each, tuple) else (each, 1)
        version = 0 if message.TYPE == "data" else message.MAX_VERSION
        made.append(LogRecord(offset, offset * 1000, epoch, message.NAME, message.to_json(version)))
    return made


def told(
    kind: type[TopicRules] | type[ClusterRules], given: Iterable[LogRecord], limits: Limits = LIMITS
) -> Told:
    """Kind, severity and subject of each alert."""
    found = kind(limits, None)
    return [(each.kind, each.severity, each.subject) for record in given for each in found.take(record)]


def topic(*, minimum: str | None = None) -> list[Message]:
    """A topic of one partition on three brokers."""
    made: list[Message] = [
        TopicRecord(name="orders", topic_id=TOPIC),
        PartitionRecord(topic_id=TOPIC, partition_id=0, replicas=[1, 2, 3], isr=[1, 2, 3], leader=1),
    ]
    if minimum is not None:
        made.append(config("orders", minimum))
    return made


def config(name: str, value: str | None, kind: int = 2) -> ConfigRecord:
    return ConfigRecord(resource_type=kind, resource_name=name, name="min.insync.replicas", value=value)


def change(**fields: Any) -> PartitionChangeRecord:
    return PartitionChangeRecord(topic_id=TOPIC, partition_id=0, **fields)


def register(incarnation: int, *, fenced: bool = True) -> RegisterBrokerRecord:
    return RegisterBrokerRecord(broker_id=5, incarnation_id=bytes([incarnation]) * 16, fenced=fenced)


def test_partition_without_a_leader_is_told_until_it_has_one() -> None:
    given = records(*topic(), change(isr=[1]), change(leader=-1), change(leader=-1), change(leader=2))
    assert told(TopicRules, given) == [
        (rules.LEADERLESS, rules.CRITICAL, "orders-0"),
        (rules.LEADERLESS, rules.INFO, "orders-0"),
    ]


def test_partition_that_begins_without_a_leader_is_told() -> None:
    partition = PartitionRecord(topic_id=TOPIC, partition_id=3, replicas=[1], isr=[], leader=-1)
    alerts = told(TopicRules, records(TopicRecord(name="orders", topic_id=TOPIC), partition))
    assert (rules.LEADERLESS, rules.CRITICAL, "orders-3") in alerts


def test_isr_is_held_against_the_topics_minimum() -> None:
    given = records(*topic(minimum="2"), change(isr=[1, 2]), change(isr=[1]), change(isr=[1, 2]))
    assert told(TopicRules, given) == [
        (rules.BELOW_MIN_ISR, rules.CRITICAL, "orders-0"),
        (rules.BELOW_MIN_ISR, rules.INFO, "orders-0"),
    ]


def causes(given: Iterable[LogRecord], memory: dict[str, Any] | None = None) -> list[tuple[str, str | None]]:
    found = TopicRules(LIMITS, memory)
    return [(each.kind, each.cause) for record in given for each in found.take(record)]


def test_the_brokers_that_left_or_came_back_are_the_cause() -> None:
    low, none = rules.BELOW_MIN_ISR, rules.LEADERLESS
    assert causes(
        records(
            *topic(minimum="3"),
            change(isr=[1, 3]),
            change(isr=[1, 2, 3]),
            change(isr=[1]),
            change(leader=-1),
            change(leader=3, isr=[1, 2, 3]),
        )
    ) == [
        (low, "broker 2"),
        (low, "broker 2"),
        (low, "broker 2, broker 3"),
        (none, "broker 1"),
        (none, "broker 3"),
        (low, "broker 2, broker 3"),
    ]
    assert causes(records(*topic(), change(isr=[1]), config("orders", "2"))) == [(low, None)]
    begun_without = PartitionRecord(topic_id=TOPIC, partition_id=0, replicas=[1], isr=[], leader=-1)
    assert (none, None) in causes(records(begun_without))


def test_memory_of_an_earlier_release_has_numbers_for_isrs() -> None:
    found = TopicRules(Limits(min_isr=2), None)
    first, *rest = records(
        *topic(), change(isr=[1]), change(isr=[1, 2, 3]), change(isr=[1, 2]), change(isr=[1])
    )
    for record in (first, rest[0]):
        assert list(found.take(record)) == []
    memory = json.loads(json.dumps(found.memory))
    ((_, partitions),) = memory["topics"].values()
    assert partitions["0"][1] == [1, 2, 3]
    partitions["0"][1] = 3
    found = TopicRules(Limits(min_isr=2), memory)
    told = [(each.severity, each.cause) for record in rest[1:] for each in found.take(record)]
    assert told == [
        (rules.CRITICAL, None),
        (rules.INFO, "broker 2, broker 3"),
        (rules.CRITICAL, "broker 2"),
    ]


def test_minimum_comes_from_topic_then_cluster_then_limits() -> None:
    shrunk = [*topic(), change(isr=[1])]
    low = [(rules.BELOW_MIN_ISR, rules.CRITICAL, "orders-0")]
    over = [(rules.BELOW_MIN_ISR, rules.INFO, "orders-0")]
    assert told(TopicRules, records(*shrunk)) == []
    assert told(TopicRules, records(*shrunk), Limits(min_isr=2)) == low
    assert told(TopicRules, records(*shrunk, config("", "2", 4))) == low
    assert told(TopicRules, records(*shrunk, config("3", "2", 4))) == []
    assert told(TopicRules, records(*shrunk, config("", "2", 4), config("orders", "1"))) == [*low, *over]
    assert told(TopicRules, records(*shrunk, config("orders", "2"), config("orders", None))) == [*low, *over]


def test_minimum_above_the_replicas_is_met_by_all_of_them() -> None:
    assert told(TopicRules, records(*topic(minimum="5"))) == []


def test_removed_topic_is_forgotten_with_its_config() -> None:
    given = records(*topic(minimum="2"), RemoveTopicRecord(topic_id=TOPIC), *topic(), change(isr=[1]))
    assert told(TopicRules, given) == []


def test_partition_flaps_once_a_window() -> None:
    leaders = [change(leader=leader) for leader in (2, 1, 2, 1, 2)]
    flapping = (rules.PARTITION_FLAPS, rules.WARNING, "orders-0")
    assert told(TopicRules, records(*topic(), *leaders[:2])) == []
    assert told(TopicRules, records(*topic(), *leaders)) == [flapping]
    assert told(TopicRules, records(*topic(), *leaders), Limits(window_ms=1500, partition_changes=3)) == []


def test_stream_that_begins_in_the_midst_knows_the_partition_by_its_topic_id() -> None:
    alerts = told(TopicRules, records(change(leader=-1)))
    assert [each[:2] for each in alerts] == [(rules.LEADERLESS, rules.CRITICAL)]
    assert alerts[0][2] == "AAAAAAAAAAAAAAAAAAAABw-0"


def test_records_of_a_transaction_count_when_it_ends() -> None:
    inside = [BeginTransactionRecord(name="t"), *topic(), change(leader=-1)]
    leaderless = [(rules.LEADERLESS, rules.CRITICAL, "orders-0")]
    assert told(TopicRules, records(*inside)) == []
    assert told(TopicRules, records(*inside, AbortTransactionRecord(reason="r"))) == []
    assert told(TopicRules, records(*inside, EndTransactionRecord())) == leaderless


@pytest.mark.parametrize(
    ("messages", "expected"),
    [
        ([FenceBrokerRecord(id=5)], [(rules.BROKER_FENCED, rules.CRITICAL)]),
        ([BrokerRegistrationChangeRecord(broker_id=5, fenced=1)], [(rules.BROKER_FENCED, rules.CRITICAL)]),
        (
            [
                BrokerRegistrationChangeRecord(broker_id=5, in_controlled_shutdown=1),
                BrokerRegistrationChangeRecord(broker_id=5, fenced=1),
            ],
            [(rules.BROKER_STOPPING, rules.INFO), (rules.BROKER_FENCED, rules.INFO)],
        ),
        ([register(2)], [(rules.BROKER_DIED, rules.CRITICAL)]),
        ([register(1)], []),
        ([UnregisterBrokerRecord(broker_id=5)], [(rules.BROKER_GONE, rules.INFO)]),
        ([UnfenceBrokerRecord(id=5)], []),
        ([BrokerRegistrationChangeRecord(broker_id=5)], []),
    ],
)
def test_broker_that_serves(messages: list[Message], expected: list[tuple[str, str]]) -> None:
    serving = records(register(1), UnfenceBrokerRecord(id=5))
    begun = told(ClusterRules, serving)
    alerts = told(ClusterRules, records(register(1), UnfenceBrokerRecord(id=5), *messages))
    assert begun == [(rules.BROKER_FENCED, rules.INFO, "broker 5")]
    assert alerts[1:] == [(kind, severity, "broker 5") for kind, severity in expected]


def test_a_fenced_broker_that_led_nothing_may_have_been_stopped_in_order() -> None:
    found = ClusterRules(LIMITS, None)
    given = records(
        register(1), UnfenceBrokerRecord(id=5), BrokerRegistrationChangeRecord(broker_id=5, fenced=1)
    )
    *_, fenced = [alert for record in given for alert in found.take(record)]
    assert "fell silent, or was stopped while it led nothing" in fenced.text


def test_broker_flaps() -> None:
    coming = [UnfenceBrokerRecord(id=5), FenceBrokerRecord(id=5)] * 2
    alerts = told(ClusterRules, records(register(1), *coming))
    assert [each for each in alerts if each[0] == rules.BROKER_FLAPS] == [
        (rules.BROKER_FLAPS, rules.WARNING, "broker 5")
    ]


def test_elections_and_epochs_that_were_jumped_over() -> None:
    elected = [
        (LeaderChangeMessage(leader_id=leader), epoch) for leader, epoch in ((1, 1), (2, 2), (3, 5), (1, 6))
    ]
    assert told(ClusterRules, records(*elected)) == [
        (rules.NEW_LEADER, rules.WARNING, rules.QUORUM),
        (rules.EPOCH_JUMP, rules.WARNING, rules.QUORUM),
        (rules.NEW_LEADER, rules.WARNING, rules.QUORUM),
        (rules.NEW_LEADER, rules.WARNING, rules.QUORUM),
        (rules.MANY_ELECTIONS, rules.CRITICAL, rules.QUORUM),
    ]


def test_silence_is_told_once_and_ends_with_any_record() -> None:
    found = ClusterRules(LIMITS, None)
    (first, second) = records(LeaderChangeMessage(leader_id=3), NoOpRecord())
    assert list(found.take(first)) == []
    (alert,) = found.silent(7_777)
    assert (alert.kind, alert.time_ms, alert.offset) == (rules.SILENT_LEADER, 7_777, 0)
    assert "leader 3" in alert.text
    assert list(found.silent(7_778)) == []
    # The record was appended before the silence was noticed, and committed after.
    assert second.time_ms < 7_777
    (over,) = found.take(second)
    assert (over.severity, over.time_ms) == (rules.INFO, 7_777)
    assert list(found.take(second)) == []


messages_of_topics = st.lists(
    st.one_of(
        st.builds(change, leader=st.sampled_from([-2, -1, 1, 2, 3])),
        st.builds(change, isr=st.sampled_from([None, [1], [1, 2], [1, 2, 3]])),
        st.builds(config, st.sampled_from(["orders", "other"]), st.sampled_from([None, "1", "2", "3"])),
        st.builds(config, st.just(""), st.sampled_from([None, "2"]), st.just(4)),
        st.sampled_from(topic()),
        st.just(RemoveTopicRecord(topic_id=TOPIC)),
        st.sampled_from(
            [BeginTransactionRecord(name="t"), EndTransactionRecord(), AbortTransactionRecord(reason="r")]
        ),
    ),
    max_size=30,
)


@given(messages_of_topics, st.lists(st.integers(1, 5), min_size=1))
def test_any_split_into_batches_raises_the_same(messages: list[Message], sizes: list[int]) -> None:
    given = records(*topic(), *messages)
    whole = [
        alert for found in [TopicRules(LIMITS, None)] for record in given for alert in found.take(record)
    ]
    split = []
    memory = None
    rest = iter(given)
    for size in itertools.cycle(sizes):
        batch = list(itertools.islice(rest, size))
        if not batch:
            break
        found = TopicRules(LIMITS, memory)
        split += [alert for record in batch for alert in found.take(record)]
        memory = json.loads(json.dumps(found.memory))
    assert split == whole


@given(messages_of_topics)
def test_what_is_over_has_begun(messages: list[Message]) -> None:
    """Alerts of one kind and subject take turns: trouble, over, trouble."""
    state: dict[tuple[str, str], bool] = {}
    known = [
        each for each in messages if each.NAME not in ("RemoveTopicRecord", "TopicRecord", "PartitionRecord")
    ]
    for kind, severity, subject in told(TopicRules, records(*topic(), *known)):
        if kind in (rules.LEADERLESS, rules.BELOW_MIN_ISR):
            is_trouble = severity == rules.CRITICAL
            assert state.get((kind, subject), False) != is_trouble
            state[kind, subject] = is_trouble


def test_what_cannot_be_read_is_an_alert() -> None:
    before, after = (
        records(NoOpRecord(), NoOpRecord(), NoOpRecord(), NoOpRecord())[:2],
        records(*[NoOpRecord()] * 6)[5:],
    )
    damage = LogRecord(2, 77, -1, rules.DAMAGE, {"reason": "0.log, byte 200: the crc is wrong"})
    found = ClusterRules(LIMITS, None)
    raised = [alert for record in [*before, damage, *after] for alert in found.take(record)]
    assert raised == [
        (1000, rules.DAMAGED, rules.CRITICAL, rules.LOG, 2, "0.log, byte 200: the crc is wrong", None)
    ]
    first = list(ClusterRules(LIMITS, None).take(damage))
    assert [alert.time_ms for alert in first] == [77], "nothing has a time before it"


def test_a_snapshot_in_the_place_of_records_is_an_alert() -> None:
    header = LogRecord(9, 5000, 1, "SnapshotHeaderRecord", {})
    assert told(ClusterRules, [header]) == [], "a watch may begin with a snapshot"
    found = ClusterRules(LIMITS, None)
    raised = [alert for record in [*records(NoOpRecord()), header] for alert in found.take(record)]
    assert [(alert.kind, alert.time_ms, alert.text) for alert in raised] == [
        (rules.MISSING, 0, "offsets 1 to 9 were not read; a snapshot stands for them")
    ]
    assert list(found.take(header)) == []


def test_the_memory_of_an_earlier_release_has_no_time() -> None:
    memory = ClusterRules(LIMITS, None).memory
    del memory["time_ms"]
    damage = LogRecord(2, 77, -1, rules.DAMAGE, {"reason": "r"})
    assert [alert.time_ms for alert in ClusterRules(LIMITS, memory).take(damage)] == [77]
