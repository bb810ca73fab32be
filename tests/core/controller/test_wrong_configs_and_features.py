"""Each field of the requests that change configs, features and producer ids, wrong in turn, sent to the controller:
Kafka's code, a text that names the field and the value, nothing written, and the controller goes on."""

from __future__ import annotations

from typing import Any

import pytest

from kafkaproto.error_codes import ErrorCode
from kafkaproto.message import Message
from kafkaproto.messages import (
    AllocateProducerIdsRequest,
    AlterConfigsRequest,
    IncrementalAlterConfigsRequest,
    UpdateFeaturesRequest,
)
from tests.core.controller.support.harness import (
    APPEND,
    DELETE,
    SET,
    SUBTRACT,
    Harness,
    alter_configs_request,
    controller_registration_request,
    update_features_request,
)

TOPIC, BROKER, BROKER_LOGGER, CLIENT_METRICS, GROUP = 2, 4, 8, 16, 32
UPGRADE, SAFE_DOWNGRADE, UNSAFE_DOWNGRADE = 1, 2, 3
LONG = "x" * 32_767
INVALID_REQUEST, INVALID_CONFIG, UNSUPPORTED, INVALID_UPDATE = 42, 40, 35, 95


@pytest.fixture
def harness() -> Harness:
    """ELR is on, topic t has a retention, and controller 3 is of an older release."""
    harness = Harness()
    harness.start_brokers(1)
    harness.create_topic("t", [1], retention_ms="5", cleanup_policy="compact")
    older = controller_registration_request(3, share_version=(0, 0), metadata_version=(7, 30))
    assert harness.call(older).error_code == 0
    return harness


def refused(harness: Harness, request: Message, version: int | None = None) -> Any:
    """The answer, once nothing has come of the request."""
    start, image = harness.next_offset, harness.image
    response = harness.call(request, version=version)
    assert harness.next_offset == start
    assert harness.image is image
    assert harness.controller.is_active
    return response


def check(code: int, message: str | None, expected_code: int, words: tuple[str, ...]) -> None:
    assert code == expected_code, message
    assert message
    assert len(message) <= 1_000
    for word in words:
        assert word in message


Resource = tuple[int, str]
Config = tuple[str, int, str | None]
GOOD: Config = ("retention.ms", SET, "7")

WRONG_RESOURCES: list[tuple[Resource, int, tuple[str, ...]]] = [
    ((0, "t"), UNSUPPORTED, ("Resource type 0",)),
    ((1, "t"), UNSUPPORTED, ("Resource type 1",)),
    ((3, "t"), UNSUPPORTED, ("Resource type 3",)),
    ((64, "t"), UNSUPPORTED, ("Resource type 64",)),
    ((127, ""), UNSUPPORTED, ("Resource type 127",)),
    ((-128, LONG), UNSUPPORTED, ("Resource type -128",)),
    ((TOPIC, ""), INVALID_REQUEST, ("name",)),
    ((TOPIC, "no"), 3, ("no",)),
    ((TOPIC, "a b"), 17, ("a b",)),
    ((TOPIC, ".."), 17, ("..",)),
    ((TOPIC, LONG), 17, ("32767", "249")),
    ((BROKER, "7"), 102, ("7",)),
    ((BROKER, "x"), INVALID_REQUEST, ("x",)),
    ((BROKER, "-1"), INVALID_REQUEST, ("-1",)),
    ((BROKER, "01"), INVALID_REQUEST, ("01",)),
    ((BROKER, "4294967297"), 102, ("4294967297",)),
    ((BROKER, LONG), INVALID_REQUEST, ("xxx",)),
    ((BROKER_LOGGER, "1"), INVALID_REQUEST, ("loggers",)),
    ((GROUP, ""), INVALID_REQUEST, ("name",)),
    ((CLIENT_METRICS, ""), INVALID_REQUEST, ("name",)),
]


