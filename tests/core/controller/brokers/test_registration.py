"""BrokerRegistration and ControllerRegistration: what is recorded, and every reason to refuse.

Tests: `apis.brokers.broker_registration`, `base.types`.
"""

from __future__ import annotations

from typing import Any

import pytest

from kafkaproto.error_codes import ErrorCode
from kafkaproto.messages import (
    BrokerRegistrationRequest,
    ControllerRegistrationRequest,
    RegisterControllerRecord,
)
from kafkaproto.records.metadata import encode_metadata_record
from kafkaproto.uuids import to_text
from kafkaproto_server.base.later import run_to_end
from kafkaproto_server.base.types import Endpoint
from kafkaproto_server.core.controller.brokers.registration import (
    MAX_DIRECTORIES,
    MAX_FEATURES,
    MAX_LISTENERS,
    _check_directories,
)
from kafkaproto_server.core.controller.values.command import ApiError
from kafkaproto_server.core.controller.values.events import KRaftVersionChanged
from kafkaproto_server.metadata.image.entries import ControllerRegistration, FeatureRange
from tests.core.controller.support.harness import ELR, Harness, directory, incarnation, registration_request
from tests.metadata.image.test_records import REGISTER_BROKER, REGISTER_CONTROLLER

Listener = BrokerRegistrationRequest.Listener
Feature = BrokerRegistrationRequest.Feature


def features(**ranges: tuple[int, int]) -> list[Feature]:
    """Ranges by feature name, "_" standing for "."; metadata.version is in order unless given."""
    given: dict[str, tuple[int, int]] = {
        "metadata_version": (21, 30),
        "eligible_leader_replicas_version": (0, 1),
    }
    given.update(ranges)
    return [
        Feature(name=name.replace("_", "."), min_supported_version=low, max_supported_version=high)
        for name, (low, high) in given.items()
    ]


def test_a_registration_is_recorded_as_stock_records_it() -> None:
    # The request of a stock broker, told from the record that its controller wrote at offset 28.
    harness = Harness()
    while harness.next_offset < 28:
        harness.append_control()
    response = harness.call(
        BrokerRegistrationRequest(
            broker_id=11,
            cluster_id="MkU3OEVBNTcwNTJENDM2Qg",
            incarnation_id=bytes.fromhex("4dad26a2ee884b71896b8bcb7e152fcc"),
            listeners=[Listener(name="PLAINTEXT", host="127.0.0.1", port=21321, security_protocol=0)],
            features=[
                Feature(name=name, min_supported_version=low, max_supported_version=high)
                for name, low, high in (
                    ("kraft.version", 0, 1),
                    ("group.version", 0, 1),
                    ("streams.version", 0, 1),
                    ("transaction.version", 0, 2),
                    ("eligible.leader.replicas.version", 0, 1),
                    ("metadata.version", 7, 30),
                    ("share.version", 0, 1),
                )
            ],
            rack=None,
            log_dirs=[bytes.fromhex("ac65566a3e471fbce5eaccff12a44f22")],
        )
    )
    assert (response.error_code, response.broker_epoch) == (0, 28)
    assert [value.hex() for value in harness.appended_values()] == [REGISTER_BROKER]


def test_a_controller_is_recorded_as_stock_records_it() -> None:
    harness = Harness()
    response = harness.call(
        ControllerRegistrationRequest(
            controller_id=1,
            incarnation_id=bytes.fromhex("1b88b0c539a44367b6c998b825f89174"),
            listeners=[
                ControllerRegistrationRequest.Listener(
                    name="CONTROLLER", host="127.0.0.1", port=21001, security_protocol=0
                )
            ],
            features=[
                ControllerRegistrationRequest.Feature(
                    name=name, min_supported_version=low, max_supported_version=high
                )
                for name, low, high in (
                    ("group.version", 0, 1),
                    ("kraft.version", 0, 1),
                    ("metadata.version", 7, 30),
                    ("share.version", 0, 1),
                    ("streams.version", 0, 1),
                    ("transaction.version", 0, 2),
                    ("eligible.leader.replicas.version", 0, 1),
                )
            ],
        )
    )
    assert response.error_code == 0
    assert [value.hex() for value in harness.appended_values()] == [REGISTER_CONTROLLER]


