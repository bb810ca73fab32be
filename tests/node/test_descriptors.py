"""How many connections a node takes in, by the file descriptors that it has."""

from __future__ import annotations

import resource

import pytest

from kafkaproto_server.config.node_config import default_config
from kafkaproto_server.node.descriptors import (
    MIN_CONNECTIONS,
    MIN_TOPIC_FILES,
    SPARE_DESCRIPTORS,
    admission_limits,
    raise_descriptor_limit,
    reserved_descriptors,
    topic_file_limit,
)
from kafkaproto_server.shell.net.admission import UNLIMITED
from kafkaproto_server.shell.net.http import MAX_HTTP_CONNECTIONS
from kafkaproto_server.shell.net.limits import MAX_CONNECTIONS


@pytest.fixture
def limits(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Soft and hard limit, as the system would have them."""
    found = [256, 4096]
    monkeypatch.setattr(resource, "getrlimit", lambda of: tuple(found))
    monkeypatch.setattr(resource, "setrlimit", lambda of, wanted: found.__setitem__(slice(2), wanted))
    return found


def test_the_soft_limit_is_raised_to_the_hard_one(limits: list[int]) -> None:
    raise_descriptor_limit()
    assert limits == [4096, 4096]


def test_a_system_that_refuses_leaves_the_limit_as_it_is(
    limits: list[int], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def refuse(of: int, wanted: tuple[int, int]) -> None:
        raise ValueError("current limit exceeds maximum limit")

    monkeypatch.setattr(resource, "setrlimit", refuse)
    raise_descriptor_limit()
    assert limits == [256, 4096]
    assert caplog.messages == ["the limit of open files remains 256: current limit exceeds maximum limit"]


def test_connections_get_what_the_node_does_not_need(limits: list[int]) -> None:
    config = default_config({})
    reserve = reserved_descriptors(config)
    found = admission_limits(config)
    assert found.capacity == 256 - reserve - topic_file_limit(config)
    assert found.max_connections == found.max_per_address == found.creation_rate == UNLIMITED
    # All connections that are allowed, and as many files of the node's own as are foreseen, need none of the last ones.
    assert found.first_spare_descriptor == 256 - SPARE_DESCRIPTORS
    files = reserve - SPARE_DESCRIPTORS + topic_file_limit(config)
    assert found.capacity + files <= found.first_spare_descriptor
    limits[0] = 1_000_000
    assert admission_limits(config).capacity == MAX_CONNECTIONS
    limits[0] = resource.RLIM_INFINITY
    assert admission_limits(config).capacity == MAX_CONNECTIONS


def test_files_of_topics_get_half_of_what_a_broker_does_not_need(limits: list[int]) -> None:
    config = default_config({})
    limits[0] = reserved_descriptors(config) + 1000
    assert (topic_file_limit(config), admission_limits(config).capacity) == (500, 500)
    controller = default_config({"process.roles": "controller", "listeners": "CONTROLLER://127.0.0.1:9093"})
    assert admission_limits(controller).capacity == limits[0] - reserved_descriptors(controller)


def test_what_a_node_has_more_of_is_reserved_for() -> None:
    least = reserved_descriptors(default_config({}))
    more = reserved_descriptors(default_config({"log.dirs": "/a,/b,/c"}))
    assert more > least
    assert (
        reserved_descriptors(default_config({"http.listener": "127.0.0.1:1"})) > least + MAX_HTTP_CONNECTIONS
    )
    assert reserved_descriptors(default_config({"num.replica.fetchers": "4"})) > least
    assert reserved_descriptors(default_config({"broker.death.proof.enable": "false"})) < least


def test_a_process_with_too_few_is_told_how_many_it_needs(limits: list[int]) -> None:
    config = default_config({})
    reserve = reserved_descriptors(config)
    reserve += MIN_TOPIC_FILES
    limits[0] = reserve + MIN_CONNECTIONS
    assert admission_limits(config).capacity == MIN_CONNECTIONS
    limits[0] -= 1
    with pytest.raises(
        OSError,
        match=rf"ulimit -n\) is {limits[0]}: this node needs {reserve} .* {MIN_CONNECTIONS} for connections",
    ):
        admission_limits(config)


def test_the_keys_of_kafka_that_bound_connections_are_taken_over(limits: list[int]) -> None:
    keys = {
        "max.connections": "7",
        "max.connections.per.ip": "6",
        "max.connections.per.ip.overrides": "127.0.0.9:5, [::1]:4, 0:0:0:0:0:0:0:2:3",
        "max.connection.creation.rate": "3",
        "listener.name.controller.max.connections": "2",
        "listener.name.controller.max.connection.creation.rate": "1",
    }
    config = default_config(keys)
    found = admission_limits(config)
    assert (found.max_connections, found.max_per_address, found.creation_rate) == (7, 6, 3)
    assert found.per_address == {"127.0.0.9": 5, "::1": 4, "::2": 3}
    assert config.listener_limit("CONTROLLER", "max.connections") == 2
    assert config.listener_limit("CONTROLLER", "max.connection.creation.rate") == 1
    assert config.listener_limit("PLAINTEXT", "max.connections") == UNLIMITED
    assert config.unused_keys == ()


def test_a_host_without_an_address_is_named(limits: list[int]) -> None:
    with pytest.raises(OSError, match=r"per\.ip\.overrides: no\.such\.host\.invalid has no address"):
        admission_limits(default_config({"max.connections.per.ip.overrides": "no.such.host.invalid:5"}))