@pytest.mark.parametrize(("resource", "code", "words"), WRONG_RESOURCES, ids=lambda value: str(value)[:40])
@pytest.mark.parametrize("is_incremental", [True, False])
def test_a_wrong_resource(
    resource: Resource, code: int, words: tuple[str, ...], is_incremental: bool, harness: Harness
) -> None:
    request = alter_configs_request(*resource, GOOD) if is_incremental else complete(resource, GOOD[::2])
    (result,) = refused(harness, request).responses
    assert (result.resource_type, result.resource_name) == resource
    check(result.error_code, result.error_message, code, words)


T: Resource = (TOPIC, "t")
EVERY: Resource = (BROKER, "")
ONE: Resource = (BROKER, "1")
G: Resource = (GROUP, "g")
CM: Resource = (CLIENT_METRICS, "cm")

WRONG_CONFIGS: list[tuple[Resource, Config, int, tuple[str, ...]]] = [
    (T, ("", SET, "1"), INVALID_CONFIG, ("Unknown topic config name",)),
    (T, ("no.such", SET, "1"), INVALID_CONFIG, ("no.such",)),
    (T, (LONG, SET, "1"), INVALID_CONFIG, ("xxx",)),
    (T, ("retention.ms", SET, "x"), INVALID_CONFIG, ("retention.ms", "'x'", "whole number")),
    (T, ("retention.ms", SET, ""), INVALID_CONFIG, ("retention.ms", "''")),
    (T, ("retention.ms", SET, "-2"), INVALID_CONFIG, ("retention.ms", "-2", "-1")),
    (
        T,
        ("retention.ms", SET, "9223372036854775808"),
        INVALID_CONFIG,
        ("retention.ms", "9223372036854775808"),
    ),
    (T, ("segment.bytes", SET, "1048575"), INVALID_CONFIG, ("segment.bytes", "1048575", "1048576")),
    (T, ("min.cleanable.dirty.ratio", SET, "1.1"), INVALID_CONFIG, ("min.cleanable.dirty.ratio", "1.1")),
    (T, ("preallocate", SET, "yes"), INVALID_CONFIG, ("preallocate", "yes", "true or false")),
    (T, ("cleanup.policy", SET, "shred"), INVALID_CONFIG, ("cleanup.policy", "shred", "compact")),
    (T, ("cleanup.policy", APPEND, "shred"), INVALID_CONFIG, ("cleanup.policy", "shred")),
    (T, ("cleanup.policy", APPEND, None), INVALID_REQUEST, ("cleanup.policy", "null")),
    (T, ("cleanup.policy", SUBTRACT, None), INVALID_REQUEST, ("cleanup.policy", "null")),
    (T, ("compression.type", SET, "zip"), INVALID_CONFIG, ("compression.type", "zip", "zstd")),
    (T, ("retention.ms", APPEND, "1"), INVALID_CONFIG, ("retention.ms", "APPEND")),
    (T, ("retention.ms", SUBTRACT, "1"), INVALID_CONFIG, ("retention.ms", "SUBTRACT")),
    (T, ("no.such", APPEND, "1"), INVALID_CONFIG, ("no.such", "APPEND")),
    (T, ("max.compaction.lag.ms", SET, "0"), INVALID_CONFIG, ("max.compaction.lag.ms", "0")),
    (T, ("remote.storage.enable", SET, "true"), INVALID_CONFIG, ("remote.storage.enable",)),
    (T, ("leader.replication.throttled.replicas", SET, "0-1"), INVALID_CONFIG, ("0-1", "PARTITION:BROKER")),
    (EVERY, ("num.partitions", SET, "2"), INVALID_REQUEST, ("num.partitions", "read only")),
    (EVERY, ("ssl.keystore.location", SET, "/x"), INVALID_REQUEST, ("ssl.keystore.location",)),
    (EVERY, ("log.cleaner.threads", SET, "-1"), INVALID_REQUEST, ("log.cleaner.threads", "-1")),
    (EVERY, ("log.cleaner.threads", SET, "x"), INVALID_REQUEST, ("log.cleaner.threads", "'x'")),
    (EVERY, ("log.cleaner.threads", APPEND, "1"), INVALID_CONFIG, ("log.cleaner.threads", "APPEND")),
    (EVERY, ("min.insync.replicas", DELETE, None), INVALID_CONFIG, ("min.insync.replicas",)),
    (EVERY, ("min.insync.replicas", SET, "0"), INVALID_REQUEST, ("min.insync.replicas", "'0'")),
    (ONE, ("min.insync.replicas", SET, "2"), INVALID_CONFIG, ("min.insync.replicas",)),
    (ONE, ("num.partitions", SET, "2"), INVALID_REQUEST, ("num.partitions", "read only")),
    (ONE, ("http.listener", SET, "h:1"), INVALID_REQUEST, ("http.listener", "read only")),
    (G, ("no.such", SET, "1"), INVALID_CONFIG, ("no.such",)),
    (G, ("consumer.session.timeout.ms", SET, "x"), INVALID_CONFIG, ("consumer.session.timeout.ms", "'x'")),
    (G, ("consumer.session.timeout.ms", SET, "1"), INVALID_CONFIG, ("consumer.session.timeout.ms", "45000")),
    (G, ("share.isolation.level", SET, "none"), INVALID_CONFIG, ("share.isolation.level", "none")),
    (G, ("share.isolation.level", APPEND, "none"), INVALID_CONFIG, ("share.isolation.level", "APPEND")),
    (CM, ("no.such", SET, "1"), INVALID_REQUEST, ("no.such",)),
    (CM, ("interval.ms", SET, "99"), INVALID_REQUEST, ("interval.ms", "99", "100")),
    (CM, ("interval.ms", SET, "x"), INVALID_CONFIG, ("interval.ms", "'x'")),
    (CM, ("match", SET, "client_id=["), INVALID_CONFIG, ("match", "client_id=[")),
    (CM, ("match", APPEND, "client_id=a"), INVALID_CONFIG, ("match", "APPEND")),
    *(
        (resource, ("retention.ms", operation, "1"), INVALID_REQUEST, ("retention.ms", f"{operation}"))
        for resource in (T, EVERY, ONE, G, CM)
        for operation in (-128, -1, 4, 127)
    ),
    *(
        (resource, (key, SET, LONG + "x"), INVALID_CONFIG, (key, "32767"))
        for resource, key in ((T, "cleanup.policy"), (EVERY, "made.up"), (G, "x"), (CM, "metrics"))
    ),
]


