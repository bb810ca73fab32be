"""Elections and ISR changes, against Apache Kafka's own: `../data/stock_partition_changes.golden` says how."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from kafkaproto_server.core.controller.partitions.partitions import (
    Election,
    Goal,
    LeadershipRules,
    leadership_rules,
    partition_change,
)
from kafkaproto_server.core.controller.values.topic_configs import InheritedConfigs, TopicConfigs
from kafkaproto_server.metadata.image.entries import PartitionImage
from kafkaproto_server.metadata.image.records import record_version
from tests.core.controller.support.harness import Harness, directory

_DATA = Path(__file__).parents[1] / "data"
_ELECTIONS = {"ONLINE": Election.CLEAN, "PREFERRED": Election.PREFERRED, "UNCLEAN": Election.UNCLEAN}


def _cases(file_name: str = "stock_partition_changes.golden") -> list[str]:
    return [line for line in (_DATA / file_name).read_text().splitlines() if not line.startswith("#")]


def _ids(text: str) -> tuple[int, ...]:
    return tuple(int(word) for word in text.split(",") if word)


def _shown(ids: list[int] | None) -> str:
    return "null" if ids is None else ",".join(map(str, ids))


def _change(case: str) -> str:
    """What we make of the left side of a case, in the form of the right one."""
    words = case.split("|")
    replicas, isr, elr, last_known_elr = map(_ids, words[:4])
    acceptable, target_isr, lost = _ids(words[6]), _ids(words[7]), _ids(words[11])
    partition = PartitionImage(
        replicas=replicas,
        directories=(bytes(16),) * len(replicas),
        isr=isr,
        elr=elr,
        last_known_elr=last_known_elr,
        leader=int(words[4]),
        leader_recovery_state=int(words[5]),
    )
    rules = LeadershipRules(
        is_acceptable=lambda _, replica: replica in acceptable,
        election=Election.UNCLEAN if words[8] == "U" else Election.CLEAN,
        elr_enabled=words[9] == "1",
        min_isr=int(words[10]),
        new_directory=None,
    )
    goal = Goal(isr=target_isr, lost_replicas=lost)
    record = partition_change(bytes(16), 0, partition, goal, rules)
    if record is None:
        return "none"
    return (
        f"{_shown(record.isr)}|{record.leader}|{record.leader_recovery_state}"
        f"|{_shown(record.eligible_leader_replicas)}|{_shown(record.last_known_elr)}"
        f"|v{record_version(record, int(words[12]))}"
    )


def test_changes_are_those_that_stock_makes() -> None:
    wrong = []
    for line in _cases():
        case, expected = line.split(" -> ")
        if _change(case) != expected:
            wrong.append(f"{line}, ours {_change(case)}")
    assert wrong == []


def _directory(number: int) -> bytes:
    return number.to_bytes(16, "big")


def _reassignment(case: str) -> str:
    """What we make of the left side of a case of stock_reassignments.golden, in the form of the right one."""
    words = case.split("|")
    acceptable, metadata_version = _ids(words[9]), int(words[19])
    partition = PartitionImage(
        replicas=_ids(words[0]),
        directories=tuple(_directory(number) for number in _ids(words[1])),
        isr=_ids(words[2]),
        adding_replicas=_ids(words[3]),
        removing_replicas=_ids(words[4]),
        elr=_ids(words[5]),
        last_known_elr=_ids(words[6]),
        leader=int(words[7]),
        leader_recovery_state=int(words[8]),
    )
    stays = words[11] == "-"
    broker_id, _, number = words[15].partition(":")
    goal = Goal(
        isr=_ids(words[10]),
        replicas=None if stays else _ids(words[11]),
        adding=None if stays else _ids(words[12]),
        removing=None if stays else _ids(words[13]),
        recovery_state=None if words[14] == "-" else int(words[14]),
        directories={int(broker_id): _directory(int(number))} if broker_id else {},
    )
    rules = LeadershipRules(
        is_acceptable=lambda _, replica: replica in acceptable,
        election=_ELECTIONS[words[16]],
        elr_enabled=words[17] == "1",
        min_isr=int(words[18]),
        new_directory=(lambda replica: _directory(1000 + replica)) if metadata_version >= 17 else None,
    )
    record = partition_change(bytes(16), 0, partition, goal, rules)
    if record is None:
        return "none"
    directories = None
    if record.directories is not None:
        directories = [int.from_bytes(each, "big") for each in record.directories]
    lists = (
        *(record.replicas, directories, record.isr, record.adding_replicas, record.removing_replicas),
        *(record.eligible_leader_replicas, record.last_known_elr),
    )
    shown = [_shown(each) for each in lists]
    shown[5:5] = [str(record.leader), str(record.leader_recovery_state)]
    return "|".join((*shown, f"v{record_version(record, metadata_version)}"))


def _without_removed_from_elr(case: str, expected: str) -> str:
    """What stock would say if it did not leave replicas in the ELR that are no replicas any more."""
    left, right = case.split("|"), expected.split("|")
    if expected == "none" or right[0] == "null":
        return expected
    elr = _ids(left[5] if right[7] == "null" else right[7])
    kept = tuple(replica for replica in elr if replica in _ids(right[0]))
    right[7] = "null" if kept == _ids(left[5]) else _shown([*kept])
    return "|".join(right)


def test_reassignments_begin_and_end_as_those_of_stock() -> None:
    wrong = []
    cases = _cases("stock_reassignments.golden")
    for line in cases:
        case, expected = line.split(" -> ")
        if _reassignment(case) != _without_removed_from_elr(case, expected):
            wrong.append(f"{line}, ours {_reassignment(case)}")
    assert wrong == []
    assert len(cases) == 400


def test_who_was_eligible_when_elr_was_turned_off_may_still_lead() -> None:
    partition = PartitionImage(
        replicas=(1, 2), directories=(bytes(16),) * 2, isr=(), elr=(2,), last_known_elr=(2,), leader=-1
    )
    rules = LeadershipRules(
        is_acceptable=lambda _, replica: True,
        election=Election.CLEAN,
        elr_enabled=False,
        min_isr=1,
        new_directory=None,
    )
    record = partition_change(bytes(16), 0, partition, Goal(), rules)
    assert record is not None
    assert (record.leader, record.isr, record.eligible_leader_replicas) == (2, [2], [])
    assert (record.leader_recovery_state, record.last_known_elr) == (-1, None)


def _without_elr(*acceptable: int) -> LeadershipRules:
    return LeadershipRules(
        is_acceptable=lambda _, replica: replica in acceptable,
        election=Election.CLEAN,
        elr_enabled=False,
        min_isr=1,
        new_directory=None,
    )


def test_who_was_eligible_when_elr_was_turned_off_does_not_lead_after_somebody_else_did() -> None:
    partition = PartitionImage(replicas=(1, 2), directories=(bytes(16),) * 2, isr=(1,), elr=(2,), leader=1)
    record = partition_change(bytes(16), 0, partition, Goal(isr=()), _without_elr(2))
    assert record is not None
    # With min.insync.replicas lowered, replica 1 has acknowledged records alone. Apache Kafka 4.3.1 elects 2.
    assert (record.leader, record.isr, record.eligible_leader_replicas) == (-1, None, [])


def test_who_is_eligible_of_an_empty_isr_stays_so_without_elr_until_one_leads() -> None:
    partition = PartitionImage(
        replicas=(1, 2, 3), directories=(bytes(16),) * 3, isr=(), elr=(2, 3), leader=-1
    )
    grown = Goal(replicas=(1, 2, 3, 4), adding=(4,), directories={4: bytes(16)})
    record = partition_change(bytes(16), 0, partition, grown, _without_elr(1))
    assert record is not None
    assert (record.replicas, record.eligible_leader_replicas) == ([1, 2, 3, 4], None)
    removed = partition_change(bytes(16), 0, partition, Goal(replicas=(1, 3)), _without_elr(1))
    assert removed is not None
    assert removed.eligible_leader_replicas == [3]


def test_nobody_else_stays_eligible_without_elr_once_one_leads() -> None:
    partition = PartitionImage(
        replicas=(1, 2, 3), directories=(bytes(16),) * 3, isr=(), elr=(2, 3), leader=-1
    )
    record = partition_change(bytes(16), 0, partition, Goal(), _without_elr(2, 3))
    assert record is not None
    assert (record.leader, record.isr, record.eligible_leader_replicas) == (2, [2], [])


def test_a_last_known_leader_that_is_no_replica_any_more_is_not_elected() -> None:
    partition = PartitionImage(
        replicas=(1, 4), directories=(bytes(16),) * 2, isr=(), adding_replicas=(4,), last_known_elr=(4,)
    )
    rules = LeadershipRules(
        is_acceptable=lambda _, replica: replica == 4,
        election=Election.CLEAN,
        elr_enabled=True,
        min_isr=1,
        new_directory=None,
    )
    taken_back = Goal(replicas=(1,), adding=())
    record = partition_change(bytes(16), 0, partition, taken_back, rules)
    assert record is not None
    # -1 names nobody, in a new epoch.
    assert (record.leader, record.replicas, record.isr) == (-1, [1], None)
    elected = partition_change(bytes(16), 0, partition, Goal(), rules)
    assert elected is not None
    assert (elected.leader, elected.isr) == (4, [4])


def test_the_file_has_elections_of_every_kind() -> None:
    rights = [line.split(" -> ")[1] for line in _cases()]
    assert len(rights) == 400
    leaders = [right.split("|")[1] for right in rights if right != "none"]
    assert {"-2", "-1"} < {*leaders}
    assert any("|1|" in right for right in rights), "no unclean election"


@pytest.fixture
def harness() -> Harness:
    harness = Harness()
    harness.start_brokers(1, 2)
    harness.register(3)
    return harness


def _rules(harness: Harness, name: str, **who: Any) -> LeadershipRules:
    image = harness.image
    topic = image.topic_by_name(name)
    assert topic is not None
    settings = TopicConfigs(image, InheritedConfigs({}, 1))
    return leadership_rules(image, settings, topic, **who)


def _accepts(harness: Harness, broker_id: int, **who: Any) -> bool:
    """Whether the replica of t-0 on that broker may lead."""
    return _rules(harness, "t", **who).is_acceptable(harness.partition("t"), broker_id)


def test_an_acceptable_leader_is_active_and_holds_the_partition_in_an_online_directory(
    harness: Harness,
) -> None:
    harness.create_topic("t", [1, 2, 3])
    assert [_accepts(harness, broker_id) for broker_id in (1, 2, 3, 4)] == [True, True, False, False]
    # The broker that is just being unfenced counts; the one that goes does not.
    assert _accepts(harness, 3, joining=3)
    assert not _accepts(harness, 1, leaving=1)
    harness.register(2, log_dirs=[directory(2, 9)])
    assert not _accepts(harness, 2)


def test_a_broker_without_a_replica_is_not_acceptable(harness: Harness) -> None:
    harness.create_topic("t", [1])
    assert not _accepts(harness, 2)


def test_unclean_election_goes_by_the_topic_then_by_the_cluster(harness: Harness) -> None:
    harness.create_topic("clean", [1])
    harness.create_topic("unclean", [1], unclean_leader_election_enable="true")
    assert _rules(harness, "clean").election is Election.CLEAN
    assert _rules(harness, "unclean").election is Election.UNCLEAN
    topic = harness.image.topic_by_name("clean")
    assert topic is not None
    static = TopicConfigs(harness.image, InheritedConfigs({"unclean.leader.election.enable": "TRUE "}, 1))
    rules = leadership_rules(harness.image, static, topic)
    assert rules.election is Election.UNCLEAN


def test_min_isr_is_at_most_the_replicas_of_the_partition_and_of_the_first_one(harness: Harness) -> None:
    harness.start_brokers(4)
    harness.create_topic("t", [1, 2, 4], min_insync_replicas="3")
    assert _rules(harness, "t").min_isr == 3
    harness.create_topic("u", [1, 2], min_insync_replicas="3")
    assert _rules(harness, "u").min_isr == 2
    harness.create_topic("v", [1, 2], min_insync_replicas="1")
    assert _rules(harness, "v").min_isr == 1
    # Both replicas of a partition that has no third one are enough, whatever the first partition has.
    harness.create_topic("w", [1, 2, 4], [2, 4, 1], min_insync_replicas="3")
    topic = harness.image.topic_by_name("w")
    assert topic is not None
    smaller = msgspec.structs.replace(
        topic.partitions[1], replicas=(2, 4), directories=(bytes(16),) * 2, isr=(2, 4)
    )
    record = partition_change(topic.topic_id, 1, smaller, Goal(isr=(2, 4)), _rules(harness, "w"))
    assert record is None
    record = partition_change(topic.topic_id, 1, smaller, Goal(isr=(2,)), _rules(harness, "w"))
    assert record is not None
    assert record.eligible_leader_replicas == [4]
