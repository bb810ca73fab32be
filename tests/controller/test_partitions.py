"""Elections and ISR changes, against Apache Kafka's own: `data/stock_partition_changes.golden` says how."""

from __future__ import annotations

from pathlib import Path

import pytest

from server.controller.partitions import Election, LeadershipRules, leadership_rules, partition_change
from server.controller.settings import InheritedConfigs, TopicSettings
from server.image.image import PartitionImage
from server.image.records import record_version
from tests.controller.harness import Harness, directory

_FILE = Path(__file__).parent / "data" / "stock_partition_changes.golden"


def _cases() -> list[str]:
    return [line for line in _FILE.read_text().splitlines() if not line.startswith("#")]


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
        is_acceptable=lambda replica: replica in acceptable,
        election=Election.UNCLEAN if words[8] == "U" else Election.CLEAN,
        elr_enabled=words[9] == "1",
        min_isr=int(words[10]),
    )
    record = partition_change(bytes(16), 0, partition, target_isr, rules, lost_replicas=lost)
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


def _rules(harness: Harness, name: str, index: int = 0, **who: int) -> LeadershipRules:
    image = harness.image
    topic = image.topic_by_name(name)
    assert topic is not None
    settings = TopicSettings(image, InheritedConfigs({}, 1))
    return leadership_rules(image, settings, topic, topic.partitions[index], **who)


def test_an_acceptable_leader_is_active_and_holds_the_partition_in_an_online_directory(
    harness: Harness,
) -> None:
    harness.create_topic("t", [1, 2, 3])
    rules = _rules(harness, "t")
    assert [rules.is_acceptable(broker_id) for broker_id in (1, 2, 3, 4)] == [True, True, False, False]
    # The broker that is just being unfenced counts; the one that goes does not.
    assert _rules(harness, "t", joining=3).is_acceptable(3)
    assert not _rules(harness, "t", leaving=1).is_acceptable(1)
    harness.register(2, log_dirs=[directory(2, 9)])
    assert not _rules(harness, "t").is_acceptable(2)


def test_a_broker_without_a_replica_is_not_acceptable(harness: Harness) -> None:
    harness.create_topic("t", [1])
    assert not _rules(harness, "t").is_acceptable(2)


def test_unclean_election_goes_by_the_topic_then_by_the_cluster(harness: Harness) -> None:
    harness.create_topic("clean", [1])
    harness.create_topic("unclean", [1], unclean_leader_election_enable="true")
    assert _rules(harness, "clean").election is Election.CLEAN
    assert _rules(harness, "unclean").election is Election.UNCLEAN
    topic = harness.image.topic_by_name("clean")
    assert topic is not None
    static = TopicSettings(harness.image, InheritedConfigs({"unclean.leader.election.enable": "TRUE "}, 1))
    rules = leadership_rules(harness.image, static, topic, topic.partitions[0])
    assert rules.election is Election.UNCLEAN


def test_min_isr_is_at_most_the_replicas_of_the_partition_and_of_the_first_one(harness: Harness) -> None:
    harness.create_topic("t", [1, 2], [1, 2], min_insync_replicas="3")
    assert [_rules(harness, "t", index).min_isr for index in (0, 1)] == [2, 2]
    harness.create_topic("u", [1, 2], min_insync_replicas="1")
    assert _rules(harness, "u").min_isr == 1