@pytest.mark.parametrize(
    ("resource", "config", "code", "words"), WRONG_CONFIGS, ids=lambda value: str(value)[:60]
)
@pytest.mark.parametrize("validate_only", [False, True])
def test_a_wrong_config(
    resource: Resource,
    config: Config,
    code: int,
    words: tuple[str, ...],
    validate_only: bool,
    harness: Harness,
) -> None:
    others: list[Config] = (
        [("retention.ms", SET, "9")] if resource == T and config[0] != "retention.ms" else []
    )
    request = alter_configs_request(*resource, *others, config, validate_only=validate_only)
    (result,) = refused(harness, request).responses
    check(result.error_code, result.error_message, code, words)


@pytest.mark.parametrize(
    ("resource", "config", "code", "words"),
    [each for each in WRONG_CONFIGS if each[1][1] == SET],
    ids=lambda value: str(value)[:60],
)
def test_a_wrong_config_among_complete_ones(
    resource: Resource, config: Config, code: int, words: tuple[str, ...], harness: Harness
) -> None:
    # With ELR on the cluster has to go on saying this.
    needed = [("min.insync.replicas", "1")] if resource == EVERY else []
    (result,) = refused(harness, complete(resource, *needed, config[::2])).responses
    check(result.error_code, result.error_message, code, words)


def test_a_resource_that_is_named_twice_is_named_in_the_refusal(harness: Harness) -> None:
    resource = IncrementalAlterConfigsRequest.AlterConfigsResource(resource_type=TOPIC, resource_name="t")
    request = IncrementalAlterConfigsRequest(resources=[resource, resource])
    for result in refused(harness, request).responses:
        check(result.error_code, result.error_message, INVALID_REQUEST, ("type 2", "'t'", "twice"))


