"""What a node's properties say reaches its controller.

Tests: `node.controller`.
"""

from __future__ import annotations

from dataclasses import fields

from kafkaproto_server.config.node_config import default_config
from kafkaproto_server.core.controller.values.config import ControllerConfig
from kafkaproto_server.node.startup import controller_config

# Each with another value than its default.
PROPERTIES = {
    "broker.session.timeout.ms": "9001",
    "metadata.max.idle.interval.ms": "501",
    "num.partitions": "2",
    "default.replication.factor": "2",
    "delete.topic.enable": "false",
    "auto.leader.rebalance.enable": "false",
    "leader.imbalance.check.interval.seconds": "301",
    "unclean.leader.election.interval.ms": "300001",
    "broker.death.proof.enable": "false",
    "controller.quota.window.num": "12",
    "controller.quota.window.size.seconds": "2",
    "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
    "super.users": "User:a;User:b",
    "allow.everyone.if.no.acl.found": "true",
    "delegation.token.secret.key": "secret",
    "delegation.token.max.lifetime.ms": "604800001",
    "delegation.token.expiry.time.ms": "86400001",
    "delegation.token.expiry.check.interval.ms": "3600001",
}
OTHERS = {"static_config", "local_broker_incarnation_id", "static_voter_ids"}


def test_every_key_that_the_controller_acts_by_reaches_it() -> None:
    config = default_config(PROPERTIES)
    made = controller_config(config, b"i" * 16)
    names = {field.name for field in fields(ControllerConfig)} - OTHERS
    assert names == {key.replace(".", "_") for key in PROPERTIES}
    for name in names:
        assert getattr(made, name) == getattr(config, name)
        assert getattr(made, name) != getattr(ControllerConfig(), name), name
    assert made.static_config["super.users"] == "User:a;User:b"
    assert made.local_broker_incarnation_id == b"i" * 16


def test_the_controllers_own_defaults_are_those_of_the_keys() -> None:
    made, own = controller_config(default_config({}), b"i" * 16), ControllerConfig()
    for name in {field.name for field in fields(ControllerConfig)} - OTHERS:
        assert getattr(made, name) == getattr(own, name), name
