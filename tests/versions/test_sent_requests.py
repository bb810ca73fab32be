"""Every request that is sent, to nodes of every release of Apache Kafka from 3.9 on.

`golden/served_versions.txt` says which versions the nodes of a release serve, by their own word. For each request and
release, the code that sends it in the product says all that it can say, to a node that serves just these versions and
responds in them. So a field that a version lacks, and that is neither left out nor refused beforehand, shows here.

What is sent is found in the sources: each request that a module names is in the tables of the senders, or in
`RECEIVED`, and each field that a module gives a value is in a request that arrived. A new request or field fails until
it is in the table, or arrives.
"""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Iterator, Mapping

import pytest
import trio
import trio.testing

from kafkaproto.api import ApiKey
from kafkaproto_server.metadata.features import METADATA_VERSION, METADATA_VERSIONS, MINIMUM_METADATA_VERSION
from tests.running.counting import count
from tests.versions.support.from_tools import FROM_TOOLS
from tests.versions.support.peer import ReleasePeer
from tests.versions.support.senders import REFUSED, Sender
from tests.versions.support.served import Served, releases, served, supported
from tests.versions.support.sources import (
    fields_set,
    fields_with_a_value,
    modules,
    named_requests,
)
from tests.versions.support.to_brokers import TO_BROKERS, follower
from tests.versions.support.to_controller import TO_CONTROLLER
from tests.versions.support.to_voters import TO_VOTERS

SENDERS = (*TO_CONTROLLER, *TO_BROKERS, *TO_VOTERS, *FROM_TOOLS)
LEVELS = [each.level for each in METADATA_VERSIONS if each >= MINIMUM_METADATA_VERSION]
NEWEST = releases()[-1]
ALL = (*SENDERS, follower(LEVELS[-1]))

RECEIVED: Mapping[str, frozenset[str]] = {
    "server/kafkaproto_server/shell/quorum/broker_probe.py": frozenset({"BrokerHeartbeatRequest"}),
    "server/kafkaproto_server/shell/quorum/controller_runner.py": frozenset({"BrokerHeartbeatRequest"}),
    "server/kafkaproto_server/shell/quorum/driver.py": frozenset(
        {"BrokerHeartbeatRequest", "DescribeQuorumRequest"}
    ),
    "server/kafkaproto_server/shell/serving/dispatch.py": frozenset({"BrokerHeartbeatRequest"}),
    "server/kafkaproto_server/core/raft/wire/describe_quorum.py": frozenset({"DescribeQuorumRequest"}),
    "server/kafkaproto_server/core/raft/wire/inbound.py": frozenset(
        {
            "AddRaftVoterRequest",
            "BeginQuorumEpochRequest",
            "EndQuorumEpochRequest",
            "FetchRequest",
            "FetchSnapshotRequest",
            "RemoveRaftVoterRequest",
            "UpdateRaftVoterRequest",
            "VoteRequest",
        }
    ),
    "server/kafkaproto_server/requests/streams_group_requests.py": frozenset({"CreateTopicsRequest"}),
    "server/kafkaproto_server/metadata/security/acls.py": frozenset(
        {"DeleteAclsRequest", "DescribeAclsRequest"}
    ),
    # The table of what is left out.
    "server/kafkaproto_server/shell/net/older_nodes.py": frozenset({"BrokerHeartbeatRequest"}),
    # ApiVersions begins each connection: all tests here have it.
    "kafkaproto/connection.py": frozenset({"ApiVersionsRequest"}),
}
"""Requests that a module names and does not send: it reads them, or names them as types."""

AT_DEFAULT = [
    "pipeline/kafkaproto_pipeline/sources/live_quorum.py: topic",
    "server/kafkaproto_server/core/raft/wire/outbound.py: partition, partition_index, preferred_successors",
    "server/kafkaproto_server/requests/fetch_requests.py: topic",
    "server/kafkaproto_server/tools/cluster/local_cluster.py: topics",
    "server/kafkaproto_server/tools/shell/follower.py: fetch_offset, topic",
]
"""Fields of which no value arrives: the metadata log has one partition, 0, and the shell begins at offset 0; a local
cluster asks for no topic; names of topics in Fetch, and successors without directories, are for older versions."""

