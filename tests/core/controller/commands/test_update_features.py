"""UpdateFeatures, beside what the recording of a stock node covers (tests/apis).

Tests: `core.controller.machine.upgrades`.
"""

from __future__ import annotations

from typing import Any

import pytest

from kafkaproto.error_codes import ErrorCode
from kafkaproto.message import Message
from kafkaproto.messages import BrokerRegistrationRequest, ConfigRecord, FeatureLevelRecord
from kafkaproto_server.core.controller.machine.changes import COMMAND_TIMEOUT_MS
from kafkaproto_server.core.controller.values.effects import AppendRecords, UpgradeKRaftVersion
from kafkaproto_server.core.controller.values.events import (
    CommandContext,
    CommandReceived,
    KRaftVersionChanged,
    KRaftVersionUpgraded,
)
from kafkaproto_server.metadata.features import supported_ranges
from tests.core.controller.support.harness import (
    ELR,
    SET,
    Harness,
    alter_configs_request,
    controller_registration_request,
    update_features_request,
)

UPGRADE, SAFE_DOWNGRADE, UNSAFE_DOWNGRADE = 1, 2, 3
GROUP, METADATA, KRAFT = "group.version", "metadata.version", "kraft.version"


def update(node: Harness, *updates: tuple[str, int, int], version: int = 2) -> tuple[int, str | None]:
    """Error code and message."""
    response = node.call(update_features_request(*updates), version=version)
    return response.error_code, response.error_message


def levels(node: Harness, start: int) -> list[tuple[str, int]]:
    """What was recorded from an offset on."""
    return [
        (record.name, record.feature_level)
        for record in node.records(start)
        if isinstance(record, FeatureLevelRecord)
    ]


def broker_features(**ranges: tuple[int, int]) -> list[BrokerRegistrationRequest.Feature]:
    changed = {name.replace("_", "."): levels for name, levels in ranges.items()}
    return [
        BrokerRegistrationRequest.Feature(name=name, min_supported_version=low, max_supported_version=high)
        for name, (low, high) in {**supported_ranges(), **changed}.items()
    ]


def test_levels_are_recorded_and_in_force() -> None:
    node = Harness()
    start = node.next_offset
    updates = ((GROUP, 1, UPGRADE), ("transaction.version", 2, UPGRADE))
    assert update(node, *updates) == (0, None)
    assert levels(node, start) == [(GROUP, 1), ("transaction.version", 2)]
    assert (node.image.features[GROUP], node.image.features_offset) == (1, node.next_offset - 1)
    assert update(node, (GROUP, 0, SAFE_DOWNGRADE)) == (0, None)
    assert GROUP not in node.image.features


def test_one_feature_that_cannot_be_updated_spoils_all() -> None:
    node = Harness()
    start = node.next_offset
    code, message = update(node, (GROUP, 1, UPGRADE), ("transaction.version", 9, UPGRADE))
    assert code == ErrorCode.INVALID_UPDATE_VERSION
    assert message is not None
    assert "transaction.version" in message
    assert node.next_offset == start


@pytest.mark.parametrize(
    ("update_wanted", "reason"),
    [
        ((GROUP, 1, 0), "upgrade type 0"),
        ((GROUP, -1, UPGRADE), "0 or more"),
        (("nonsense", 1, UPGRADE), "controller 1 does not know the feature"),
        ((METADATA, 20, SAFE_DOWNGRADE), "controller 1 supports 21 to 33"),
        ((METADATA, 29, UPGRADE), "no downgrade was allowed"),
        ((METADATA, 29, SAFE_DOWNGRADE), "4.3-IV0"),
        ((METADATA, 22, UNSAFE_DOWNGRADE), "4.0-IV1, 4.3-IV0"),
        ((GROUP, 1, SAFE_DOWNGRADE), "above its level 0, and a downgrade was asked for"),
        ((GROUP, 1, UNSAFE_DOWNGRADE), "above its level 0, and a downgrade was asked for"),
    ],
)
def test_a_refusal_says_what_is_wrong(update_wanted: tuple[str, int, int], reason: str) -> None:
    code, message = update(Harness(), update_wanted)
    assert code == ErrorCode.INVALID_UPDATE_VERSION
    assert message is not None
    assert reason in message