def test_a_controller_may_register_again_at_any_time() -> None:
    harness = Harness()
    for number in (1, 1, 2):
        request = ControllerRegistrationRequest(controller_id=7, incarnation_id=incarnation(number))
        assert harness.call(request).error_code == 0
        record = RegisterControllerRecord(controller_id=7, incarnation_id=incarnation(number))
        assert harness.appended_values() == [encode_metadata_record(record, 0)]
    assert harness.image.controllers[7] == ControllerRegistration(
        controller_id=7, incarnation_id=incarnation(2), endpoints=(), features=()
    )


def test_what_a_broker_says_is_in_the_image() -> None:
    harness = Harness()
    harness.register(4, rack="r", features=features(), log_dirs=[directory(4, 1), directory(4, 0)])
    broker = harness.image.brokers[4]
    assert broker.rack == "r"
    assert broker.directories == (directory(4, 0), directory(4, 1))
    assert broker.endpoints == (Endpoint(name="PLAINTEXT", host="127.0.0.1", port=9004),)
    assert FeatureRange(name="metadata.version", min_level=21, max_level=30) in broker.features
    assert (broker.fenced, broker.in_controlled_shutdown, broker.cordoned_directories) == (True, False, None)


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"cluster_id": "other"}, ErrorCode.INCONSISTENT_CLUSTER_ID),
        ({"is_migrating_zk_broker": True}, ErrorCode.BROKER_ID_NOT_REGISTERED),
        ({"broker_id": -1}, ErrorCode.INVALID_REQUEST),
        ({"log_dirs": []}, ErrorCode.INVALID_REGISTRATION),
        ({"log_dirs": [directory(1), directory(1)]}, ErrorCode.INVALID_REGISTRATION),
        ({"log_dirs": [bytes(16)]}, ErrorCode.INVALID_REGISTRATION),
        ({"log_dirs": [bytes(15) + b"\x63"]}, ErrorCode.INVALID_REGISTRATION),
        ({"log_dirs": [bytes(8) + b"\xff" * 8]}, ErrorCode.INVALID_REGISTRATION),
        ({"log_dirs": [directory(9)]}, ErrorCode.INVALID_REGISTRATION),
        (
            {"listeners": [Listener(name="L", host="h", port=1, security_protocol=4)]},
            ErrorCode.INVALID_REQUEST,
        ),
        (
            {"listeners": [Listener(name="L", host="h", port=1, security_protocol=-1)]},
            ErrorCode.INVALID_REQUEST,
        ),
        ({"listeners": [Listener(name="L", host="h", port=1)] * 2}, ErrorCode.INVALID_REQUEST),
        ({"features": features(x=(2, 1))}, ErrorCode.INVALID_REQUEST),
        ({"features": features(x=(-1, 1))}, ErrorCode.INVALID_REQUEST),
        ({"features": features() * 2}, ErrorCode.INVALID_REQUEST),
        ({"features": features()[1:]}, ErrorCode.INVALID_REGISTRATION),
        ({"features": features(metadata_version=(21, 29))}, ErrorCode.UNSUPPORTED_VERSION),
        ({"features": features(metadata_version=(31, 40))}, ErrorCode.UNSUPPORTED_VERSION),
        ({"features": features()[:1]}, ErrorCode.UNSUPPORTED_VERSION),
        ({"features": features(kraft_version=(1, 1))}, ErrorCode.UNSUPPORTED_VERSION),
        # Nobody has raised it, so that it is at 0.
        ({"features": features(unheard_of=(1, 2))}, ErrorCode.UNSUPPORTED_VERSION),
    ],
)
def test_a_registration_that_is_not_in_order_writes_nothing(fields: dict[str, Any], code: ErrorCode) -> None:
    harness = Harness()
    harness.register(9)
    start = harness.next_offset
    request = registration_request(1)
    for name, value in fields.items():
        setattr(request, name, value)
    response = harness.call(request)
    assert (response.error_code, response.broker_epoch) == (code, -1)
    assert harness.next_offset == start