def test_a_wrong_resource_leaves_the_others_alone(harness: Harness) -> None:
    good = alter_configs_request(TOPIC, "t", GOOD).resources
    bad = [alter_configs_request(*resource, GOOD).resources[0] for resource, _, _ in WRONG_RESOURCES]
    request = IncrementalAlterConfigsRequest(resources=[*bad, *good])
    responses = {
        (each.resource_type, each.resource_name): each.error_code for each in harness.call(request).responses
    }
    assert responses == {**{resource: code for resource, code, _ in WRONG_RESOURCES}, (TOPIC, "t"): 0}
    assert harness.image.config(TOPIC, "t")["retention.ms"] == "7"


def complete(resource: Resource, *configs: tuple[Any, ...]) -> AlterConfigsRequest:
    """The older request, with (key, value) pairs."""
    return AlterConfigsRequest(
        resources=[
            AlterConfigsRequest.AlterConfigsResource(
                resource_type=resource[0],
                resource_name=resource[1],
                configs=[
                    AlterConfigsRequest.AlterableConfig(name=key, value=value) for key, value in configs
                ],
            )
        ]
    )


@pytest.mark.parametrize(
    ("update", "words"),
    [
        (("", 1, UPGRADE), ("does not know",)),
        (("no.such", 1, UPGRADE), ("no.such", "1", "does not know")),
        ((LONG, 1, UPGRADE), ("xxx",)),
        (("group.version", -1, UPGRADE), ("group.version", "-1")),
        (("group.version", -32768, UNSAFE_DOWNGRADE), ("group.version", "-32768")),
        (("group.version", 2, UPGRADE), ("group.version", "2", "0 to 1")),
        (("group.version", 32767, UPGRADE), ("group.version", "32767", "0 to 1")),
        (("group.version", 1, 0), ("group.version", "upgrade type 0")),
        (("group.version", 1, 4), ("group.version", "upgrade type 4")),
        (("group.version", 1, -128), ("group.version", "upgrade type -128")),
        (("share.version", 1, UPGRADE), ("share.version", "controller 3", "0 to 0")),
        (("metadata.version", 0, UNSAFE_DOWNGRADE), ("metadata.version", "0", "21 to 33")),
        (("metadata.version", 20, UNSAFE_DOWNGRADE), ("metadata.version", "20", "21 to 33")),
        (("metadata.version", 34, UPGRADE), ("metadata.version", "34", "21 to 33")),
        (("metadata.version", 29, UPGRADE), ("metadata.version", "29", "30")),
        (("metadata.version", 29, SAFE_DOWNGRADE), ("metadata.version", "29", "4.3-IV0")),
        (("metadata.version", 29, UNSAFE_DOWNGRADE), ("metadata.version", "29", "4.3-IV0")),
        (("eligible.leader.replicas.version", 0, UPGRADE), ("eligible.leader.replicas.version", "0", "1")),
        (("kraft.version", 2, UPGRADE), ("kraft.version", "2", "0 to 1")),
    ],
    ids=lambda value: str(value)[:50],
)
def test_a_wrong_feature_update(
    update: tuple[str, int, int], words: tuple[str, ...], harness: Harness
) -> None:
    for request in (
        update_features_request(update),
        update_features_request(update, validate_only=True),
        update_features_request(("group.version", 1, UPGRADE), update)
        if update[0] != "group.version"
        else update_features_request(("transaction.version", 1, UPGRADE), update),
    ):
        response = refused(harness, request)
        check(response.error_code, response.error_message, INVALID_UPDATE, words)
        old = UpdateFeaturesRequest(feature_updates=request.feature_updates)
        assert refused(harness, old, version=1).error_code == INVALID_UPDATE


@pytest.mark.parametrize(
    "fields",
    [
        {"broker_id": -1},
        {"broker_id": 3},
        {"broker_id": 2**31 - 1},
        {"broker_epoch": -1},
        {"broker_epoch": 2**63 - 1},
    ],
    ids=str,
)
def test_a_wrong_broker_gets_no_producer_ids(fields: dict[str, int], harness: Harness) -> None:
    known: dict[str, Any] = {"broker_id": 1, "broker_epoch": harness.image.brokers[1].epoch}
    response = refused(harness, AllocateProducerIdsRequest(**{**known, **fields}))
    assert response.error_code == ErrorCode.STALE_BROKER_EPOCH
    assert harness.call(AllocateProducerIdsRequest(**known)).error_code == 0
