"""IncrementalAlterConfigs and AlterConfigs, beside what the recording of a stock node covers (tests/apis).

Tests: `apis.admin.incremental_alter_configs`.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import (
    AlterConfigsRequest,
    ClearElrRecord,
    ConfigRecord,
    IncrementalAlterConfigsRequest,
)
from kafkaproto.records.metadata import encode_metadata_record
from kafkaproto_server.core.controller.commands.create_topics import MAX_CONFIGS_OF_RESOURCE
from kafkaproto_server.metadata.image.entries import TOPIC_RESOURCE
from tests.core.controller.support.harness import (
    APPEND,
    DELETE,
    ELR,
    SET,
    SUBTRACT,
    Batch,
    Harness,
    alter_configs_request,
    bootstrap_records,
    controller_registration_request,
)

TOPIC, BROKER, BROKER_LOGGER, CLIENT_METRICS, GROUP = 2, 4, 8, 16, 32
STRICTER = {("min.cleanable.dirty.ratio", "NaN")}
"""What a stock node takes, and ours does not: a ratio that is no number."""


def harness(**settings: Any) -> Harness:
    """A controller with broker 1 and topic t."""
    made = Harness(**settings)
    made.start_brokers(1)
    made.create_topic("t", [1])
    return made


def alter(node: Harness, resource_type: int, name: str, *configs: tuple[str, int, str | None]) -> Any:
    """The result for the one resource."""
    (result,) = node.call(alter_configs_request(resource_type, name, *configs)).responses
    return result


def changes(node: Harness, start: int) -> list[tuple[str, str, str | None]]:
    """(resource, key, value) of each ConfigRecord from an offset on."""
    return [
        (record.resource_name, record.name, record.value)
        for record in node.records(start)
        if isinstance(record, ConfigRecord)
    ]


def test_a_change_is_recorded_and_counts_at_once() -> None:
    node = harness()
    start = node.next_offset
    assert (
        alter(node, TOPIC, "t", ("retention.ms", SET, "5"), ("segment.bytes", SET, "2000000")).error_code == 0
    )
    assert changes(node, start) == [("t", "retention.ms", "5"), ("t", "segment.bytes", "2000000")]
    assert dict(node.image.config(TOPIC_RESOURCE, "t")) == {"retention.ms": "5", "segment.bytes": "2000000"}
    assert alter(node, TOPIC, "t", ("retention.ms", DELETE, None)).error_code == 0
    assert dict(node.image.config(TOPIC_RESOURCE, "t")) == {"segment.bytes": "2000000"}


def test_what_changes_nothing_is_recorded_for_nodes_only() -> None:
    node = harness()
    node.call(alter_configs_request(TOPIC, "t", ("retention.ms", SET, "5")))
    node.call(alter_configs_request(BROKER, "", ("log.cleaner.threads", SET, "2")))
    start = node.next_offset
    alter(node, TOPIC, "t", ("retention.ms", SET, "5"), ("segment.ms", DELETE, None))
    assert node.next_offset == start
    alter(node, BROKER, "", ("log.cleaner.threads", SET, "2"))
    assert changes(node, start) == [("", "log.cleaner.threads", "2")]


@pytest.mark.parametrize(("min_isr", "eligible"), [("2", (2,)), ("1", ())])
def test_elections_go_by_a_value_from_the_moment_it_is_set(min_isr: str, eligible: tuple[int, ...]) -> None:
    node = harness()
    node.start_brokers(2)
    topic_id = node.create_topic("u", [1, 2])
    assert alter(node, TOPIC, "u", ("min.insync.replicas", SET, min_isr)).error_code == 0
    node.heartbeat(2, want_fence=True)
    assert node.image.topics[topic_id].partitions[0].elr == eligible


@pytest.mark.parametrize(("operation", "result"), [(APPEND, "delete,compact"), (SUBTRACT, "")])
def test_a_list_that_is_not_set_starts_as_its_default(operation: int, result: str) -> None:
    node = harness()
    entry = "compact" if operation == APPEND else "delete"
    assert alter(node, TOPIC, "t", ("cleanup.policy", operation, entry)).error_code == 0
    assert node.image.config(TOPIC_RESOURCE, "t")["cleanup.policy"] == result


def test_an_entry_is_in_a_list_once() -> None:
    node = harness()
    key = "leader.replication.throttled.replicas"
    for operation, value in ((SET, "0:1"), (APPEND, "1:1,0:1"), (SUBTRACT, "9:9"), (APPEND, "2:1")):
        assert alter(node, TOPIC, "t", (key, operation, value)).error_code == 0
    assert node.image.config(TOPIC_RESOURCE, "t")[key] == "0:1,1:1,2:1"


@pytest.mark.parametrize(
    ("resource_type", "name", "config", "code"),
    [
        (TOPIC, "t", ("retention.ms", 4, "1"), ErrorCode.INVALID_REQUEST),
        (TOPIC, "t", ("retention.ms", -1, "1"), ErrorCode.INVALID_REQUEST),
        (TOPIC, "t", ("cleanup.policy", APPEND, None), ErrorCode.INVALID_REQUEST),
        (TOPIC, "t", ("retention.ms", SUBTRACT, "1"), ErrorCode.INVALID_CONFIG),
        (BROKER, "", ("log.cleaner.threads", SET, "x"), ErrorCode.INVALID_REQUEST),
        (BROKER, "", ("listeners", SET, "PLAINTEXT://:9"), ErrorCode.INVALID_REQUEST),
        (BROKER, "1", ("num.partitions", SET, "2"), ErrorCode.INVALID_REQUEST),
        (BROKER, "2", ("log.cleaner.threads", SET, "2"), ErrorCode.BROKER_ID_NOT_REGISTERED),
        (BROKER, "-1", ("log.cleaner.threads", SET, "2"), ErrorCode.INVALID_REQUEST),
        (BROKER, "\u0661", ("log.cleaner.threads", SET, "2"), ErrorCode.INVALID_REQUEST),
        (BROKER, "9" * 5_000, ("log.cleaner.threads", SET, "2"), ErrorCode.INVALID_REQUEST),
        (BROKER_LOGGER, "1", ("root", SET, "DEBUG"), ErrorCode.INVALID_REQUEST),
        (CLIENT_METRICS, "m", ("interval.ms", SET, "1"), ErrorCode.INVALID_REQUEST),
        (CLIENT_METRICS, "m", ("interval.ms", SET, "x"), ErrorCode.INVALID_CONFIG),
        (GROUP, "g", ("nonsense", SET, "1"), ErrorCode.INVALID_CONFIG),
        (1, "x", ("a", SET, "1"), ErrorCode.UNSUPPORTED_VERSION),
    ],
)
def test_what_cannot_be_is_refused_in_words(
    resource_type: int, name: str, config: tuple[str, int, str | None], code: ErrorCode
) -> None:
    node = harness()
    start = node.next_offset
    result = alter(node, resource_type, name, config)
    assert (result.error_code, bool(result.error_message)) == (code, True)
    assert (result.resource_type, result.resource_name) == (resource_type, name)
    assert node.next_offset == start


@pytest.mark.parametrize(
    ("resource_type", "name", "config", "code"),
    [
        # What is no list is found before the name, the name before the value, the value before who has it.
        (TOPIC, "no such", ("retention.ms", SUBTRACT, "1"), ErrorCode.INVALID_CONFIG),
        (TOPIC, "no such", ("retention.ms", SET, "x"), ErrorCode.INVALID_TOPIC_EXCEPTION),
        (TOPIC, "none", ("retention.ms", SET, "x"), ErrorCode.INVALID_CONFIG),
        (TOPIC, "none", ("nonsense", SET, "x"), ErrorCode.INVALID_CONFIG),
        (TOPIC, "none", ("retention.ms", SET, "1"), ErrorCode.UNKNOWN_TOPIC_OR_PARTITION),
        (TOPIC, "", ("retention.ms", SET, "x"), ErrorCode.INVALID_REQUEST),
        (BROKER, "x", ("min.insync.replicas", SET, "1"), ErrorCode.INVALID_CONFIG),
        (BROKER, "77", ("min.insync.replicas", SET, "1"), ErrorCode.INVALID_CONFIG),
        (BROKER, "x", ("log.retention.ms", SET, "x"), ErrorCode.INVALID_REQUEST),
        (BROKER, "77", ("log.retention.ms", SET, "x"), ErrorCode.BROKER_ID_NOT_REGISTERED),
        (GROUP, "", ("consumer.session.timeout.ms", SUBTRACT, "x"), ErrorCode.INVALID_CONFIG),
        (GROUP, "", ("consumer.session.timeout.ms", SET, "x"), ErrorCode.INVALID_REQUEST),
        (CLIENT_METRICS, "", ("nonsense", APPEND, "x"), ErrorCode.INVALID_CONFIG),
    ],
)
def test_of_several_faults_the_same_one_is_named_as_by_stock(
    resource_type: int, name: str, config: tuple[str, int, str | None], code: ErrorCode
) -> None:
    assert alter(harness(), resource_type, name, config).error_code == code


def test_an_unknown_client_metrics_key_is_named_before_a_bad_value() -> None:
    node = harness()
    unknown, bad_number, bad_match = ("x", SET, "1"), ("interval.ms", SET, "x"), ("match", SET, "x")
    assert alter(node, CLIENT_METRICS, "s", bad_number, unknown).error_code == ErrorCode.INVALID_REQUEST
    out_of_range = ("interval.ms", SET, "10")
    assert alter(node, CLIENT_METRICS, "s", bad_match, out_of_range).error_code == ErrorCode.INVALID_REQUEST
    assert alter(node, CLIENT_METRICS, "s", bad_match, bad_number).error_code == ErrorCode.INVALID_CONFIG


def test_what_is_wrong_with_an_earlier_mention_of_a_key_does_not_count() -> None:
    node = harness()
    start = node.next_offset
    for bad in (("retention.ms", SUBTRACT, "1"), ("retention.ms", 9, "1"), ("retention.ms", SET, "x")):
        assert alter(node, TOPIC, "t", bad, ("retention.ms", SET, "7")).error_code == 0
        assert alter(node, TOPIC, "t", ("retention.ms", SET, "8"), bad).error_code != 0
    assert changes(node, start) == [("t", "retention.ms", "7")]


def test_a_list_cannot_grow_beyond_the_longest_value() -> None:
    node = harness()
    key = "leader.replication.throttled.replicas"
    assert alter(node, TOPIC, "t", (key, SET, ",".join(f"{n}:1" for n in range(4_000)))).error_code == 0
    result = alter(node, TOPIC, "t", (key, APPEND, ",".join(f"{n}:2" for n in range(4_000))))
    assert result.error_code == ErrorCode.INVALID_CONFIG
    assert "32767" in result.error_message


def test_each_resource_succeeds_or_fails_by_itself_and_as_a_whole() -> None:
    node = harness()
    node.create_topic("u", [1])
    start = node.next_offset
    good, bad = ("retention.ms", SET, "5"), ("nonsense", SET, "5")
    request = alter_configs_request(TOPIC, "t", good, bad)
    request.resources += alter_configs_request(TOPIC, "u", good).resources
    results = node.call(request).responses
    assert [(each.resource_name, each.error_code) for each in results] == [
        ("t", ErrorCode.INVALID_CONFIG),
        ("u", 0),
    ]
    assert changes(node, start) == [("u", "retention.ms", "5")]


def test_a_resource_that_is_named_twice_is_not_changed() -> None:
    node = harness()
    start = node.next_offset
    request = alter_configs_request(TOPIC, "t", ("retention.ms", SET, "5"))
    request.resources += alter_configs_request(TOPIC, "t", ("segment.ms", SET, "5")).resources
    (result,) = node.call(request).responses
    assert result.error_code == ErrorCode.INVALID_REQUEST
    assert node.next_offset == start


def test_validate_only_says_the_same_and_records_nothing() -> None:
    node = harness()
    start = node.next_offset
    for config, code in (
        (("retention.ms", SET, "5"), 0),
        (("retention.ms", SET, "x"), ErrorCode.INVALID_CONFIG),
    ):
        (result,) = node.call(alter_configs_request(TOPIC, "t", config, validate_only=True)).responses
        assert result.error_code == code
    assert node.next_offset == start


@pytest.mark.parametrize("name", ["1", "3", "5", "7"])
def test_settings_can_be_kept_for_every_node_that_is_known(name: str) -> None:
    node = harness(node_id=5, static_voter_ids=(5, 7))
    node.call(controller_registration_request(3))
    assert alter(node, BROKER, name, ("log.cleaner.threads", SET, "2")).error_code == 0


def test_a_value_from_before_that_no_topic_takes_does_not_hold_up_what_puts_it_right() -> None:
    node = harness()
    node.call(alter_configs_request(TOPIC, "t", ("min.compaction.lag.ms", SET, "100")))
    result = alter(node, TOPIC, "t", ("max.compaction.lag.ms", SET, "10"))
    assert result.error_code == ErrorCode.INVALID_CONFIG
    both = (("max.compaction.lag.ms", SET, "10"), ("min.compaction.lag.ms", SET, "5"))
    assert alter(node, TOPIC, "t", *both).error_code == 0


# --- with ELR on ---


@pytest.mark.parametrize(
    ("resource_type", "name"), [(TOPIC, "t"), (BROKER, "")], ids=["of a topic", "of the cluster"]
)
def test_another_min_isr_makes_nobody_eligible(resource_type: int, name: str) -> None:
    node = harness()
    start = node.next_offset
    assert alter(node, resource_type, name, ("min.insync.replicas", SET, "2")).error_code == 0
    assert [each for each in node.records(start) if isinstance(each, ClearElrRecord)] == [
        ClearElrRecord(topic_name=name)
    ]
    assert isinstance(node.records(start)[-1], ClearElrRecord)


@pytest.mark.parametrize(
    ("name", "operation"), [("1", SET), ("1", DELETE), ("", DELETE)], ids=["set", "delete", "cluster"]
)
def test_min_isr_stays_the_clusters_own(name: str, operation: int) -> None:
    for features, code in (([ELR], ErrorCode.INVALID_CONFIG), ([], 0)):
        node = harness(features=features)
        value = "2" if operation == SET else None
        assert alter(node, BROKER, name, ("min.insync.replicas", operation, value)).error_code == code


# --- AlterConfigs ---


def replace(node: Harness, name: str, **values: str) -> Any:
    configs = [
        AlterConfigsRequest.AlterableConfig(name=key.replace("_", "."), value=value)
        for key, value in values.items()
    ]
    resource = AlterConfigsRequest.AlterConfigsResource(
        resource_type=TOPIC, resource_name=name, configs=configs
    )
    (result,) = node.call(AlterConfigsRequest(resources=[resource])).responses
    return result


def test_what_is_not_named_is_taken_away() -> None:
    node = harness()
    assert replace(node, "t", retention_ms="5", segment_ms="6").error_code == 0
    start = node.next_offset
    assert replace(node, "t", segment_ms="6", segment_bytes="2000000").error_code == 0
    assert changes(node, start) == [("t", "segment.bytes", "2000000"), ("t", "retention.ms", None)]
    assert replace(node, "t").error_code == 0
    assert (TOPIC_RESOURCE, "t") not in node.image.configs
    assert replace(node, "u", retention_ms="5").error_code == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION


def test_more_changes_than_a_batch_holds_are_refused() -> None:
    node = harness()
    for broker_id in range(2, 12):
        node.register(broker_id)
    keys = [f"key.{number}" for number in range(MAX_CONFIGS_OF_RESOURCE)]
    request = IncrementalAlterConfigsRequest()
    for broker_id in range(1, 12):
        one = alter_configs_request(BROKER, str(broker_id), *((key, SET, "1") for key in keys))
        assert isinstance(one, IncrementalAlterConfigsRequest)
        request.resources += one.resources
    results = node.call(request).responses
    assert {result.error_code for result in results} == {ErrorCode.POLICY_VIOLATION}


@pytest.mark.parametrize(("number", "is_taken"), [(MAX_CONFIGS_OF_RESOURCE, True), (1_001, False)])
def test_one_resource_may_have_so_many_configs_in_a_request(number: int, is_taken: bool) -> None:
    node = harness()
    configs = [(f"key.{each}", SET, "1") for each in range(number)]
    (result,) = node.call(alter_configs_request(BROKER, "1", *configs)).responses
    assert (result.error_code == 0) is is_taken
    if not is_taken:
        assert result.error_message == "1001 configs of one resource; at most 1000 are taken."


def test_values_are_judged_as_by_stock() -> None:
    node = harness(features=())
    golden = json.loads((Path(__file__).parents[3] / "config/golden/set_values.json").read_text())
    cases = [
        (kind, [(key, value)], code)
        for kind, _, key, by_value in golden["single"]
        for value, code in by_value.items()
    ]
    cases += [(kind, pairs, code) for kind, _, pairs, code in golden["together"]]
    judged = 0
    for resource_type, pairs, code in cases:
        if resource_type == BROKER:
            continue
        configs = [(key, SET, value) for key, value in pairs]
        name = "t" if resource_type == TOPIC else "g"
        request = alter_configs_request(resource_type, name, *configs, validate_only=True)
        (result,) = node.call(request).responses
        judged += 1
        if tuple(pairs[0]) in STRICTER:
            assert (result.error_code, code) == (ErrorCode.INVALID_CONFIG, 0), pairs
        else:
            assert result.error_code == code, (pairs, result.error_message)
    assert judged > 2_000


@pytest.mark.parametrize(
    ("operation", "current", "entries", "result"),
    [
        (APPEND, "delete", "compact", "delete,compact"),
        (APPEND, "delete", "compact,compact,delete", "delete,compact"),
        (APPEND, "delete", "compact,", "delete,compact"),
        (APPEND, "delete", ",", "delete"),
        (APPEND, "delete", "", None),
        (APPEND, "delete", "compact,,delete", None),
        (APPEND, "compact,compact", "delete", "compact,compact,delete"),
        (SUBTRACT, "delete,compact", "delete,", "compact"),
        (SUBTRACT, "delete,compact", ",", "delete,compact"),
        (SUBTRACT, "delete", "delete", ""),
        (SET, "delete", "compact,compact", "compact,compact"),
        (SET, "delete", "compact,", None),
    ],
)
def test_lists_are_recorded_as_by_stock(
    operation: int, current: str, entries: str, result: str | None
) -> None:
    # Compared with a node of Apache Kafka 4.4.0. That what is there twice counts once shows where it is read.
    node = harness()
    assert alter(node, TOPIC, "t", ("cleanup.policy", SET, current)).error_code == 0
    code = alter(node, TOPIC, "t", ("cleanup.policy", operation, entries)).error_code
    assert code == (ErrorCode.INVALID_CONFIG if result is None else 0)
    assert node.image.config(TOPIC_RESOURCE, "t")["cleanup.policy"] == (current if result is None else result)


@pytest.mark.parametrize(
    ("resource_type", "name", "key", "value"),
    [
        (TOPIC, "t", "retention.ms", "5"),
        (GROUP, "g", "consumer.session.timeout.ms", "50000"),
        (CLIENT_METRICS, "m", "interval.ms", "5000"),
    ],
)
def test_a_key_of_another_release_that_is_set_already_is_no_obstacle(
    resource_type: int, name: str, key: str, value: str
) -> None:
    dropped = "message.format.version"
    old = ConfigRecord(resource_type=resource_type, resource_name=name, name=dropped, value="2.8")
    records = tuple(encode_metadata_record(each, 0) for each in (*bootstrap_records(), old))
    node = Harness(active=False)
    node.replay_log([Batch(base_offset=0, last_offset=len(records) - 1, epoch=1, records=records)])
    node.activate(epoch=2)
    node.commit()
    node.start_brokers(1)
    node.create_topic("t", [1])
    assert alter(node, resource_type, name, (key, SET, value)).error_code == 0
    refused = ErrorCode.INVALID_REQUEST if resource_type == CLIENT_METRICS else ErrorCode.INVALID_CONFIG
    assert alter(node, resource_type, name, (dropped, SET, "2.8")).error_code == refused
    assert alter(node, resource_type, name, (dropped, DELETE, None)).error_code == 0
    assert dict(node.image.config(resource_type, name)) == {key: value}


def test_a_group_is_judged_with_what_it_has_already() -> None:
    node = Harness(static_config={"group.consumer.max.heartbeat.interval.ms": "60000"})

    def outcome(key: str, operation: int, value: str | None) -> int:
        (result,) = node.call(alter_configs_request(GROUP, "g", (key, operation, value))).responses
        code: int = result.error_code
        return code

    heartbeat, session = "consumer.heartbeat.interval.ms", "consumer.session.timeout.ms"
    assert outcome(session, SET, "50000") == 0
    assert outcome(heartbeat, SET, "49999") == 0
    assert outcome(session, SET, "49999") == ErrorCode.INVALID_CONFIG
    assert outcome(session, DELETE, None) == ErrorCode.INVALID_CONFIG
    assert outcome(heartbeat, DELETE, None) == 0
    assert outcome(session, DELETE, None) == 0
    assert (GROUP, "g") not in node.image.configs