@pytest.mark.parametrize(
    "fields",
    [
        {"broker_id": 0},
        {"listeners": [Listener(name="L", host="h", port=1, security_protocol=0)]},
        {"listeners": [Listener(name="L", host="h", port=1, security_protocol=3)]},
        {"features": features(x=(0, 0))},
        {"features": features(metadata_version=(21, 30))},
        {"features": features(metadata_version=(30, 40))},
        {"features": features(unheard_of=(0, 2))},
    ],
)
def test_a_registration_with_the_least_or_greatest_values_is_accepted(fields: dict[str, Any]) -> None:
    request = registration_request(1)
    for name, value in fields.items():
        setattr(request, name, value)
    assert Harness().call(request).error_code == 0


def test_the_first_id_that_is_not_reserved_is_a_directory() -> None:
    assert Harness().register(1, log_dirs=[bytes(15) + b"\x64"]).error_code == 0


def test_checks_come_in_order() -> None:
    """Each request below is wrong in all that the later ones are wrong in, too."""
    harness = Harness()
    harness.start_brokers(1)
    everything: dict[str, Any] = {
        "cluster_id": "other",
        "incarnation_id": incarnation(99),
        "is_migrating_zk_broker": True,
        "log_dirs": [],
        "listeners": [Listener(name="L", host="h", port=1, security_protocol=9)],
        "features": [],
    }
    codes = []
    for mended in (
        "nothing",
        "cluster_id",
        "incarnation_id",
        "is_migrating_zk_broker",
        "log_dirs",
        "listeners",
    ):
        everything.pop(mended, None)
        codes.append(harness.register(1, **everything).error_code)
    assert codes == [
        ErrorCode.INCONSISTENT_CLUSTER_ID,
        ErrorCode.DUPLICATE_BROKER_REGISTRATION,
        ErrorCode.BROKER_ID_NOT_REGISTERED,
        ErrorCode.INVALID_REGISTRATION,
        ErrorCode.INVALID_REQUEST,
        ErrorCode.INVALID_REGISTRATION,
    ]


def test_kraft_version_counts_among_the_finalized_features() -> None:
    harness = Harness()
    harness.handle(KRaftVersionChanged(kraft_version=1))
    assert harness.register(1, features=features()).error_code == ErrorCode.UNSUPPORTED_VERSION
    assert harness.register(1, features=features(kraft_version=(0, 1))).error_code == 0


def test_a_controller_with_nonsense_is_refused_with_words() -> None:
    harness = Harness()
    start = harness.next_offset
    listener = ControllerRegistrationRequest.Listener(name="C", host="h", port=1, security_protocol=77)
    response = harness.call(ControllerRegistrationRequest(controller_id=1, listeners=[listener]))
    assert (response.error_code, response.error_message) == (
        42,
        "Listener C has the unknown security protocol 77.",
    )
    response = harness.call(ControllerRegistrationRequest(controller_id=-3))
    assert (response.error_code, response.error_message) == (42, "Node id -3 is negative.")
    assert harness.next_offset == start