NOT_SERVED: Mapping[str, frozenset[str]] = {
    # Share groups came with 4.0, as a preview whose requests between brokers are not advertised.
    "states of share groups": frozenset({"3.9.1", "4.0.0"}),
    "list fenced brokers": frozenset({"3.9.1"}),
    "a pre-vote": frozenset({"3.9.1"}),
    "unregister a controller": frozenset({"3.9.1", "4.0.0", "4.1.1", "4.2.0", "4.3.1"}),
}
"""Releases that serve no version that has what is said. The caller is told, and nothing is sent."""


def cases() -> Iterator[tuple[Sender, str]]:
    """Each sender with each release that it may meet."""
    for release in releases():
        for sender in SENDERS:
            yield sender, release
        for level in LEVELS:
            if level <= supported(release)[METADATA_VERSION][1]:
                yield follower(level), release


def send(sender: Sender, served_versions: Served) -> tuple[object, ReleasePeer]:
    """Have the product send all that it has to say to a node that serves these versions."""
    peer = ReleasePeer(served_versions, sender.respond)

    async def run() -> object:
        return await sender.run(peer)

    return trio.run(run, clock=trio.testing.MockClock(autojump_threshold=0)), peer


def sent(peer: ReleasePeer) -> set[str]:
    """What a node was sent, apart from ApiVersions, which begins each connection."""
    return {request.NAME for request, _ in peer.seen} - {"ApiVersionsRequest"}


def named(each: Sender | str) -> str:
    return each if isinstance(each, str) else each.name


@pytest.mark.parametrize(("sender", "release"), list(cases()), ids=named)
def test_a_request_is_sent_in_a_version_that_the_node_serves_or_refused_beforehand(
    sender: Sender, release: str
) -> None:
    result, peer = send(sender, served(release, sender.listener))
    if release in NOT_SERVED.get(sender.name, ()):
        assert str(result).startswith(REFUSED)
        assert not sent(peer) & set(sender.sends)
        return
    assert result == sender.handled
    assert set(sender.sends) <= {request.NAME for request, _ in peer.seen}
    for request, version in peer.seen:
        lowest, highest = peer.served[ApiKey(request.API_KEY or 0)]
        assert lowest <= version <= highest
    pairs = {(request.NAME, version) for request, version in peer.seen}
    count("requests in the versions of older releases", len(pairs))


@pytest.mark.parametrize("sender", ALL, ids=named)
def test_a_node_that_serves_later_versions_too_is_sent_the_latest_that_is_known(sender: Sender) -> None:
    newer = {key: (low, high + 5) for key, (low, high) in served(NEWEST, sender.listener).items()}
    result, peer = send(sender, newer)
    assert result == sender.handled
    for request, version in peer.seen:
        assert version <= request.MAX_VERSION


@pytest.mark.parametrize("sender", ALL, ids=named)
def test_a_node_that_serves_later_versions_only_is_sent_nothing_and_the_reason_is_told(
    sender: Sender, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    # A node says in any version which versions it serves.
    later = {
        key: (low, high) if key == ApiKey.API_VERSIONS else (high + 1, high + 2)
        for key, (low, high) in served(NEWEST, sender.listener).items()
    }
    result, peer = send(sender, later)
    if sender.sends == ("ApiVersionsRequest",):
        assert result == sender.handled
        return
    assert result != sender.handled
    assert not sent(peer)
    if sender not in FROM_TOOLS:
        assert "version" in f"{result} {caplog.text}"


def test_every_request_in_the_sources_is_in_the_table() -> None:
    named = {path: found for path, tree in modules().items() if (found := named_requests(tree))}
    known: dict[str, set[str]] = defaultdict(set)
    for path, names in RECEIVED.items():
        known[path] |= names
    for sender in ALL:
        for path in sender.modules:
            known[path] |= set(sender.sends) & named.get(path, set())
    assert named == known


def test_every_field_that_the_sources_set_arrives_at_a_node_of_the_newest_release() -> None:
    arrived: dict[str, set[str]] = defaultdict(set)
    requests: dict[str, set[str]] = defaultdict(set)
    for sender in ALL:
        _, peer = send(sender, served(NEWEST, sender.listener))
        for path in sender.modules:
            requests[path] |= set(sender.sends)
            for message, _ in peer.seen:
                arrived[path] |= fields_with_a_value(message)
    missing = {path: fields_set(modules()[path], names) - arrived[path] for path, names in requests.items()}
    found = [f"{path}: {', '.join(sorted(fields))}" for path, fields in sorted(missing.items()) if fields]
    assert found == AT_DEFAULT
