"""The table: what is served is what Kafka serves there, and whatever a peer asks gets an answer that can be sent.

Tests: `apis.api`, `apis.raft.add_raft_voter`, `apis.raft.begin_quorum_epoch`, `apis.raft.end_quorum_epoch`,
`apis.raft.fetch_snapshot`, `apis.raft.remove_raft_voter`, `apis.raft.update_raft_voter`, `apis.raft.vote`,
`apis.security.sasl`.
"""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from kafkaproto.api import ApiInfo, api_by_key
from kafkaproto.errors import LocalProtocolError
from kafkaproto.message import Struct
from kafkaproto.messages import EnvelopeRequest
from kafkaproto.support import joined
from kafkaproto_server.apis.serving import dispatch
from kafkaproto_server.apis.table import TABLE, advertised, served_versions
from kafkaproto_server.base.types import ListenerKind
from tests.apis.cluster.test_envelope import wrapped
from tests.apis.support.cluster import Cluster
from tests.apis.support.services import Calls, context, services
from tests.messages.support.random_messages import random_message

BROKER, CONTROLLER = ListenerKind.BROKER, ListenerKind.CONTROLLER

# The ranges of Apache Kafka 4.4.0 as its nodes serve them.
KAFKAS_VERSIONS = {
    0: (3, 13),
    1: (4, 18),
    2: (1, 11),
    3: (0, 13),
    8: (2, 10),
    9: (1, 10),
    10: (0, 6),
    11: (0, 9),
    12: (0, 4),
    13: (0, 5),
    14: (0, 5),
    15: (0, 6),
    16: (0, 5),
    17: (0, 1),
    18: (0, 5),
    19: (2, 7),
    20: (1, 6),
    21: (0, 2),
    22: (0, 5),
    23: (2, 4),
    24: (0, 5),
    25: (0, 4),
    26: (0, 5),
    27: (1, 2),
    28: (0, 6),
    29: (1, 3),
    30: (1, 3),
    31: (1, 3),
    32: (1, 4),
    33: (0, 2),
    34: (1, 2),
    35: (1, 5),
    36: (0, 2),
    37: (0, 3),
    38: (1, 3),
    39: (1, 2),
    40: (1, 2),
    41: (1, 3),
    42: (0, 3),
    43: (0, 2),
    44: (0, 1),
    45: (0, 1),
    46: (0, 0),
    47: (0, 0),
    48: (0, 1),
    49: (0, 1),
    50: (0, 0),
    51: (0, 0),
    52: (0, 2),
    53: (0, 1),
    54: (0, 1),
    55: (0, 2),
    56: (2, 3),
    57: (0, 2),
    58: (0, 0),
    59: (0, 1),
    60: (0, 2),
    61: (0, 0),
    62: (0, 4),
    63: (0, 2),
    64: (0, 0),
    65: (0, 0),
    66: (0, 2),
    67: (0, 0),
    68: (0, 1),
    69: (0, 1),
    70: (0, 0),
    73: (0, 0),
    74: (0, 1),
    75: (0, 0),
    76: (1, 1),
    77: (1, 1),
    78: (1, 2),
    79: (1, 2),
    80: (0, 1),
    81: (0, 0),
    82: (0, 0),
    83: (0, 0),
    84: (0, 0),
    85: (0, 1),
    86: (0, 0),
    87: (0, 1),
    90: (0, 1),
    91: (0, 0),
    92: (0, 0),
    88: (0, 1),
    89: (0, 1),
    93: (0, 0),
    94: (0, 0),
}
ADVERTISED = {**KAFKAS_VERSIONS, 0: (0, 13)}
"""As nodes advertise them. Old clients take a broker that does not name version 0 of Produce for one that is too
old."""
RAFT_KEYS = (1, 52, 53, 54, 59, 80, 81, 82)
"""Requests that the quorum's core answers on controllers' listeners; the tests of these are its own."""
ENVELOPE = 58
MAX_STRING_BYTES = 32_767


def is_of_quorum(kind: ListenerKind, api_key: int) -> bool:
    """Whether the quorum's core responds; a broker passes such a request on, or reads topics by the same key."""
    return api_key in RAFT_KEYS and (kind is CONTROLLER or TABLE[kind][api_key].is_forwarded)


def api(api_key: int) -> ApiInfo:
    found = api_by_key(api_key)
    assert found is not None
    return found


@pytest.mark.parametrize("kind", ListenerKind)
def test_what_is_served_has_kafkas_versions_on_kafkas_kinds_of_listeners(kind: ListenerKind) -> None:
    assert dict(advertised(kind, services())) == {key: ADVERTISED[key] for key in TABLE[kind]}
    for key in TABLE[kind]:
        assert served_versions(kind, key) == KAFKAS_VERSIONS[key]
        assert kind.value in api(key).listeners


def test_what_is_not_in_the_table_is_not_served() -> None:
    assert served_versions(BROKER, 62) is None
    assert served_versions(CONTROLLER, 3) is None
    assert served_versions(BROKER, 999) is None


def test_an_unreleased_version_is_not_served() -> None:
    init_producer_id = api(22)
    assert (init_producer_id.max_version, init_producer_id.latest_version_unstable) == (6, True)
    assert served_versions(BROKER, 22) == (0, 5)


