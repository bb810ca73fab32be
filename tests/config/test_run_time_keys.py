"""Broker keys that can change at run time: each has an effect then, is refused, or is said to have no effect at all.

Where a key is read is a fact about the code; that the place reads it again after a change is tested beside it.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from kafkaproto_server.config.dynamic import problem_of_change
from kafkaproto_server.config.keys.definitions import BROKER_KEYS, TOPIC_KEYS
from kafkaproto_server.config.keys.descriptions import description
from kafkaproto_server.config.layers import NodeConfigs

SERVER = Path(__file__).parents[2] / "server" / "kafkaproto_server"
TESTS = Path(__file__).parents[1]
REPLICAS = "shell/replicas/"
THROTTLES = (f"{REPLICAS}followers/throttles.py", f"{REPLICAS}followers/test_throttles.py")
READ_AGAIN: dict[str, tuple[str, str]] = {
    "cordoned.log.dirs": ("shell/broker/metadata_applier.py", "shell/broker/test_lifecycle_manager.py"),
    "errors.deadletterqueue.auto.create.topics.enable": (
        "shell/share_partitions/dead_letters.py",
        "apis/share/test_dead_letters.py",
    ),
    "errors.deadletterqueue.topic.name.prefix": (
        "shell/share_partitions/dead_letters.py",
        "apis/share/test_dead_letters.py",
    ),
    "follower.replication.throttled.rate": (
        f"{REPLICAS}followers/throttles.py",
        f"{REPLICAS}followers/test_throttles.py",
    ),
    "leader.replication.throttled.rate": (
        f"{REPLICAS}followers/throttles.py",
        f"{REPLICAS}followers/test_throttles.py",
    ),
    "log.cleaner.backoff.ms": (f"{REPLICAS}files/cleaning.py", f"{REPLICAS}files/test_cleaning.py"),
    "log.cleaner.dedupe.buffer.size": (f"{REPLICAS}files/cleaning.py", f"{REPLICAS}files/test_cleaning.py"),
    "log.cleaner.io.buffer.load.factor": (
        f"{REPLICAS}files/cleaning.py",
        f"{REPLICAS}files/test_cleaning.py",
    ),
    "log.cleaner.io.max.bytes.per.second": (
        f"{REPLICAS}files/cleaning.py",
        f"{REPLICAS}files/test_cleaning.py",
    ),
    "max.connection.creation.rate": (
        "shell/serving/connection_limits.py",
        "shell/serving/test_connection_limits.py",
    ),
    "max.connections": ("shell/serving/connection_limits.py", "shell/serving/test_connection_limits.py"),
    "max.connections.per.ip": (
        "shell/serving/connection_limits.py",
        "shell/serving/test_connection_limits.py",
    ),
    "max.connections.per.ip.overrides": (
        "shell/serving/connection_limits.py",
        "shell/serving/test_connection_limits.py",
    ),
    "num.replica.fetchers": (f"{REPLICAS}replica_settings.py", f"{REPLICAS}followers/test_fetcher_number.py"),
    "producer.id.expiration.ms": (f"{REPLICAS}files/log_settings.py", f"{REPLICAS}files/test_maintenance.py"),
    "replica.alter.log.dirs.io.max.bytes.per.second": (
        f"{REPLICAS}files/move_steps.py",
        f"{REPLICAS}files/test_moves.py",
    ),
    "transaction.partition.verification.enable": (
        "shell/coordinators/transactions/transactional_appends.py",
        "apis/data/test_produce_in_transactions.py",
    ),
}
"""Who reads the key when it is needed, and what tests that."""
OF_GROUPS = "group."
"""`current_group_configs` reads these anew once the configs have changed."""
REFUSED = {
    "listeners": ("PLAINTEXT://127.0.0.1:1,CONTROLLER://127.0.0.1:2", "PLAINTEXT://127.0.0.1:3"),
    "listener.security.protocol.map": (
        "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT",
        "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT,MORE:PLAINTEXT",
    ),
}
INHERITED = {key for definition in TOPIC_KEYS.values() for key, _ in definition.synonyms}
"""Topics inherit them: `KnownSettings` and the controller's `TopicConfigs` read them anew once they have changed."""
DYNAMIC = sorted(name for name, definition in BROKER_KEYS.items() if definition.dynamic is not None)


@pytest.mark.parametrize("name", DYNAMIC)
def test_a_key_that_can_change_has_an_effect_or_is_said_to_have_none(name: str) -> None:
    says_none = description("broker", name).endswith("No effect here.")
    has_effect = name in READ_AGAIN or name in INHERITED or name.startswith(OF_GROUPS)
    if name in REFUSED:
        assert not says_none
    elif says_none:
        assert name not in READ_AGAIN
    else:
        assert has_effect, f"who reads {name} after a change?"


@pytest.mark.parametrize("name", READ_AGAIN)
def test_the_place_reads_the_key_and_is_tested(name: str) -> None:
    place, test = READ_AGAIN[name]
    assert name in DYNAMIC
    assert f'"{name}"' in (SERVER / place).read_text()
    assert (TESTS / test).exists()


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_change_is_refused_with_the_reason(name: str) -> None:
    before, after = REFUSED[name]
    static = {"process.roles": "broker", "node.id": "1", name: before}
    node = NodeConfigs(static=static)
    changed = NodeConfigs(static=static, dynamic_broker={name: after})
    problem = problem_of_change(node, changed, [name])
    assert problem == f"{name} cannot change at run time here: a node opens its listeners when it starts"
    same = NodeConfigs(static=static, dynamic_broker={name: before})
    assert "cannot change" not in (problem_of_change(node, same, [name]) or "")