@pytest.mark.parametrize("upgrade_type", [UPGRADE, SAFE_DOWNGRADE, UNSAFE_DOWNGRADE])
def test_a_level_that_is_in_force_is_neither_an_upgrade_nor_a_downgrade(upgrade_type: int) -> None:
    node = Harness()
    for wanted in ((METADATA, 30, upgrade_type), (GROUP, 0, upgrade_type)):
        start = node.next_offset
        assert update(node, wanted) == (0, None)
        assert node.next_offset == start + 1


def test_metadata_version_can_be_lowered_where_nothing_can_be_lost() -> None:
    node = Harness(metadata_version=29)
    assert update(node, (METADATA, 24, SAFE_DOWNGRADE)) == (0, None)
    assert node.image.metadata_version == 24
    assert update(node, (METADATA, 22, SAFE_DOWNGRADE))[0] == ErrorCode.INVALID_UPDATE_VERSION
    assert update(node, (METADATA, 30, UPGRADE)) == (0, None)


def test_a_level_needs_the_support_of_every_broker_and_controller() -> None:
    node = Harness(features=[])
    assert node.register(4, features=broker_features(group_version=(0, 0))).error_code == 0
    node.call(controller_registration_request(5, share_version=(0, 0)))
    assert update(node, ("streams.version", 1, UPGRADE))[0] == 0
    for name, who in ((GROUP, "broker 4 supports 0 to 0"), ("share.version", "controller 5 supports 0 to 0")):
        code, message = update(node, (name, 1, UPGRADE))
        assert code == ErrorCode.INVALID_UPDATE_VERSION
        assert message is not None
        assert who in message


def test_a_node_that_does_not_name_a_feature_supports_it_at_0_only() -> None:
    node = Harness(features=[])
    named = [each for each in broker_features() if each.name != GROUP]
    assert node.register(4, features=named).error_code == 0
    assert update(node, (GROUP, 0, UPGRADE))[0] == 0
    assert update(node, (GROUP, 1, UPGRADE))[0] == ErrorCode.INVALID_UPDATE_VERSION


def test_static_voters_have_to_be_registered() -> None:
    node = Harness(features=[], static_voter_ids=(1, 2))
    code, message = update(node, (GROUP, 1, UPGRADE))
    assert code == ErrorCode.INVALID_UPDATE_VERSION
    assert message is not None
    assert "controller 2 has not registered" in message
    node.call(controller_registration_request(2))
    assert update(node, (GROUP, 1, UPGRADE))[0] == 0


def test_static_voters_that_count_no_more_need_not_be_registered() -> None:
    node = Harness(features=[], static_voter_ids=(1, 2))
    node.handle(KRaftVersionChanged(kraft_version=1))
    assert update(node, (GROUP, 1, UPGRADE))[0] == 0


def test_a_feature_needs_what_it_rests_on_in_the_same_request_at_the_latest() -> None:
    node = Harness(features=[], metadata_version=22)
    code, message = update(node, (ELR, 1, UPGRADE))
    assert code == ErrorCode.INVALID_UPDATE_VERSION
    assert message is not None
    assert "metadata.version at level 23" in message
    assert update(node, (ELR, 1, UPGRADE), (METADATA, 23, UPGRADE))[0] == 0


def test_elr_gives_the_cluster_one_min_isr() -> None:
    node = Harness(features=[], static_config={"min.insync.replicas": "2"})
    node.start_brokers(1, 4)
    node.call(
        alter_configs_request(4, "1", ("min.insync.replicas", SET, "3"), ("log.cleaner.threads", SET, "2"))
    )
    node.call(alter_configs_request(4, "4", ("log.cleaner.threads", SET, "2")))
    start = node.next_offset
    assert update(node, (ELR, 1, UPGRADE))[0] == 0
    changed = [
        (each.resource_name, each.name, each.value)
        for each in node.records(start)
        if isinstance(each, ConfigRecord)
    ]
    assert changed == [("", "min.insync.replicas", "2"), ("1", "min.insync.replicas", None)]
    start = node.next_offset
    assert update(node, (ELR, 1, UPGRADE))[0] == 0
    assert levels(node, start) == [(ELR, 1)]
    assert len(node.records(start)) == 1