@pytest.mark.parametrize(
    ("elr_on", "previous_epoch", "isr", "elr"),
    [
        # Crashed: it may have lost what others were told is safe, so it is not even eligible.
        (True, -1, (), ()),
        (True, 3, (), ()),
        # Shut down cleanly: it has everything, and stays eligible.
        (True, None, (), (1,)),
        # Without ELR the ISR of a partition without a leader stays.
        (False, -1, (1,), ()),
    ],
)
def test_a_new_incarnation_gives_up_what_the_old_one_had(
    elr_on: bool, previous_epoch: int | None, isr: tuple[int, ...], elr: tuple[int, ...]
) -> None:
    harness = Harness(features=[ELR] if elr_on else [])
    harness.start_brokers(1)
    topic_id = harness.create_topic("t", [1])
    harness.advance(9_000)
    epoch = harness.image.brokers[1].epoch
    harness.register(
        1,
        incarnation_id=incarnation(50),
        previous_broker_epoch=epoch if previous_epoch is None else previous_epoch,
    )
    partition = harness.image.partition(topic_id, 0)
    assert partition is not None
    assert (partition.isr, partition.elr, partition.leader) == (isr, elr, -1)


def test_the_same_incarnation_keeps_what_it_told_before() -> None:
    harness = Harness()
    harness.start_brokers(1)
    harness.heartbeat(1, cordoned_log_dirs=[])
    epoch = harness.image.brokers[1].epoch
    response = harness.register(1, rack="new")
    broker = harness.image.brokers[1]
    assert (response.broker_epoch, broker.epoch) == (epoch, epoch)
    assert (broker.fenced, broker.rack, broker.cordoned_directories) == (False, "new", ())
    assert broker.registration_offset == harness.next_offset - 1
    harness.heartbeat(1, want_shut_down=True)


def test_a_new_incarnation_ends_the_session_of_the_one_before() -> None:
    harness = Harness(local_broker_incarnation_id=incarnation(50))
    harness.start_brokers(1)
    harness.register(1, incarnation_id=incarnation(50))
    assert harness.controller.next_deadline_ms() is None
    assert harness.register(1, incarnation_id=incarnation(51)).error_code == 0


def test_words_that_quote_what_was_sent_are_cut() -> None:
    harness = Harness()
    request = ControllerRegistrationRequest(
        controller_id=1,
        listeners=[ControllerRegistrationRequest.Listener(name="L" * 30_000, host="h", port=1)] * 2,
    )
    response = harness.call(request)
    assert response.error_message is not None
    assert response.error_message.startswith("Listener LLL")
    assert len(response.error_message) == 1_000


def test_more_directories_listeners_or_features_than_anybody_has_are_refused() -> None:
    harness = Harness()
    directories = [directory(1, number) for number in range(MAX_DIRECTORIES + 1)]
    assert harness.register(1, log_dirs=directories).error_code == ErrorCode.INVALID_REGISTRATION
    assert harness.register(1, log_dirs=directories[:-1]).error_code == 0
    listener = registration_request(2).listeners[0]
    listeners = [
        BrokerRegistrationRequest.Listener(
            name=f"L{number}", host=listener.host, port=listener.port, security_protocol=0
        )
        for number in range(MAX_LISTENERS + 1)
    ]
    assert harness.register(2, listeners=listeners).error_code == ErrorCode.INVALID_REQUEST
    assert harness.register(2, listeners=listeners[:-1]).error_code == 0
    known = registration_request(3).features
    features = [
        *known,
        *(
            BrokerRegistrationRequest.Feature(name=f"f{number}", min_supported_version=0)
            for number in range(MAX_FEATURES + 1 - len(known))
        ),
    ]
    assert harness.register(3, features=features).error_code == ErrorCode.INVALID_REQUEST
    assert harness.register(3, features=features[:-1]).error_code == 0


def test_a_directory_of_another_broker_is_named() -> None:
    harness = Harness()
    assert harness.register(1, log_dirs=[directory(1, 0), directory(1, 1)]).error_code == 0
    with pytest.raises(ApiError, match=f"{to_text(directory(1, 1))} belongs to broker 1"):
        run_to_end(_check_directories(harness.image, 2, [directory(2), directory(1, 1)]))