@pytest.mark.parametrize("api_key", RAFT_KEYS)
def test_what_the_quorums_replicas_ask_each_other_goes_to_this_nodes_replica(api_key: int) -> None:
    calls = Calls()
    request = api(api_key).request_class()
    asked = context(request, KAFKAS_VERSIONS[api_key][1], kind=CONTROLLER)
    reply = dispatch(request, asked, services(calls=calls))
    assert calls.asked_of_quorum == [(request, asked)]
    assert reply is calls.replies[0]


# --- any request gets an answer that can be sent ---


def with_hostile_strings(request: Struct, rng: random.Random) -> None:
    """Make some strings as long as strings can be, of what grows when it is quoted."""
    names: tuple[str, ...] = request.__slots__
    for name in names:
        value = getattr(request, name)
        if isinstance(value, str) and value and rng.random() < 0.3:
            text = rng.choice(("\x00", "a", "'\\", "\U000e0001"))
            setattr(request, name, text * (MAX_STRING_BYTES // len(text.encode())))
        elif isinstance(value, Struct):
            with_hostile_strings(value, rng)
        elif isinstance(value, list):
            for item in value:
                if isinstance(item, Struct):
                    with_hostile_strings(item, rng)


def plain(request: Struct, rng: random.Random) -> None:
    """Leave the request as it is."""


def with_known_names(request: Struct, rng: random.Random) -> None:
    """Ask for what there is, so that a request comes further than to the first check."""
    names: tuple[str, ...] = request.__slots__
    for name in names:
        value = getattr(request, name)
        if name == "feature" and rng.random() < 0.6:
            setattr(request, name, rng.choice(("metadata.version", "group.version", "kraft.version")))
        elif name == "name" and hasattr(request, "value") and rng.random() < 0.6:
            setattr(request, name, rng.choice(("cleanup.policy", "retention.ms", "min.insync.replicas")))
        elif name in ("config_operation", "upgrade_type") and rng.random() < 0.6:
            setattr(request, name, rng.randint(0, 4))
        elif isinstance(value, str) and rng.random() < 0.6:
            setattr(request, name, "topic-1")
        elif name in ("broker_id", "controller_id") and rng.random() < 0.6:
            setattr(request, name, rng.randint(0, 2))
        elif name in ("resource_type", "endpoint_type") and rng.random() < 0.6:
            setattr(request, name, rng.choice((1, 2, 4, 8, 16, 32)))
        elif name in ("num_partitions", "replication_factor", "count") and rng.random() < 0.6:
            setattr(request, name, rng.randint(-1, 4))
        elif isinstance(value, list):
            for item in value:
                if isinstance(item, Struct):
                    with_known_names(item, rng)


def with_hostile_strings_in_known_places(request: Struct, rng: random.Random) -> None:
    """Both."""
    with_known_names(request, rng)
    with_hostile_strings(request, rng)


@pytest.mark.parametrize(
    "change", [plain, with_hostile_strings, with_known_names, with_hostile_strings_in_known_places]
)
@pytest.mark.parametrize("is_active", [True, False], ids=["active", "standby"])
@pytest.mark.parametrize(
    ("kind", "api_key"),
    [
        (kind, key)
        for kind, table in TABLE.items()
        for key in table
        if key != ENVELOPE and not is_of_quorum(kind, key)
    ],
)
def test_whatever_is_asked_has_a_response_that_can_be_sent(
    kind: ListenerKind, api_key: int, is_active: bool, change: Callable[[Struct, random.Random], None]
) -> None:
    cluster = Cluster(is_active=is_active)
    rng = random.Random(api_key)
    answered = 0
    lowest, highest = KAFKAS_VERSIONS[api_key]
    for version in range(lowest, highest + 1):
        for _ in range(8):
            request = random_message(api(api_key).request_class, version, rng)
            change(request, rng)
            try:
                request.encode(version)
            except LocalProtocolError:
                continue
            cluster.answer(kind, request, version)
            answered += 1
    assert answered >= 3


@pytest.mark.parametrize("is_active", [True, False], ids=["active", "standby"])
def test_whatever_is_in_an_envelope_has_a_response_that_can_be_sent(is_active: bool) -> None:
    cluster = Cluster(is_active=is_active)
    rng = random.Random(0)
    for _ in range(50):
        cluster.answer(CONTROLLER, random_message(EnvelopeRequest, 0, rng), 0)
    for api_key in (19, 20, 30, 31, 33, 37, 38, 39, 40, 44, 49, 51, 55, 57, 3, 63):
        lowest, highest = KAFKAS_VERSIONS[api_key]
        for version in range(lowest, highest + 1):
            inner = random_message(api(api_key).request_class, version, rng)
            good = wrapped(inner, version)
            data = bytearray(joined(good.request_data))
            for _ in range(10):
                spoiled = bytes(data)
                at = rng.randrange(len(data))
                spoiled = spoiled[:at] + rng.randbytes(rng.randint(0, 3)) + spoiled[at + 1 :]
                cluster.answer(CONTROLLER, wrapped(inner, version, request_data=spoiled), 0)