def test_a_min_isr_that_the_cluster_has_stays_when_elr_is_turned_on() -> None:
    node = Harness(features=[])
    node.call(alter_configs_request(4, "", ("min.insync.replicas", SET, "3")))
    start = node.next_offset
    assert update(node, (ELR, 1, UPGRADE))[0] == 0
    assert len(node.records(start)) == 1


def test_elr_that_stays_off_leaves_each_broker_its_own_min_isr() -> None:
    node = Harness(features=[])
    node.call(alter_configs_request(4, "1", ("min.insync.replicas", SET, "3")))
    start = node.next_offset
    assert update(node, (ELR, 0, UPGRADE)) == (0, None)
    assert levels(node, start) == [(ELR, 0)]
    assert len(node.records(start)) == 1


@pytest.mark.parametrize("version", [0, 1, 2])
def test_results_are_listed_as_long_as_the_version_has_them(version: int) -> None:
    node = Harness()
    request = update_features_request((GROUP, 1, UPGRADE), (GROUP, 1, UPGRADE))
    response = node.call(request, version=version)
    listed = [(each.feature, each.error_code, each.error_message) for each in response.results]
    assert listed == ([(GROUP, 0, "NONE")] * 2 if version < 2 else [])
    response.encode(version)


def test_validate_only_says_the_same_and_records_nothing() -> None:
    node = Harness()
    start = node.next_offset
    assert node.call(update_features_request((GROUP, 1, UPGRADE), validate_only=True)).error_code == 0
    assert node.call(update_features_request((GROUP, 2, UPGRADE), validate_only=True)).error_code != 0
    assert node.next_offset == start


# --- kraft.version, which is the quorum's own ---


def asked(node: Harness, *updates: tuple[str, int, int], **more: Any) -> int:
    """Send a request that raises kraft.version; returns its command id."""
    validate_only = more.pop("validate_only", False)
    command_id = node.send(update_features_request(*updates, validate_only=validate_only), **more)
    assert node.answer(command_id) is None
    return command_id


def test_the_quorum_is_asked_and_the_response_waits_for_the_commit() -> None:
    node = Harness()
    command_id = asked(node, (KRAFT, 1, UPGRADE))
    assert node.upgrades == [
        UpgradeKRaftVersion(command_id=command_id, epoch=1, level=1, validate_only=False)
    ]
    assert node.controller.parked_reply_count == 1
    node.answer_upgrade()
    assert node.answer(command_id) is None
    node.commit()
    assert node.answer(command_id).error_code == 0
    assert node.controller.parked_reply_count == 0


def test_the_quorum_is_asked_alone_and_behind_all_that_was_decided_before() -> None:
    node = Harness()
    start = node.next_offset

    def command(command_id: int, request: Message, version: int) -> None:
        received = CommandReceived(
            command_id=command_id, request=request, version=version, context=CommandContext()
        )
        node.controller.handle(received, node.now_ms, wall_ms=node.wall_ms)

    # Several commands before anybody applies, as it is where they wait for a busy loop.
    for command_id in (100, 102):
        command(command_id, alter_configs_request(4, "", ("log.retention.ms", SET, str(command_id))), 1)
        command(command_id + 1, update_features_request((KRAFT, 1, UPGRADE)), 2)
    appends = node.controller.take_effects()
    assert [each.base_offset for each in appends if isinstance(each, AppendRecords)] == [start, start + 1]
    assert len(appends) == 2
    for command_id in (101, 103):
        (upgrade,) = node.controller.take_effects()
        assert isinstance(upgrade, UpgradeKRaftVersion)
        assert upgrade.command_id == command_id
    assert node.controller.take_effects() == []


def test_other_features_are_recorded_once_the_quorum_has_agreed() -> None:
    node = Harness()
    start = node.next_offset
    command_id = asked(node, (GROUP, 1, UPGRADE), (KRAFT, 1, UPGRADE))
    assert node.next_offset == start
    node.answer_upgrade()
    node.commit()
    assert levels(node, start) == [(GROUP, 1)]
    assert node.answer(command_id).error_code == 0


