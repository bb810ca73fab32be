"""How a node finds the leader: it sends a Fetch to some other node, and the response names the leader.

It picks at random among the bootstrap servers and the voters that the log names: addresses may have changed since
either was written, and one address may stand for all controllers in turn. It never asks an address from a request.

Apache Kafka: ``KafkaRaftClient.maybeSendFetchToAnyBootstrap``.
"""

from __future__ import annotations

from kafkaproto_server.base.backoff import Backoff
from kafkaproto_server.base.types import Endpoint
from kafkaproto_server.core.raft.model.core import Core
from kafkaproto_server.core.raft.model.requests import RequestLane
from kafkaproto_server.core.raft.roles import fetching
from kafkaproto_server.core.raft.values.messages import Destination
from kafkaproto_server.core.raft.values.voters import endpoint_named

ASK_NEXT_MS = 500
"""After this time without a response the node asks the next one, too. Also the longest pause between two questions."""


def tick(core: Core, now_ms: int) -> None:
    """Ask the next node, if it is time."""
    # A Fetch has to name the end of the log, and during an install there is none.
    if now_ms < core.discovery_at_ms or core.installing is not None:
        return
    ready = [
        destination
        for destination in _known_destinations(core)
        if core.requests.ready_at_ms(destination, RequestLane.FETCH) <= now_ms
    ]
    # Every node without a leader asks. Kafka's voters wait until they are told (KAFKA-17030, KAFKA-18562).
    core.discovery_at_ms = now_ms + ASK_NEXT_MS
    if ready:
        # At random, so that observers do not stay with an address that is dead (KAFKA-19354, KAFKA-20514).
        chosen = ready[core.rng.below(len(ready))]
        # An ordinary Fetch. KIP-595 drafted a request that only asks who leads; what shipped is
        # that any node names the leader when it refuses a Fetch.
        core.discovery_id = core.ask(chosen, fetching.fetch_request(core), now_ms)


def ask_about(core: Core, node_id: int, now_ms: int) -> None:
    """A request claimed something about a voter: ask that voter, at the endpoint that the log has for it, now or once
    the Fetch under way to it has ended. If this node cannot ask it now, it asks the next node who leads soon.

    A false claim costs one request, and no voter gets more than one at a time.
    """
    # The newest claim only. One more Fetch to find the leader is all that a claim may cause.
    core.discovery_hint = core.voter_destination(node_id)
    if not _ask_hinted(core, now_ms) and core.discovery_at_ms > now_ms + core.config.retry_backoff_ms:
        core.discovery_at_ms = now_ms + core.config.retry_backoff_ms


def lane_is_free(core: Core, destination: Destination, now_ms: int) -> None:
    """A request to ``destination`` is over: ask it about a claim, if that had to wait for the end of this request."""
    if destination == core.discovery_hint:
        _ask_hinted(core, now_ms)


def _ask_hinted(core: Core, now_ms: int) -> bool:
    """Ask the voter that a claim is about; returns whether that was possible."""
    destination = core.discovery_hint
    if destination is None or destination.id == core.config.key.id or core.installing is not None:
        return False
    # A node that has just started refused connections a moment ago, and a vote waits for the
    # response. The lane still takes one request at a time.
    core.requests.end_rest(destination, RequestLane.FETCH)
    # Without a wait: a leader would hold this Fetch for half a second, and the vote with it.
    if core.ask(destination, fetching.fetch_request(core, max_wait_ms=0), now_ms) is None:
        return False
    core.discovery_hint = None
    return True


def deadline_ms(core: Core) -> float:
    return core.discovery_at_ms if _known_destinations(core) else float("inf")


def answered(core: Core, request_id: int, now_ms: int) -> None:
    """Note that a Fetch has ended. If it was the question who leads, the next one follows soon; the pause doubles while
    the questions bring nothing new."""
    # Counted before the response is read. If it brings a leader or an epoch, `transitions` resets
    # the count.
    if request_id == core.discovery_id:
        core.discovery_id = None
        core.fruitless_discoveries += 1
        backoff = Backoff(first_ms=core.config.retry_backoff_ms, longest_ms=ASK_NEXT_MS)
        core.discovery_at_ms = now_ms + backoff.delay_ms(core.fruitless_discoveries)


def servers_beside_the_log(core: Core) -> list[Destination]:
    """The bootstrap servers at addresses that the log does not give to any voter; this node's own is not among them."""
    voters = (core.voter_destination(voter.key.id) for voter in core.voters.latest.voters)
    # By address, because nobody knows which node a bootstrap server is.
    known = {(each.host, each.port) for each in (*voters, _own(core)) if each is not None}
    return [server for server in core.config.bootstrap_servers if (server.host, server.port) not in known]


def _known_destinations(core: Core) -> list[Destination]:
    """Every destination to ask, without this node's own address. One address may be there under several ids."""
    own = _own(core)
    known = [*core.config.bootstrap_servers]
    for voter in core.voters.latest.voters:
        destination = core.voter_destination(voter.key.id)
        if voter.key.id != core.config.key.id and destination is not None:
            known.append(destination)
    # Mostly all nodes have the same list of bootstrap servers. A question to itself would tell this
    # node what it knows.
    return [each for each in known if own is None or (each.host, each.port) != (own.host, own.port)]


def _own(core: Core) -> Endpoint | None:
    return endpoint_named(core.config.endpoints, core.config.listener_name)