def test_what_has_become_wrong_while_the_quorum_was_asked_is_found() -> None:
    node = Harness(features=[])
    command_id = asked(node, (GROUP, 1, UPGRADE), (KRAFT, 1, UPGRADE))
    assert node.register(4, features=broker_features(group_version=(0, 0))).error_code == 0
    node.answer_upgrade()
    node.commit()
    assert node.answer(command_id).error_code == ErrorCode.INVALID_UPDATE_VERSION


def test_a_request_that_is_wrong_elsewhere_never_reaches_the_quorum() -> None:
    node = Harness()
    assert update(node, (KRAFT, 1, UPGRADE), (GROUP, 9, UPGRADE))[0] == ErrorCode.INVALID_UPDATE_VERSION
    assert update(node, (KRAFT, 2, UPGRADE))[0] == ErrorCode.INVALID_UPDATE_VERSION
    assert node.upgrades == []


def test_the_level_in_force_is_taken_without_asking_and_a_lower_one_is_refused() -> None:
    node = Harness()
    node.handle(KRaftVersionChanged(kraft_version=1))
    start = node.next_offset
    assert update(node, (KRAFT, 1, UPGRADE)) == (0, None)
    for upgrade_type in (UPGRADE, SAFE_DOWNGRADE, UNSAFE_DOWNGRADE):
        assert update(node, (KRAFT, 0, upgrade_type))[0] == ErrorCode.INVALID_UPDATE_VERSION
    assert (node.next_offset, node.upgrades) == (start, [])


def test_validate_only_is_passed_on_and_changes_nothing() -> None:
    node = Harness()
    start = node.next_offset
    command_id = asked(node, (KRAFT, 1, UPGRADE), (GROUP, 1, UPGRADE), validate_only=True)
    assert node.upgrades[0].validate_only
    node.answer_upgrade()
    assert node.answer(command_id).error_code == 0
    assert node.next_offset == start


@pytest.mark.parametrize(
    ("told", "code"),
    [
        (ErrorCode.INVALID_UPDATE_VERSION, ErrorCode.INVALID_UPDATE_VERSION),
        (ErrorCode.REQUEST_TIMED_OUT, ErrorCode.REQUEST_TIMED_OUT),
        (ErrorCode.NOT_LEADER_OR_FOLLOWER, ErrorCode.NOT_CONTROLLER),
    ],
)
def test_the_quorums_refusal_is_the_response(told: ErrorCode, code: ErrorCode) -> None:
    node = Harness()
    start = node.next_offset
    command_id = asked(node, (GROUP, 1, UPGRADE), (KRAFT, 1, UPGRADE))
    node.answer_upgrade(told, "voter 3 is too old")
    response = node.answer(command_id)
    assert (response.error_code, response.error_message) == (code, "voter 3 is too old")
    assert node.next_offset == start


def test_the_time_limit_and_the_end_of_leadership_end_the_waiting_for_the_quorum() -> None:
    node = Harness()
    late = asked(node, (KRAFT, 1, UPGRADE), deadline_ms=node.now_ms + 50)
    lost = asked(node, (KRAFT, 1, UPGRADE))
    assert node.controller.next_deadline_ms() == node.now_ms + 50
    node.advance(49)
    assert node.answer(late) is None
    node.advance(1)
    assert node.answer(late).error_code == ErrorCode.REQUEST_TIMED_OUT
    # The other one names no limit, and has the controller's.
    assert node.controller.next_deadline_ms() == node.now_ms - 50 + COMMAND_TIMEOUT_MS
    node.deactivate(leader_id=2)
    assert node.answer(lost).error_code == ErrorCode.NOT_CONTROLLER
    # What the quorum still says of them is for nobody any more.
    for command_id in (late, lost, 77):
        node.handle(KRaftVersionUpgraded(command_id=command_id, error_code=ErrorCode.NONE, message=None))
    assert node.controller.parked_reply_count == 0
